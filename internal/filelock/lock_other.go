//go:build !windows && (!unix || aix || solaris)

package filelock

import (
	"errors"
	"os"
)

// Lock takes the lock of f without waiting. This system has none that goes with
// its process, so it always fails, with another error than [ErrHeld].
func Lock(*os.File) error { return errors.ErrUnsupported }
