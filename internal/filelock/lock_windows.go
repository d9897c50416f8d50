package filelock

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// Lock takes the lock of f without waiting. It is released when f is closed.
// [ErrHeld] means that somebody else has it; any other error means that the
// file system has no locks. One byte far behind any content is locked, so that
// others can still read.
func Lock(f *os.File) error {
	const far = 1 << 30
	o := &windows.Overlapped{OffsetHigh: far}
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, o)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return ErrHeld
	}
	return err
}
