//go:build unix

package session

import (
	"errors"
	"os"
	"syscall"
)

// syncDir puts the names in a folder on the disk. Some network file systems
// cannot and need not.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer func() { _ = d.Close() }()
	if err := d.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, syscall.ENOTSUP) {
		return err
	}
	return nil
}
