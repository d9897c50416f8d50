//go:build !unix

package search

import (
	"errors"
	"io"
	"os"
)

// handle is a file open for reading.
type handle struct{ f *os.File }

func open(path string) (handle, error) {
	f, err := os.Open(path)
	return handle{f}, err
}

// read reads into p. At the end of the file n is 0.
func (h handle) read(p []byte) (n int, err error) {
	n, err = h.f.Read(p)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return n, err
}

// changed is when the content was last changed, in nanoseconds since 1970, and 0
// when that is not known.
func (h handle) changed() int64 {
	info, err := h.f.Stat()
	if err != nil {
		return 0
	}
	return info.ModTime().UnixNano()
}

func (h handle) close() { _ = h.f.Close() } // opened for reading: nothing is lost
