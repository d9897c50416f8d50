package session

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/daruma-dev/daruma/loop"
	"github.com/daruma-dev/daruma/message"
)

// said is a small session: a prompt, a reply with a call, its result, an end.
func said() []loop.Entry {
	return steps(
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
	)
}

// steps are results as a run would have recorded them.
func steps(results ...loop.Result) []loop.Entry {
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
func write(t testing.TB, state string, es ...loop.Entry) *Journal {
	t.Helper()
	j, err := Create(Options{StateDir: state, Dir: "/src/My Project", Model: "p/m", Program: "v0"})
	if err != nil {
		t.Fatal(err)
	}
	record(t, j, es...)
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	return j
}

func record(t testing.TB, j *Journal, es ...loop.Entry) {
	t.Helper()
	for _, e := range es {
		if err := j.Record(context.Background(), e); err != nil {
			t.Fatal(err)
		}
	}
}

// reopen opens and loads a journal, and closes it at the end of the test.
func reopen(t testing.TB, path string) (*Journal, loop.State) {
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

// entries reads every entry of a journal.
func entries(t testing.TB, path string) ([]loop.Entry, Contents) {
	t.Helper()
	var c Contents
	var es []loop.Entry
	for e, err := range Read(path, &c) {
		if err != nil {
			t.Fatal(err)
		}
		es = append(es, e)
	}
	return es, c
}

// contents is a file's bytes.
func contents(t testing.TB, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// linesOf is the lines of a journal, each with its line end.
func linesOf(t testing.TB, path string) [][]byte {
	t.Helper()
	ls := bytes.SplitAfter(contents(t, path), []byte("\n"))
	return ls[:len(ls)-1]
}

// journalOf puts bytes where a session could lie, and returns the path.
func journalOf(t testing.TB, pieces ...[]byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "01m8qtarq6ddk50krqgstkjvdh"+suffix)
	if err := os.WriteFile(path, bytes.Join(pieces, nil), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
