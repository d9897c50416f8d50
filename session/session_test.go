package session

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/daruma-dev/daruma/loop"
	"github.com/daruma-dev/daruma/message"
)

// said is a small session: a prompt, a reply with a call, its result, an end.
func said() []loop.Entry {
	results := []loop.Result{
		loop.Received{Message: message.NewUser("u1", "look at a & b <now>")},
		loop.Sampled{Model: "p/m", Reply: &message.Message{
			ID: "a1", Role: message.Assistant, Model: "p/m", Stop: message.StopTool, Usage: &message.Usage{Input: 9, Output: 3},
			Parts: message.Parts{message.Call{ID: "t1", Name: "read", Input: json.RawMessage("{ \"path\":\n\"<a>\" }")}},
		}},
		loop.Vetted{Verdicts: []loop.Verdict{{CallID: "t1", Decision: loop.Allow, Safe: true}}},
		loop.Executed{ID: "r1", Results: []message.ToolResult{{CallID: "t1", Name: "read", Status: message.StatusOK, Text: "line\u2028\n\x1b[0m"}}},
		loop.Attached{},
		loop.Sampled{Model: "p/m", Reply: &message.Message{
			ID: "a2", Role: message.Assistant, Model: "p/m", Stop: message.StopEnd, Parts: message.Parts{message.Text{Text: "done"}},
		}},
		loop.Consulted{},
		loop.Ended{Terminal: loop.Terminal{Reason: loop.Completed}},
	}
	m := machine()
	var s loop.State
	var es []loop.Entry
	for i, r := range results {
		next := m.Apply(s, r)
		e := loop.NewEntry(s, next, r)
		e.Time = time.Unix(int64(1000+i), 0).UTC()
		es, s = append(es, e), next
	}
	return es
}

func machine() *loop.Machine { return &loop.Machine{Model: "p/m"} }

func fold(es ...loop.Entry) loop.State { return machine().Fold(loop.State{}, es...) }

// write makes a journal of entries and closes it.
func write(t *testing.T, state string, es ...loop.Entry) *Journal {
	t.Helper()
	j, err := Create(Options{StateDir: state, Dir: "/src/My Project", Model: "p/m"})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range es {
		if err := j.Record(context.Background(), e); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	return j
}

// reopen opens and loads a journal, and closes it at the end of the test.
func reopen(t *testing.T, path string) (*Journal, loop.State) {
	t.Helper()
	j, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = j.Close() })
	s, err := j.Load(machine())
	if err != nil {
		t.Fatal(err)
	}
	return j, s
}

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
	h := j2.Header()
	if h.Session != j.ID() || h.Dir != "/src/My Project" || h.Model != "p/m" || h.Version != Version {
		t.Errorf("header: %+v", h)
	}
	if err := j2.Record(context.Background(), es[0]); err != nil {
		t.Fatal(err)
	}
	var c Contents
	for _, err := range Read(j.Path(), &c) {
		if err != nil {
			t.Fatal(err)
		}
	}
	if c.Last != int64(len(es)+1) {
		t.Errorf("the entry after the resume has the number %d", c.Last)
	}
}

func TestOnlyTheOwnerMayRead(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state")
	j := write(t, state, said()[0])
	if b, err := j.Blob("../../x.txt"); err != nil || filepath.Dir(b.Path()) != strings.TrimSuffix(j.Path(), ".jsonl") {
		t.Fatalf("blob %v: %v", b, err)
	}
	err := filepath.WalkDir(state, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has the mode %v", path, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestNothingSaidLeavesNothing(t *testing.T) {
	state := t.TempDir()
	write(t, state)
	if left, _ := os.ReadDir(state); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// A process may die inside any write. Whatever the length that was written, the
// journal loads to what was whole, says so, and can be written on (B080).
func TestEveryTornEndLoads(t *testing.T) {
	es := said()
	j := write(t, t.TempDir(), es...)
	whole, err := os.ReadFile(j.Path())
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(whole, []byte("\n"))
	for cut := len(lines[0]); cut < len(whole); cut++ {
		if err := os.WriteFile(j.Path(), whole[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		n, at := 0, len(lines[0])
		for n < len(es) && at+len(lines[n+1])-1 <= cut { // an entry is whole without its line end
			at += len(lines[n+1])
			n++
		}
		torn := cut > at
		j2, err := Open(j.Path())
		if err != nil {
			t.Fatal(err)
		}
		s, err := j2.Load(machine())
		if err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		if d := loop.Diff(s, fold(es[:n]...)); d != "" {
			t.Fatalf("cut at %d: %s", cut, d)
		}
		if got := len(j2.Notices()) > 0; got != torn {
			t.Fatalf("cut at %d: torn %t, notices %q", cut, torn, j2.Notices())
		}
		more := loop.Entry{Result: loop.Received{Message: message.NewUser("u2", "again")}}
		if err := j2.Record(context.Background(), more); err != nil {
			t.Fatal(err)
		}
		if err := j2.Close(); err != nil {
			t.Fatal(err)
		}
		j3, s3 := reopen(t, j.Path())
		if d := loop.Diff(s3, machine().Fold(s, more)); d != "" || len(j3.Notices()) > 0 {
			t.Fatalf("cut at %d, after the repair: %s %q", cut, d, j3.Notices())
		}
		_ = j3.Close()
	}
}

// A damaged line in the middle costs that entry alone, and is told (B081).
func TestDamageInTheMiddle(t *testing.T) {
	es := said()
	for i := range es {
		j := write(t, t.TempDir(), es...)
		b, err := os.ReadFile(j.Path())
		if err != nil {
			t.Fatal(err)
		}
		lines := bytes.SplitAfter(b, []byte("\n"))
		lines[i+1][len(lines[i+1])/2] ^= 1
		if err := os.WriteFile(j.Path(), bytes.Join(lines, nil), 0o600); err != nil {
			t.Fatal(err)
		}
		var c Contents
		var left []loop.Entry
		for e, err := range Read(j.Path(), &c) {
			if err != nil {
				t.Fatal(err)
			}
			left = append(left, e)
		}
		if len(left) != len(es)-1 || c.Damaged != 1 {
			t.Errorf("line %d damaged: %d entries are left, %d counted", i, len(left), c.Damaged)
		}
		j2, s := reopen(t, j.Path())
		if len(j2.Notices()) != 1 {
			t.Errorf("notices: %q", j2.Notices())
		}
		next := machine().Apply(s, loop.Resumed{})
		next = machine().Apply(next, loop.Received{Message: message.NewUser("u9", "go on")})
		if sample, ok := machine().Next(next).(loop.Sample); ok {
			pairing(t, i, sample.Request.Messages)
		} else {
			t.Errorf("line %d damaged: the session cannot go on: %T", i, machine().Next(next))
		}
	}
}

// pairing checks that each call is answered in the next message.
func pairing(t *testing.T, line int, ms []*message.Message) {
	t.Helper()
	var open []message.Call
	for _, m := range ms {
		rs := m.Results()
		if len(rs) != len(open) {
			t.Errorf("line %d damaged: %d calls have %d results", line, len(open), len(rs))
		}
		open = m.Calls()
	}
	if len(open) > 0 {
		t.Errorf("line %d damaged: the last calls are not answered", line)
	}
}

func TestOneWriterAtATime(t *testing.T) {
	j := write(t, t.TempDir(), said()...)
	first, _ := reopen(t, j.Path())
	_, err := Open(j.Path())
	var e *Error
	if !errors.As(err, &e) || !strings.Contains(e.Hint(), "--fork") {
		t.Errorf("a second writer: %v", err)
	}
	if err := Remove(j.Path()); err == nil {
		t.Error("a session in use was removed")
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	reopen(t, j.Path())
}

func TestFork(t *testing.T) {
	state := t.TempDir()
	es := said()
	j := write(t, state, es...)
	original, _ := reopen(t, j.Path()) // in use meanwhile
	copied, err := Fork(j.Path(), Options{StateDir: state, Dir: "/src/My Project", Model: "p/m"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = copied.Close() }()
	s, err := copied.Load(machine())
	if err != nil {
		t.Fatal(err)
	}
	if d := loop.Diff(s, fold(es...)); d != "" {
		t.Error(d)
	}
	if copied.ID() == original.ID() || copied.Header().Parent != original.ID() {
		t.Errorf("header of the copy: %+v", copied.Header())
	}
}

func TestListFindLatest(t *testing.T) {
	state := t.TempDir()
	a := write(t, state, said()...)
	b := write(t, state, said()[0])
	older := time.Now().Add(-time.Hour)
	if err := os.Chtimes(a.Path(), older, older); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(filepath.Dir(a.Path()), "junk.jsonl"), []byte("junk\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	infos, err := List(state, "/src/My Project")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, in := range infos {
		got = append(got, fmt.Sprintf("%s %q %s", in.ID, in.Prompt, in.End))
	}
	want := []string{b.ID() + ` "look at a & b <now>" `, a.ID() + ` "look at a & b <now>" completed`}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("List: %q, want %q", got, want)
	}
	if other, _ := List(state, "/elsewhere"); len(other) > 0 {
		t.Errorf("sessions of another directory: %v", other)
	}
	if path, err := Latest(state, "/src/My Project"); err != nil || path != b.Path() {
		t.Errorf("Latest: %s, %v", path, err)
	}
	if path, err := Find(state, strings.ToUpper(a.ID())); err != nil || path != a.Path() {
		t.Errorf("Find: %s, %v", path, err)
	}
	for _, bad := range []string{a.ID()[:4], "", "*", "../x", "zzzz"} {
		var e *Error
		if _, err := Find(state, bad); !errors.As(err, &e) || e.Hint() == "" {
			t.Errorf("Find(%q): %v", bad, err)
		}
	}
	if err := Remove(a.Path()); err != nil {
		t.Error(err)
	}
	if _, err := Find(state, a.ID()); err == nil {
		t.Error("a removed session is still found")
	}
}

// broken is a file whose disk is full.
type broken struct {
	file
	left       int // bytes that still fit
	noTruncate bool
}

func (f *broken) Write(b []byte) (int, error) {
	if len(b) <= f.left {
		f.left -= len(b)
		return f.file.Write(b)
	}
	n, _ := f.file.Write(b[:f.left])
	f.left = 0
	return n, syscall.ENOSPC
}

func (f *broken) Truncate(size int64) error {
	if f.noTruncate {
		return io.ErrClosedPipe
	}
	return f.file.Truncate(size)
}

// A full disk is said in a sentence, harms nothing that was written, and is
// survived when there is room again.
func TestDiskFull(t *testing.T) {
	es := said()
	j := write(t, t.TempDir(), es[0])
	j2, _ := reopen(t, j.Path())
	real := j2.f
	j2.f = &broken{file: real, left: 30}
	err := j2.Record(context.Background(), es[1])
	var e *Error
	if !errors.As(err, &e) || !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("a full disk: %v", err)
	}
	j2.f = real
	if err := j2.Record(context.Background(), es[1]); err != nil {
		t.Fatal(err)
	}
	if err := j2.Close(); err != nil {
		t.Fatal(err)
	}
	j3, s := reopen(t, j.Path())
	if d := loop.Diff(s, fold(es[:2]...)); d != "" || len(j3.Notices()) > 0 {
		t.Errorf("%s %q", d, j3.Notices())
	}
	j3.f = &broken{file: j3.f, left: 30, noTruncate: true}
	if err := j3.Record(context.Background(), es[2]); err == nil {
		t.Error("no error")
	}
	if err := j3.Record(context.Background(), es[2]); err == nil {
		t.Error("something was written after a torn line that could not be taken back")
	}
}

func TestNewerVersionIsRefused(t *testing.T) {
	line, err := headerLine(Header{Daruma: "journal", Version: Version + 1, Session: "x"})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "x.jsonl")
	if err := os.WriteFile(path, line, 0o600); err != nil {
		t.Fatal(err)
	}
	j, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = j.Close() }()
	if _, err := j.Load(machine()); err == nil || !strings.Contains(err.Error(), "newer daruma") {
		t.Errorf("got %v", err)
	}
}

// Fixtures of every version must keep loading.
func TestFixtures(t *testing.T) {
	j, err := os.ReadFile("testdata/v1.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "v1.jsonl")
	if err := os.WriteFile(path, j, 0o600); err != nil {
		t.Fatal(err)
	}
	_, s := reopen(t, path)
	if d := loop.Diff(s, fold(said()...)); d != "" {
		t.Error(d)
	}
}

func TestStateDir(t *testing.T) {
	for _, tc := range []struct{ env, want string }{
		{"DARUMA_STATE_DIR=/d XDG_STATE_HOME=/x HOME=/h", "/d"},
		{"XDG_STATE_HOME=/x HOME=/h", "/x/daruma"},
		{"XDG_STATE_HOME=relative HOME=/h", "/h/.local/state/daruma"},
	} {
		get := func(name string) string {
			for _, kv := range strings.Fields(tc.env) {
				if k, v, _ := strings.Cut(kv, "="); k == name {
					return v
				}
			}
			return ""
		}
		if got, err := StateDir(get); err != nil || got != tc.want {
			t.Errorf("%s: %s, %v", tc.env, got, err)
		}
	}
}

func FuzzUnframe(f *testing.F) {
	f.Add(frame('e', []byte(`{"seq":1}`)))
	f.Add([]byte(`{"c":"00000000","e":}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		key, v, err := unframe(line)
		if err != nil {
			return
		}
		if again := frame(key, v); !bytes.Equal(bytes.TrimSuffix(again, []byte("\n")), line) {
			t.Errorf("%q was taken for %q", line, again)
		}
	})
}

func BenchmarkRecord(b *testing.B) {
	j, err := Create(Options{StateDir: b.TempDir(), Dir: "/x"})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = j.Close() }()
	e := said()[1]
	b.ReportAllocs()
	for b.Loop() {
		if err := j.Record(context.Background(), e); err != nil {
			b.Fatal(err)
		}
	}
}
