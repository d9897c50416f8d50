package atomicfile

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// replace puts a new file with data in the place of path. The new file is like
// old, or has perm where old is nil.
func replace(path string, data []byte, old fs.FileInfo, perm fs.FileMode) (err error) {
	if old != nil {
		perm = 0o600 // nobody else may look into it before it is like old
	}
	dir := filepath.Dir(path)
	tmp, err := os.OpenFile(filepath.Join(dir, ".daruma-"+rand.Text()+".tmp"), os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return fmt.Errorf("make a file in %s: %w", dir, unfit(cause(err), fs.ErrPermission, syscall.EROFS))
	}
	defer func() {
		if err != nil {
			tmp.Close()
			os.Remove(tmp.Name())
		}
	}()
	if old != nil {
		if err := imitate(tmp, path, old); err != nil {
			return err
		}
	}
	if _, err := tmp.Write(data); err != nil {
		return cause(err)
	}
	if err := tmp.Sync(); err != nil {
		return cause(err)
	}
	if err := tmp.Close(); err != nil {
		return cause(err)
	}
	if err := os.Rename(tmp.Name(), path); err != nil {
		// A sticky directory lets nobody replace another's file; a mount
		// point is busy.
		return unfit(cause(err), fs.ErrPermission, syscall.EBUSY)
	}
	syncDir(dir)
	return nil
}

// imitate gives a new file what makes an old one what it is, besides its
// content.
func imitate(tmp *os.File, path string, old fs.FileInfo) error {
	if err := chown(tmp, old); err != nil {
		return fmt.Errorf("%w: %w", errUnfit, err)
	}
	if err := copyAttributes(tmp, path); err != nil {
		return fmt.Errorf("%w: %w", errUnfit, err)
	}
	return tmp.Chmod(old.Mode()) // last: a change of owner clears bits
}

// cause leaves the name of the temporary file out of an error: it means nothing
// to the reader.
func cause(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}

// unfit marks an error as errUnfit when it is one of these.
func unfit(err error, kinds ...error) error {
	for _, kind := range kinds {
		if errors.Is(err, kind) {
			return fmt.Errorf("%w: %w", errUnfit, err)
		}
	}
	return err
}
