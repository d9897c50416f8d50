package atomicfile

import (
	"bytes"
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// copyAttributes gives f the extended attributes of the file at path, access
// control lists among them.
func copyAttributes(f *os.File, path string) error {
	names, err := read(func(b []byte) (int, error) { return unix.Listxattr(path, b) })
	if err != nil {
		if errors.Is(err, unix.ENOTSUP) {
			return nil
		}
		return fmt.Errorf("list extended attributes: %w", err)
	}
	for name := range bytes.SplitSeq(names, []byte{0}) {
		// The security.* ones are for the system to set, and mostly set by it.
		if len(name) == 0 || bytes.HasPrefix(name, []byte("security.")) {
			continue
		}
		value, err := read(func(b []byte) (int, error) { return unix.Getxattr(path, string(name), b) })
		if err != nil {
			return fmt.Errorf("read attribute %s: %w", name, err)
		}
		if err := unix.Fsetxattr(int(f.Fd()), string(name), value, 0); err != nil {
			return fmt.Errorf("set attribute %s: %w", name, err)
		}
	}
	return nil
}

// read asks for the size first, then for the bytes.
func read(get func([]byte) (int, error)) ([]byte, error) {
	size, err := get(nil)
	if err != nil || size == 0 {
		return nil, err
	}
	b := make([]byte, size)
	n, err := get(b)
	return b[:max(n, 0)], err
}
