//go:build unix

package shell

import (
	"errors"
	"os"
	"syscall"
	"time"
)

// readNow reads what is there without waiting. No bytes and no error mean the
// end.
func readNow(f *os.File, buf []byte) (n int, err error) {
	_ = f.SetReadDeadline(time.Time{}) // a deadline that has passed would fail
	c, err := f.SyscallConn()
	if err != nil {
		return 0, err
	}
	failed := c.Read(func(fd uintptr) bool {
		for {
			if n, err = syscall.Read(int(fd), buf); !errors.Is(err, syscall.EINTR) {
				return true
			}
		}
	})
	if failed != nil {
		return 0, failed
	}
	return n, err
}
