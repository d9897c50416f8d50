package session

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/daruma-dev/daruma/loop"
	"github.com/daruma-dev/daruma/message"
)

// work is the results of one run: a prompt and n calls that return so much
// text.
func work(run, n, size int) []loop.Result {
	text := strings.Repeat("\tfmt.Println(\"hello\")\n", size/22+1)
	rs := []loop.Result{loop.Received{Message: message.NewUser(fmt.Sprint("u", run), "fix it")}}
	for k := range n {
		id := fmt.Sprintf("t%d-%d", run, k)
		rs = append(rs,
			loop.Sampled{Model: "p/m", Reply: &message.Message{
				ID: "a" + id, Role: message.Assistant, Model: "p/m", Stop: message.StopTool, Usage: &message.Usage{Input: 4, Output: 4},
				Parts: message.Parts{message.Call{ID: id, Name: "read", Input: json.RawMessage(`{"path":"main.go"}`)}},
			}},
			loop.Vetted{Verdicts: []loop.Verdict{{CallID: id, Decision: loop.Allow, Safe: true}}},
			loop.Executed{ID: "r" + id, Results: []message.ToolResult{{CallID: id, Name: "read", Status: message.StatusOK, Text: text}}},
			loop.Attached{},
		)
	}
	return append(rs,
		loop.Sampled{Model: "p/m", Reply: &message.Message{
			ID: fmt.Sprint("a", run), Role: message.Assistant, Model: "p/m", Stop: message.StopEnd, Parts: message.Parts{message.Text{Text: "done"}},
		}},
		loop.Consulted{}, loop.Ended{Terminal: loop.Terminal{Reason: loop.Completed}},
	)
}

// worked is the journal of a session of so many runs.
func worked(tb testing.TB, state string, runs, calls, size int) *Journal {
	tb.Helper()
	j, err := Create(Options{StateDir: state, Dir: project})
	if err != nil {
		tb.Fatal(err)
	}
	for run := range runs {
		for _, r := range work(run, calls, size) {
			record(tb, j, loop.Entry{Result: r})
		}
	}
	if err := j.Close(); err != nil {
		tb.Fatal(err)
	}
	return j
}

// allocated is how many bytes f allocates.
func allocated(f func()) float64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return float64(after.TotalAlloc - before.TotalAlloc)
}

// A journal that is four times as long takes four times as much work to load.
func TestLoadIsLinear(t *testing.T) {
	load := func(runs int) float64 {
		path := worked(t, t.TempDir(), runs, 10, 30).Path()
		return allocated(func() {
			var c Contents
			if s, err := Fold(path, machine(), &c); err != nil || len(s.Messages) != runs*22 {
				t.Errorf("%d messages, %v", len(s.Messages), err)
			}
		})
	}
	if small, large := load(50), load(200); large > 5*small {
		t.Errorf("four times the entries take %.1f times the memory", large/small)
	}
}

// What is said is stored once: a session of many turns and compactions grows by
// what is new, and recording an entry costs the same late as early (B085).
func TestAJournalGrowsByWhatIsNew(t *testing.T) {
	j, err := Create(Options{StateDir: t.TempDir(), Dir: "/x"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = j.Close() }()
	m := machine()
	var s loop.State
	content := 0
	add := func(r loop.Result) {
		next := m.Apply(s, r)
		e := loop.NewEntry(s, next, r)
		b, err := message.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		content += len(b)
		record(t, j, e)
		s = next
	}
	for run := range 20 {
		for _, r := range work(run, 2, 5000) {
			add(r)
		}
		add(loop.Compacted{Summary: message.NewUser(fmt.Sprint("s", run), strings.Repeat("summary ", 100))})
	}
	st, err := os.Stat(j.Path())
	if err != nil {
		t.Fatal(err)
	}
	if per := (st.Size() - int64(content)) / j.seq; per > 150 {
		t.Errorf("an entry takes %d bytes besides its content", per)
	}
}

// A list reads a little of each journal, however long it is.
func TestInspectReadsLittle(t *testing.T) {
	small, large := worked(t, t.TempDir(), 10, 5, 3000), worked(t, t.TempDir(), 200, 5, 3000)
	of := func(j *Journal) float64 {
		return allocated(func() {
			if in, err := Inspect(j.Path()); err != nil || in.End != loop.Completed || in.Prompt != "fix it" {
				t.Errorf("%+v, %v", in, err)
			}
		})
	}
	of(small)
	if a, b := of(small), of(large); b > 1.5*a {
		t.Errorf("twenty times the length takes %.1f times the memory", b/a)
	}
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

func BenchmarkRecordSynced(b *testing.B) {
	j, err := Create(Options{StateDir: b.TempDir(), Dir: "/x"})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = j.Close() }()
	e := said()[1]
	e.Sync = true
	for b.Loop() {
		if err := j.Record(context.Background(), e); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkFold loads a session of 10 MB.
func BenchmarkFold(b *testing.B) {
	path := worked(b, b.TempDir(), 250, 10, 4000).Path()
	st, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(st.Size())
	b.ReportAllocs()
	for b.Loop() {
		var c Contents
		if _, err := Fold(path, machine(), &c); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkList lists 10,000 sessions of about 100 kB.
func BenchmarkList(b *testing.B) {
	state := b.TempDir()
	first := worked(b, state, 1, 20, 5000)
	text, err := os.ReadFile(first.Path())
	if err != nil {
		b.Fatal(err)
	}
	for i := range 9999 {
		name := fmt.Sprintf("%026d%s", i, suffix)
		if err := os.WriteFile(filepath.Join(filepath.Dir(first.Path()), name), text, 0o600); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("list", func(b *testing.B) {
		for b.Loop() {
			if infos, err := List(state, ""); err != nil || len(infos) != 10_000 {
				b.Fatal(len(infos), err)
			}
		}
	})
	b.Run("latest", func(b *testing.B) {
		for b.Loop() {
			if _, err := Latest(state, project); err != nil {
				b.Fatal(err)
			}
		}
	})
}
