package session

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"syscall"
)

// Error is trouble that the user can do something about.
type Error struct {
	Text string
	hint string
	Err  error // the cause below; may be nil
}

func (e *Error) Error() string { return e.Text }

// Hint says what to do.
func (e *Error) Hint() string { return e.hint }

// Unwrap gives the cause below.
func (e *Error) Unwrap() error { return e.Err }

// openError says why the journal at path cannot be opened.
func openError(path string, err error) error {
	e := &Error{Text: fmt.Sprintf("session %s cannot be opened: %v", idOf(path), cause(err)), Err: err}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		e.Text = fmt.Sprintf("there is no session %s", idOf(path))
		e.hint = "daruma sessions list shows those there are"
	case refused(err):
		e.Text = fmt.Sprintf("session %s may not be written (%v)", idOf(path), cause(err))
		e.hint = "check the owner and the permissions of " + path + ", or go on in a copy with --fork"
	}
	return e
}

// writeError says why something of a session cannot be written to path.
func writeError(path string, err error) error {
	e := &Error{Err: err, hint: "set DARUMA_STATE_DIR to a folder that can be written"}
	switch {
	case errors.Is(err, syscall.ENOSPC):
		e.Text = fmt.Sprintf("the disk is full: %s cannot be written", path)
		e.hint = "make room and go on; nothing that was written before is lost"
	case errors.Is(err, syscall.EDQUOT):
		e.Text = fmt.Sprintf("your disk quota is used up: %s cannot be written", path)
		e.hint = "make room and go on; nothing that was written before is lost"
	case errors.Is(err, syscall.EFBIG):
		e.Text = fmt.Sprintf("%s has become as large as a file may be here", path)
		e.hint = "check the limit (ulimit -f), or begin a new session"
	case refused(err):
		e.Text = fmt.Sprintf("the folder %s may not be written (%v)", filepath.Dir(path), cause(err))
	default:
		e.Text = fmt.Sprintf("%s cannot be written: %v", path, cause(err))
	}
	return e
}

// refused reports whether the file system denies writing for good.
func refused(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS)
}

// cause is err without the operation and the path that the system adds.
func cause(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}
