// Package regular opens files that hold data, and refuses without blocking what
// is something else: a pipe without a writer would hang its reader for ever, and
// merely opening some devices has an effect.
package regular

import (
	"fmt"
	"io/fs"
	"os"
)

// TypeError says that a path leads to something that is not a regular file.
type TypeError struct{ Mode fs.FileMode }

func (e *TypeError) Error() string { return "not a regular file but " + Kind(e.Mode) }

// Open opens a regular file for reading. The error is a [*TypeError] when it is
// none.
func Open(path string) (*os.File, fs.FileInfo, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, &TypeError{info.Mode()}
	}
	// Another file may have taken its place meanwhile: do not block on it, and
	// look again.
	f, err := os.OpenFile(path, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err = f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &TypeError{info.Mode()}
	}
	if err != nil {
		return nil, nil, fmt.Errorf("open %s: %w", path, closed(f, err))
	}
	return f, info, nil
}

func closed(f *os.File, err error) error {
	_ = f.Close() // opened for reading: nothing is lost
	return err
}

// Kind names what a mode stands for, with its article.
func Kind(mode fs.FileMode) string {
	switch {
	case mode.IsRegular():
		return "a regular file"
	case mode.IsDir():
		return "a directory"
	case mode&fs.ModeNamedPipe != 0:
		return "a named pipe (FIFO)"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeCharDevice != 0:
		return "a character device"
	case mode&fs.ModeDevice != 0:
		return "a block device"
	case mode&fs.ModeSymlink != 0:
		return "a symbolic link"
	default:
		return "a special file"
	}
}
