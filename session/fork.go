package session

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/daruma-dev/daruma/internal/regular"
)

// Fork copies the journal at path into a new session, which it returns open.
// Like an opened one it must be loaded. Paged-out texts are not copied: the
// copy refers to those of the original, and loses them when the original is
// removed. The original may be in use meanwhile.
func Fork(path string, o Options) (*Journal, error) {
	from, _, err := regular.Open(path)
	if err != nil {
		return nil, openError(path, err)
	}
	defer func() { _ = from.Close() }()
	o.Parent = idOf(path)
	j, err := newJournal(o)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(j.path), 0o700); err != nil {
		return nil, writeError(j.path, err)
	}
	// Under another name until it is whole, so that a copy cut short is never
	// taken for a session.
	part := j.path + ".part"
	to, err := os.OpenFile(part, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, writeError(j.path, err)
	}
	err = errors.Join(j.copy(to, newLines(from)), to.Close())
	if err == nil {
		err = os.Rename(part, j.path)
	}
	if err != nil {
		return nil, errors.Join(err, os.Remove(part))
	}
	return Open(j.path)
}

// copy writes a header of its own, and every whole line of another journal but
// the header. The lines stay as they are, with their checksums.
func (j *Journal) copy(to io.Writer, from *lines) error {
	h, err := headerLine(j.header)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(to, 256<<10) // it keeps the first error for Flush
	_, _ = w.Write(h)
	for first := true; ; first = false {
		l, err := from.next()
		switch {
		case errors.Is(err, io.EOF):
			if err := w.Flush(); err != nil {
				return writeError(j.path, err)
			}
			return nil
		case err != nil:
			return fmt.Errorf("session: read %s: %w", j.header.Parent, err)
		}
		keep, err := worthCopying(l, first)
		if err != nil {
			return err
		}
		if keep {
			_, _ = w.Write(l.text)
			_ = w.WriteByte('\n')
		}
	}
}

// worthCopying is false for a header, which is checked, and for a torn line.
func worthCopying(l line, first bool) (bool, error) {
	key, _, ok := unframe(l.text)
	switch {
	case ok && key == 'h':
		_, err := parseHeader(l.text)
		return false, err
	case !ok && first:
		return false, nil // a header too, once
	default:
		return ok || l.ended && l.text != nil, nil
	}
}
