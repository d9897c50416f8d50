package session

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/daruma-dev/daruma/loop"
	"github.com/daruma-dev/daruma/message"
)

func TestRoundTrip(t *testing.T) {
	es := said()
	j := write(t, t.TempDir(), es...)
	j2, s := reopen(t, j.Path())
	if d := loop.Diff(s, fold(es...)); d != "" {
		t.Errorf("the loaded state differs: %s", d)
	}
	if len(j2.Notices()) > 0 {
		t.Errorf("notices: %q", j2.Notices())
	}
	if diff := cmp.Diff(j.Header(), j2.Header()); diff != "" {
		t.Errorf("the header differs: %s", diff)
	}
	record(t, j2, es[0])
	if _, c := entries(t, j.Path()); c.Last != int64(len(es)+1) || c.Entries != len(es)+1 || c.Missing != 0 {
		t.Errorf("after a resume: %+v", c)
	}
}

func TestCreateDescribesTheSession(t *testing.T) {
	now := time.Date(2026, 12, 1, 4, 5, 6, 0, time.FixedZone("", 3600))
	j, err := Create(Options{
		StateDir: t.TempDir(), Dir: "/src/x", Model: "p/m", Program: "v0.1.0", Parent: "01abc", Now: func() time.Time { return now },
	})
	if err != nil {
		t.Fatal(err)
	}
	want := Header{
		Daruma: "journal", Version: 1, Session: j.ID(), Dir: "/src/x", Created: now.UTC(), Model: "p/m", Program: "v0.1.0", Parent: "01abc",
	}
	if diff := cmp.Diff(want, j.Header()); diff != "" {
		t.Error(diff)
	}
	if id := j.ID(); len(id) != 26 || id != strings.ToLower(id) || !guess(id).Created.Equal(now) {
		t.Errorf("the id %s is no ULID of that time in lower case", id)
	}
	if want := strings.TrimSuffix(j.Path(), ".jsonl"); j.Folder() != want || filepath.Base(want) != j.ID() {
		t.Errorf("Path %s, Folder %s", j.Path(), j.Folder())
	}
}

// An entry without a time gets the time of its writing; one that has it keeps
// it.
func TestEntriesHaveATime(t *testing.T) {
	now := time.Unix(500, 0)
	j, err := Create(Options{StateDir: t.TempDir(), Dir: "/x", Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = j.Close() }()
	record(t, j, loop.Entry{Result: loop.Waited{}}, loop.Entry{Result: loop.Waited{}, Time: time.Unix(7, 0).UTC()})
	es, _ := entries(t, j.Path())
	if !es[0].Time.Equal(now) || !es[1].Time.Equal(time.Unix(7, 0)) {
		t.Errorf("times %v and %v", es[0].Time, es[1].Time)
	}
}

func TestOnlyTheOwnerMayRead(t *testing.T) {
	state := filepath.Join(t.TempDir(), "a", "state")
	j := write(t, state, said()[0])
	b, err := j.Blob("x.txt")
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := Fork(j.Path(), Options{StateDir: state, Dir: "/elsewhere"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	n := 0
	err = filepath.WalkDir(state, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		want := os.FileMode(0o600)
		if d.IsDir() {
			want = 0o700
		}
		if n++; err == nil && info.Mode().Perm() != want {
			t.Errorf("%s has the mode %v", path, info.Mode())
		}
		return err
	})
	if err != nil || n != 8 { // state, sessions, two projects, two journals, a folder, a blob
		t.Errorf("%d files and folders, %v", n, err)
	}
}

func TestNothingSaidLeavesNothing(t *testing.T) {
	state := t.TempDir()
	j := write(t, state)
	if s, err := j.Load(machine()); err == nil {
		t.Errorf("a closed journal was loaded: %v", s)
	}
	if left, _ := os.ReadDir(state); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	j, err := Create(Options{StateDir: state, Dir: "/x"})
	if err != nil {
		t.Fatal(err)
	}
	if s, err := j.Load(machine()); err != nil || loop.Diff(s, loop.State{}) != "" {
		t.Errorf("a new session: %v, %v", s, err)
	}
	record(t, j, said()[0])
	if _, err := os.Stat(j.Path()); err != nil {
		t.Error("a session in which something was said is not kept")
	}
	_ = j.Close()
}

// What a program does wrong with a journal is refused and harms nothing.
func TestMisuse(t *testing.T) {
	j := write(t, t.TempDir(), said()...)
	before := contents(t, j.Path())
	e := said()[0]
	if err := j.Record(context.Background(), e); !errors.Is(err, errClosed) {
		t.Errorf("Record after Close: %v", err)
	}
	if err := j.Close(); err != nil {
		t.Errorf("a second Close: %v", err)
	}
	j2, err := Open(j.Path())
	if err != nil {
		t.Fatal(err)
	}
	if err := j2.Record(context.Background(), e); !errors.Is(err, errUnready) {
		t.Errorf("Record before Load: %v", err)
	}
	if err := j2.Close(); err != nil {
		t.Error(err)
	}
	if after := contents(t, j.Path()); string(after) != string(before) {
		t.Error("the journal was changed")
	}
	var es *Error
	if _, err := Open(filepath.Join(t.TempDir(), "gone.jsonl")); !errors.As(err, &es) || !errors.Is(err, os.ErrNotExist) || es.Hint() == "" {
		t.Errorf("Open of what is not there: %v", err)
	}
}

// An entry that could not be loaded is not written.
func TestTooLargeAnEntryIsRefused(t *testing.T) {
	j, err := Create(Options{StateDir: t.TempDir(), Dir: "/x"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = j.Close() }()
	j.most = 3 << 20
	record(t, j, said()[0])
	var e *Error
	err = j.Record(context.Background(), loop.Entry{Result: loop.Received{Message: message.NewUser("u", strings.Repeat("x", j.most))}})
	if !errors.As(err, &e) || e.Error() != "an entry of 3 MB is too large to keep" {
		t.Errorf("got %v", err)
	}
	record(t, j, said()[1])
	if _, c := entries(t, j.Path()); c.Entries != 2 || c.Missing > 0 {
		t.Errorf("%+v", c)
	}
}

func TestOneWriterAtATime(t *testing.T) {
	state := t.TempDir()
	j, err := Create(Options{StateDir: state, Dir: "/x"})
	if err != nil {
		t.Fatal(err)
	}
	record(t, j, said()...)
	for range 2 { // while its first writer has it, and while a second one has
		_, err := Open(j.Path())
		var e *Error
		if !errors.As(err, &e) || !strings.Contains(err.Error(), "is in use by ") || !strings.Contains(e.Hint(), "--fork") {
			t.Errorf("a second writer: %v", err)
		}
		if err := Remove(j.Path()); err == nil {
			t.Error("a session in use was removed")
		}
		if _, c := entries(t, j.Path()); c.Entries != len(said()) {
			t.Error("a session in use cannot be read")
		}
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
		j, _ = reopen(t, j.Path())
	}
}

func TestBlobs(t *testing.T) {
	j := write(t, t.TempDir(), said()[0])
	var got []string
	names := []string{"a.txt", "a.txt", "a.txt", "../../x", "", "..", ".hidden", "CON:\x00/é", strings.Repeat("x", 300) + ".png"}
	for i, name := range names {
		b, err := j.Blob(name)
		if err != nil {
			t.Fatalf("%q: %v", name, err)
		}
		if _, err := b.Write([]byte{byte(i)}); err != nil {
			t.Fatal(err)
		}
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
		if c := contents(t, b.Path()); string(c) != string([]byte{byte(i)}) || !filepath.IsAbs(b.Path()) || filepath.Dir(b.Path()) != j.Folder() {
			t.Errorf("%q lies at %s and holds %q", name, b.Path(), c)
		}
		got = append(got, filepath.Base(b.Path()))
	}
	want := []string{"a.txt", "a-2.txt", "a-3.txt", "_.._x", "blob", "blob-2", "hidden", "CON____", strings.Repeat("x", 96) + ".png"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
