package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// The reasons to leave a file alone that have nothing to do with the disk.
var (
	// ErrReadOnly is for a file that the user may not write to. Renaming
	// another over it would often work all the same, and would undo a
	// protection that somebody set on purpose.
	ErrReadOnly = errors.New("the file is read-only")
	// ErrNotRegular is for directories, devices, pipes and sockets.
	ErrNotRegular = errors.New("not a regular file")
)

// errUnfit says that a file cannot be replaced and must be written in place.
var errUnfit = errors.New("cannot be replaced")

// maxLinks is how many symbolic links the last element of a path may lead
// through.
const maxLinks = 40

// Write makes data the content of the file at path. An existing file keeps its
// mode bits whatever the umask is; a new one gets perm as the umask allows. The
// directory must exist.
//
// A file that is written in place grows first, so that a full disk is found out
// while the old content is whole; then the old content is overwritten, then the
// file is cut to length and flushed. When a step fails, the old content is put
// back. A crash between the first and the last step leaves a mix of both.
//
// The error wraps [ErrReadOnly], [ErrNotRegular] or what the system said. After
// an error the content is the old one unless the error says otherwise.
func Write(path string, data []byte, perm fs.FileMode) error {
	if err := write(path, data, perm); err != nil {
		return fmt.Errorf("atomicfile: write %s: %w", path, err)
	}
	return nil
}

func write(path string, data []byte, perm fs.FileMode) error {
	path, err := follow(path)
	if err != nil {
		return err
	}
	old, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return replace(path, data, nil, perm)
	case err != nil:
		return err
	case !old.Mode().IsRegular():
		return ErrNotRegular
	case !writable(path, old):
		return fmt.Errorf("%w (mode %04o)", ErrReadOnly, old.Mode().Perm())
	case hardLinks(old) > 1:
		return overwrite(path, data)
	}
	err = replace(path, data, old, 0)
	if errors.Is(err, errUnfit) {
		return overwrite(path, data)
	}
	return err
}

// follow is the path of the file that links at the end of path lead to, whether
// it exists or not.
func follow(path string) (string, error) {
	for range maxLinks {
		info, err := os.Lstat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return path, nil
		case err != nil:
			return "", err
		case info.Mode()&fs.ModeSymlink == 0:
			return path, nil
		}
		target, err := os.Readlink(path)
		if err != nil {
			return "", err
		}
		if !filepath.IsAbs(target) {
			// The target's dots start in the real directory of the link.
			dir, err := filepath.EvalSymlinks(filepath.Dir(path))
			if err != nil {
				return "", err
			}
			target = filepath.Join(dir, target)
		}
		path = target
	}
	return "", fmt.Errorf("more than %d symbolic links, perhaps in a circle", maxLinks)
}
