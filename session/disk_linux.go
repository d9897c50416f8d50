package session

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// disk is a journal's file.
type disk struct{ *os.File }

// Sync puts the content and the length on the disk, and does not wait for the
// times of the file, which nobody depends on.
func (d disk) Sync() error {
	for {
		if err := unix.Fdatasync(int(d.Fd())); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}
