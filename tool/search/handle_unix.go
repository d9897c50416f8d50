//go:build unix

package search

import (
	"errors"

	"golang.org/x/sys/unix"
)

// handle is a file open for reading. It does less than an os.File, because a
// search opens thousands of small files.
type handle int

// open opens a file without waiting for it and without following a link.
func open(path string) (handle, error) {
	for {
		fd, err := unix.Open(path, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_NOFOLLOW|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
		if !errors.Is(err, unix.EINTR) {
			return handle(fd), err
		}
	}
}

// read reads into p. At the end of the file n is 0.
func (h handle) read(p []byte) (n int, err error) {
	for {
		n, err = unix.Read(int(h), p)
		if !errors.Is(err, unix.EINTR) {
			return max(n, 0), err
		}
	}
}

// changed is when the content was last changed, in nanoseconds since 1970, and 0
// when that is not known.
func (h handle) changed() int64 {
	var st unix.Stat_t
	if unix.Fstat(int(h), &st) != nil {
		return 0
	}
	return st.Mtim.Nano()
}

func (h handle) close() { _ = unix.Close(int(h)) } // opened for reading: nothing is lost
