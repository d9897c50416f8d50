package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/daruma-dev/daruma/internal/filelock"
	"github.com/daruma-dev/daruma/loop"
)

// Options say where a new journal belongs.
type Options struct {
	StateDir string
	Dir      string // working directory, absolute
	Model    string
	Parent   string           // id of the session it is a copy of
	Now      func() time.Time // nil means time.Now
}

// Journal is one session on disk, open for writing: no other process can write
// it meanwhile. It is safe for concurrent use.
type Journal struct {
	path   string
	header Header

	mu      sync.Mutex
	f       file // nil until the first entry of a new session
	size    int64
	seq     int64
	broken  error // a write that could not be undone; nothing may follow it
	notices []string
	blobs   int
}

// file is what a journal needs of an *os.File. Tests put failing ones in its
// place.
type file interface {
	Write(b []byte) (int, error)
	Truncate(size int64) error
	Sync() error
	Close() error
}

// Create begins a session. Nothing is on disk before its first entry.
func Create(o Options) (*Journal, error) {
	now := time.Now
	if o.Now != nil {
		now = o.Now
	}
	id := strings.ToLower(ulid.Make().String())
	return &Journal{
		path: filepath.Join(projectDir(o.StateDir, o.Dir), id+suffix),
		header: Header{
			Daruma: "journal", Version: Version, Session: id, Dir: o.Dir, Created: now().UTC(),
			Model: o.Model, Parent: o.Parent,
		},
	}, nil
}

// Open takes up the session in the journal at path. [Journal.Load] must be
// called before the first Record.
func Open(path string) (*Journal, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		return nil, openError(idOf(path), err)
	}
	j := &Journal{path: path, f: f}
	if err := lock(f, idOf(path)); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return j, nil
}

func openError(id string, err error) error {
	switch {
	case errors.Is(err, os.ErrNotExist):
		return &Error{Text: fmt.Sprintf("there is no session %s", id), hint: "daruma sessions list shows those there are", Err: err}
	case errors.Is(err, os.ErrPermission):
		return &Error{Text: fmt.Sprintf("the session %s may not be written", id), hint: "check the owner and the permissions of the state directory", Err: err}
	default:
		return fmt.Errorf("session: open %s: %w", id, err)
	}
}

// lock takes the journal for this process. A file system without locks, such as
// some network ones, is used without.
func lock(f *os.File, id string) error {
	if err := filelock.Lock(f); errors.Is(err, filelock.ErrHeld) {
		return &Error{
			Text: fmt.Sprintf("session %s is in use by another daruma", id),
			hint: "wait until it has ended, or go on in a copy with --fork", Err: err,
		}
	}
	return nil
}

// Record appends an entry; it fits loop.Deps.Record. When it fails, the journal
// is as it was before. See the package for what has reached the disk when it
// returns.
func (j *Journal) Record(_ context.Context, e loop.Entry) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.broken != nil {
		return j.broken
	}
	if err := j.begin(); err != nil {
		return err
	}
	e.Seq = j.seq + 1
	line, err := entryLine(e)
	if err != nil {
		return err
	}
	if err := j.append(line); err != nil {
		return err
	}
	j.seq = e.Seq
	if e.Sync {
		if err := j.f.Sync(); err != nil {
			return fmt.Errorf("session: sync the journal: %w", err)
		}
	}
	return nil
}

// begin makes the file of a new session.
func (j *Journal) begin() error {
	if j.f != nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(j.path), 0o700); err != nil {
		return writeError(err)
	}
	f, err := os.OpenFile(j.path, os.O_CREATE|os.O_EXCL|os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		return writeError(err)
	}
	if err := lock(f, j.ID()); err != nil {
		return errors.Join(err, f.Close())
	}
	line, err := headerLine(j.header)
	if err == nil {
		j.f = f
		err = j.append(line)
	}
	if err != nil {
		j.f = nil
		return errors.Join(err, f.Close(), os.Remove(j.path))
	}
	return nil
}

// append writes one line with one write. A line that was written in part is
// taken back.
func (j *Journal) append(line []byte) error {
	n, err := j.f.Write(line)
	if err == nil {
		j.size += int64(n)
		return nil
	}
	err = writeError(err)
	if n > 0 {
		if back := j.f.Truncate(j.size); back != nil {
			j.broken = errors.Join(err, back)
		}
	}
	return err
}

func writeError(err error) error {
	return &Error{
		Text: fmt.Sprintf("the session cannot be written: %v", err),
		hint: "check the room and the permissions of the state directory, or set DARUMA_STATE_DIR", Err: err,
	}
}

// ID is the session's id.
func (j *Journal) ID() string { return idOf(j.path) }

// Path is the journal's file, which may not exist yet.
func (j *Journal) Path() string { return j.path }

// Folder is where the session's paged-out texts lie; it may not exist yet.
func (j *Journal) Folder() string { return folder(j.path) }

// Header is what the journal says about its session. That of an opened journal
// is known after Load.
func (j *Journal) Header() Header { return j.header }

// Notices are what the user should be told after Load.
func (j *Journal) Notices() []string { return j.notices }

// Close ends the writing and releases the session.
func (j *Journal) Close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.f == nil {
		return nil
	}
	f := j.f
	j.f, j.broken = nil, errors.New("session: the journal is closed")
	return f.Close()
}
