package session

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/daruma-dev/daruma/loop"
	"github.com/daruma-dev/daruma/message"
)

func TestFork(t *testing.T) {
	state := t.TempDir()
	es := said()
	original, _ := reopen(t, write(t, state, es...).Path()) // in use meanwhile
	before := contents(t, original.Path())
	j, err := Fork(original.Path(), Options{StateDir: state, Dir: "/elsewhere", Model: "p/other"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = j.Close() }()
	s, err := j.Load(machine())
	if err != nil {
		t.Fatal(err)
	}
	if d := loop.Diff(s, fold(es...)); d != "" {
		t.Error(d)
	}
	h := j.Header()
	h.Created = original.Header().Created
	want := Header{
		Daruma: "journal", Version: Version, Session: j.ID(), Dir: "/elsewhere", Created: h.Created, Model: "p/other", Parent: original.ID(),
	}
	if diff := cmp.Diff(want, h); diff != "" || j.ID() == original.ID() {
		t.Errorf("header of the copy: %s", diff)
	}
	// Each goes its own way.
	record(t, j, loop.Entry{Result: loop.Received{Message: message.NewUser("x", "there")}})
	if !bytes.Equal(contents(t, original.Path()), before) {
		t.Error("the original was changed")
	}
	record(t, original, loop.Entry{Result: loop.Received{Message: message.NewUser("y", "here")}})
	got, c := entries(t, j.Path())
	if len(got) != len(es)+1 || c.Missing > 0 || got[len(es)].Result.(loop.Received).Message.ID != "x" {
		t.Errorf("the copy: %+v", c)
	}
	if left, err := filepath.Glob(filepath.Join(filepath.Dir(j.Path()), "*")); err != nil || len(left) != 1 {
		t.Errorf("left: %v", left)
	}
}

// A copy takes what is whole, and what is damaged is told of it as of the
// original.
func TestForkOfWhatIsDamaged(t *testing.T) {
	es := said()
	ls := linesOf(t, write(t, t.TempDir(), es...).Path())
	all := bytes.Join(ls, nil)
	for _, tc := range []struct {
		name    string
		journal []byte
		entries int
		notices int
	}{
		{"torn", append(bytes.Clone(all), ls[1][:40]...), 8, 0},
		{"no line end", all[:len(all)-1], 8, 0},
		{"a damaged line", bytes.Replace(all, []byte("done"), []byte("gone"), 1), 7, 1},
		{"a damaged header", append([]byte("{\"x\":\n"), bytes.Join(ls[1:], nil)...), 8, 0},
		{"no header", bytes.Join(ls[1:], nil), 8, 0},
		{"a header alone", ls[0], 0, 0},
		{"nothing", nil, 0, 0},
	} {
		j, err := Fork(journalOf(t, tc.journal), Options{StateDir: t.TempDir(), Dir: "/x"})
		if err != nil {
			t.Fatalf("%s: %v", tc.name, err)
		}
		if _, err := j.Load(machine()); err != nil {
			t.Errorf("%s: %v", tc.name, err)
		}
		record(t, j, es[0])
		got, c := entries(t, j.Path())
		if len(got) != tc.entries+1 || len(j.Notices()) != tc.notices || c.Headless || c.Header.Dir != "/x" {
			t.Errorf("%s: %d entries, notices %q, %+v", tc.name, len(got), j.Notices(), c)
		}
		_ = j.Close()
	}
}

func TestForkThatFails(t *testing.T) {
	state := t.TempDir()
	newer := journalOf(t, frame('h', []byte(`{"daruma":"journal","version":2}`)))
	for _, path := range []string{newer, filepath.Join(state, "gone.jsonl"), t.TempDir()} {
		var e *Error
		if _, err := Fork(path, Options{StateDir: state, Dir: "/x"}); !errors.As(err, &e) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(sessionsDir(state), "*", "*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	if _, err := os.Stat(newer); err != nil {
		t.Error(err)
	}
}
