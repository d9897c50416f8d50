package session

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/daruma-dev/daruma/loop"
)

// faulty is a disk that fails.
type faulty struct {
	file
	left       int   // bytes that still fit; negative means all
	write      error // what a write says that does not fit
	sync       error
	truncation error
}

func (f *faulty) Write(b []byte) (int, error) {
	if f.left < 0 || len(b) <= f.left {
		return f.file.Write(b)
	}
	n, _ := f.file.Write(b[:f.left])
	f.left = 0
	return n, f.write
}

func (f *faulty) Sync() error { return errors.Join(f.sync, f.file.Sync()) }

func (f *faulty) Truncate(size int64) error {
	if f.truncation != nil {
		return f.truncation
	}
	return f.file.Truncate(size)
}

// Whatever fails, and wherever in a line, the entry is not in the journal, what
// was there before still is, and the journal goes on when the disk does.
func TestFailedWritesAreTakenBack(t *testing.T) {
	es := said()
	length := len(linesOf(t, write(t, t.TempDir(), es...).Path())[3])
	for _, tc := range []struct {
		name  string
		fault faulty
		torn  bool // the failed write shows until the next one
	}{
		{"nothing fits", faulty{left: 0, write: syscall.ENOSPC}, false},
		{"a byte fits", faulty{left: 1, write: syscall.ENOSPC}, false},
		{"all but the line end fits", faulty{left: length - 1, write: syscall.EDQUOT}, false},
		{"what was written cannot be taken back", faulty{left: 30, write: syscall.EIO, truncation: io.ErrClosedPipe}, true},
		{"the sync fails", faulty{left: -1, sync: syscall.EIO}, false},
	} {
		j := write(t, t.TempDir(), es[:2]...)
		before := contents(t, j.Path())
		j, _ = reopen(t, j.Path())
		whole := j.f
		tc.fault.file = whole
		j.f = &tc.fault
		bad := es[2]
		bad.Sync = true
		for range 2 {
			if err := j.Record(context.Background(), bad); err == nil {
				t.Fatalf("%s: no error", tc.name)
			}
		}
		if after := contents(t, j.Path()); bytes.Equal(before, after) == tc.torn || !bytes.HasPrefix(after, before) {
			t.Errorf("%s: the journal holds\n%s", tc.name, after)
		}
		j.f = whole
		record(t, j, es[2:]...)
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
		j, s := reopen(t, j.Path())
		if d := loop.Diff(s, fold(es...)); d != "" || len(j.Notices()) > 0 {
			t.Errorf("%s: %s %q", tc.name, d, j.Notices())
		}
	}
}

// A session whose first entry could not be written leaves nothing, and can
// still begin.
func TestAFullDiskAtTheBeginning(t *testing.T) {
	state := t.TempDir()
	for _, later := range []bool{false, true} {
		j, err := Create(Options{StateDir: state, Dir: "/x"})
		if err != nil {
			t.Fatal(err)
		}
		if err := j.create(); err != nil {
			t.Fatal(err)
		}
		whole := j.f
		j.f = &faulty{file: whole, left: 50, write: syscall.ENOSPC}
		if err := j.Record(context.Background(), said()[0]); err == nil {
			t.Fatal("no error")
		}
		if later {
			j.f = whole
			record(t, j, said()...)
		}
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
		_, err = os.Stat(j.Path())
		if later != (err == nil) {
			t.Errorf("entries %t, file: %v", later, err)
		}
		if later {
			if _, s := reopen(t, j.Path()); loop.Diff(s, fold(said()...)) != "" {
				t.Error("the session that began late differs")
			}
		}
	}
}

// An entry that something depends on is on the disk before Record returns, and
// others do not wait for it.
func TestSyncWhereAskedFor(t *testing.T) {
	j, _ := reopen(t, write(t, t.TempDir(), said()[0]).Path())
	count := &syncs{file: j.f}
	j.f = count
	for i, want := range []int{0, 1, 1, 2} {
		record(t, j, loop.Entry{Result: loop.Waited{}, Sync: i%2 == 1})
		if count.n != want {
			t.Errorf("after entry %d: %d syncs, want %d", i, count.n, want)
		}
	}
}

type syncs struct {
	file
	n int
}

func (s *syncs) Sync() error {
	s.n++
	return s.file.Sync()
}

func TestErrorsAreSentences(t *testing.T) {
	path := "/s/p/id.jsonl"
	wrap := func(err error) error { return &fs.PathError{Op: "open", Path: path, Err: err} }
	for _, tc := range []struct {
		err        error
		text, hint string
	}{
		{writeError(path, wrap(syscall.ENOSPC)), "the disk is full: /s/p/id.jsonl cannot be written", "make room"},
		{writeError(path, wrap(syscall.EDQUOT)), "your disk quota is used up: /s/p/id.jsonl cannot be written", "make room"},
		{writeError(path, wrap(syscall.EFBIG)), "/s/p/id.jsonl has become as large as a file may be here", "ulimit"},
		{writeError(path, wrap(syscall.EROFS)), "the folder /s/p may not be written (read-only file system)", "DARUMA_STATE_DIR"},
		{writeError(path, wrap(syscall.EACCES)), "the folder /s/p may not be written (permission denied)", "DARUMA_STATE_DIR"},
		{writeError(path, wrap(syscall.EIO)), "/s/p/id.jsonl cannot be written: input/output error", "DARUMA_STATE_DIR"},
		{openError(path, wrap(syscall.ENOENT)), "there is no session id", "daruma sessions list"},
		{openError(path, wrap(syscall.EACCES)), "session id may not be written (permission denied)", "--fork"},
	} {
		var e *Error
		if !errors.As(tc.err, &e) || e.Error() != tc.text || !strings.Contains(e.Hint(), tc.hint) {
			t.Errorf("got %q, hint %q\nwant %q, …%s…", tc.err, e.Hint(), tc.text, tc.hint)
		}
		if errors.Unwrap(tc.err) == nil {
			t.Errorf("%v has no cause", tc.err)
		}
	}
}
