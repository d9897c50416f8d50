package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// overwrite writes data into the file itself.
func overwrite(path string, data []byte) (err error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	old, err := io.ReadAll(f)
	if err != nil {
		return err
	}
	if err := put(f, data, len(old)); err != nil {
		if back := put(f, old, len(data)); back != nil {
			return fmt.Errorf("%w; the file is damaged, because its old content could not be put back: %w", err, back)
		}
		return err
	}
	return nil
}

// put makes data the content of a file that has size bytes now: what needs new
// space comes first, what cannot fail for want of space after it.
func put(f *os.File, data []byte, size int) error {
	if len(data) > size {
		if _, err := f.WriteAt(data[size:], int64(size)); err != nil {
			return err
		}
		if err := f.Sync(); err != nil {
			return err
		}
	}
	if _, err := f.WriteAt(data[:min(size, len(data))], 0); err != nil {
		return err
	}
	if err := f.Truncate(int64(len(data))); err != nil {
		return err
	}
	return f.Sync()
}
