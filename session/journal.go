package session

import (
	"context"
	"crypto/rand"
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
	StateDir string           // see [StateDir]
	Dir      string           // working directory
	Model    string           // "provider/model"
	Program  string           // version of daruma; may be empty
	Parent   string           // id of the session it is a copy of
	Now      func() time.Time // nil means time.Now
}

// Journal is one session on disk, open for writing: no other process can write
// it meanwhile. It is safe for concurrent use.
type Journal struct {
	path   string
	header Header
	now    func() time.Time

	mu      sync.Mutex
	f       file // nil until the first entry of a new session, and after Close
	ready   bool // size and seq are known: it is new, or was loaded
	closed  bool
	size    int64 // bytes that count; what is behind them is the rest of a failed write
	dirty   bool  // there may be such a rest
	noEnd   bool  // the last line lacks its line end
	named   bool  // the file's name is on the disk
	most    int   // bytes a line may have
	seq     int64
	notices []string
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
	j, err := newJournal(o)
	if err != nil {
		return nil, err
	}
	j.ready = true
	return j, nil
}

// newJournal is a session with an id of its own.
func newJournal(o Options) (*Journal, error) {
	now := o.Now
	if now == nil {
		now = time.Now
	}
	state, err := filepath.Abs(o.StateDir)
	if err != nil {
		return nil, fmt.Errorf("session: find %s: %w", o.StateDir, err)
	}
	born := now()
	id, err := ulid.New(ulid.Timestamp(born), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("session: make an id: %w", err)
	}
	name := strings.ToLower(id.String())
	return &Journal{
		path: filepath.Join(projectDir(state, o.Dir), name+suffix), now: now, most: maxLine,
		header: Header{
			Daruma: "journal", Version: Version, Session: name, Dir: o.Dir, Created: born.UTC(),
			Model: o.Model, Program: o.Program, Parent: o.Parent,
		},
	}, nil
}

// Open takes up the session in the journal at path, which must be absolute.
// [Journal.Load] must be called before the first Record.
func Open(path string) (*Journal, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		return nil, openError(path, err)
	}
	if err := lock(f, idOf(path)); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &Journal{path: path, f: disk{f}, named: true, now: time.Now, most: maxLine}, nil
}

// How long a lock that is held is tried for: a tenth of a second.
const (
	lockTries = 5
	lockPause = 20 * time.Millisecond
)

// lock takes the journal for this process. A file system without locks, such as
// some network ones, is used without.
func lock(f *os.File, id string) error {
	err := filelock.Lock(f)
	for range lockTries { // a child of a process that has just been killed may not have let go yet
		if !errors.Is(err, filelock.ErrHeld) {
			return nil
		}
		time.Sleep(lockPause)
		err = filelock.Lock(f)
	}
	if !errors.Is(err, filelock.ErrHeld) {
		return nil
	}
	by := "another process"
	switch pid := filelock.Holder(f); pid {
	case 0:
	case os.Getpid():
		by = "this process"
	default:
		by = fmt.Sprintf("process %d", pid)
	}
	return &Error{
		Text: fmt.Sprintf("session %s is in use by %s", id, by),
		hint: "wait until it has ended, or go on in a copy with --fork", Err: err,
	}
}

// errUnready and errClosed are mistakes of the program.
var (
	errUnready = errors.New("session: the journal must be loaded before it is written")
	errClosed  = errors.New("session: the journal is closed")
)

// Record appends an entry; it fits loop.Deps.Record. When it fails, the journal
// is as it was before. See the package for what has reached the disk when it
// returns.
func (j *Journal) Record(_ context.Context, e loop.Entry) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if e.Time.IsZero() {
		e.Time = j.now().UTC()
	}
	e.Seq = j.seq + 1
	line, err := entryLine(e)
	switch {
	case j.closed:
		return errClosed
	case !j.ready:
		return errUnready
	case err != nil:
		return err
	case len(line) > j.most:
		return &Error{
			Text: fmt.Sprintf("an entry of %d MB is too large to keep", len(line)>>20),
			hint: "send fewer or smaller files at once",
		}
	}
	if err := j.create(); err != nil {
		return err
	}
	if err := j.append(line, e.Sync); err != nil {
		return err
	}
	j.seq = e.Seq
	return nil
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

// Close ends the writing and releases the session. A journal without a single
// entry leaves no file. A second call does nothing.
func (j *Journal) Close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.closed = true
	switch {
	case j.f == nil:
		return nil
	case j.ready && j.size == 0:
		return j.remove()
	}
	f := j.f
	j.f = nil
	if err := f.Close(); err != nil {
		return fmt.Errorf("session: close %s: %w", j.ID(), err)
	}
	return nil
}
