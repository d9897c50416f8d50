package session

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/daruma-dev/daruma/loop"
	"github.com/daruma-dev/daruma/message"
)

// A process may die inside any write. Whatever the length that was written, the
// journal loads to what was whole, says so, and can be written on (B080).
func TestEveryTornEndLoads(t *testing.T) {
	es := said()
	whole := contents(t, write(t, t.TempDir(), es...).Path())
	ls := bytes.SplitAfter(whole, []byte("\n"))
	more := loop.Entry{Result: loop.Received{Message: message.NewUser("u2", "again")}}
	for cut := range len(whole) {
		path := journalOf(t, whole[:cut])
		n, at := -1, 0 // entries that are whole, and where they end; a line is whole without its line end
		for n < len(es) && at+len(ls[n+1])-1 <= cut {
			at += len(ls[n+1])
			n++
		}
		j, s := reopen(t, path)
		if d := loop.Diff(s, fold(es[:max(n, 0)]...)); d != "" {
			t.Fatalf("cut at %d: %s", cut, d)
		}
		if torn := cut > at; torn != (len(j.Notices()) == 1) || len(j.Notices()) > 1 {
			t.Fatalf("cut at %d: torn %t, notices %q", cut, torn, j.Notices())
		}
		if !bytes.Equal(contents(t, path), whole[:cut]) {
			t.Fatalf("cut at %d: loading changed the journal", cut)
		}
		record(t, j, more)
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
		j, s2 := reopen(t, path)
		if d := loop.Diff(s2, machine().Fold(s, more)); d != "" || len(j.Notices()) > 0 {
			t.Fatalf("cut at %d, after the repair: %s %q", cut, d, j.Notices())
		}
		if h := j.Header(); h.Session != "01m8qtarq6ddk50krqgstkjvdh" && n < 0 || h.Created.IsZero() {
			t.Fatalf("cut at %d: %+v", cut, h)
		}
		_ = j.Close()
	}
}

// A bit that flips costs one entry at most: two where it joins two lines.
func TestEveryFlippedByteCostsOneEntry(t *testing.T) {
	es := said()
	whole := contents(t, write(t, t.TempDir(), es...).Path())
	for i := range whole {
		bad := slices.Clone(whole)
		bad[i] ^= 1 << (i % 8)
		if bytes.Contains(bad, []byte(`"version":1`)) != bytes.Contains(whole, []byte(`"version":1`)) {
			continue // then the checksum is wrong too, which other bits show
		}
		got, c := entries(t, journalOf(t, bad))
		lost := len(es) - len(got)
		most := 1
		if whole[i] == '\n' {
			most = 2
		}
		if lost > most || lost == 0 && !c.Headless && i < len(whole)-1 {
			t.Fatalf("byte %d flipped: %d entries lost, %+v", i, lost, c)
		}
		if lost > 0 && i < bytes.LastIndexByte(whole[:len(whole)-1], '\n') && c.Missing != lost {
			t.Fatalf("byte %d flipped: %d entries lost, %d known to be", i, lost, c.Missing)
		}
	}
}

// conversation is three runs, one with a call that began while its reply was
// streaming, and each with something typed.
func conversation() []loop.Entry {
	user := func(id string) loop.Result { return loop.Received{Message: message.NewUser(id, "prompt "+id)} }
	reply := func(id string, stop message.StopReason, parts ...message.Part) loop.Result {
		return loop.Sampled{Model: "p/m", Reply: &message.Message{
			ID: id, Role: message.Assistant, Model: "p/m", Stop: stop, Usage: &message.Usage{Output: 1},
			Parts: append(message.Parts{message.Text{Text: "reply " + id}}, parts...),
		}}
	}
	call := func(id string) message.Part { return message.Call{ID: id, Name: "write", Input: []byte(`{}`)} }
	result := func(id string) message.ToolResult {
		return message.ToolResult{CallID: id, Name: "write", Status: message.StatusOK, Text: "result of " + id}
	}
	allow := func(id string) loop.Result {
		return loop.Vetted{Verdicts: []loop.Verdict{{CallID: id, Decision: loop.Allow}}}
	}
	end := loop.Ended{Terminal: loop.Terminal{Reason: loop.Completed}}
	return steps(
		user("u1"), reply("a1", message.StopTool, call("t1")), allow("t1"),
		loop.Executed{ID: "r1", Results: []message.ToolResult{result("t1")}}, loop.Attached{},
		reply("a2", message.StopEnd), loop.Consulted{}, end,
		user("u2"), loop.Began{ID: "a3", Model: "p/m", Parts: message.Parts{message.Text{Text: "reply a3"}, call("t2")}, CallID: "t2"},
		loop.Finished{Result: result("t2")}, loop.Sampled{Model: "p/m", Reply: &message.Message{
			ID: "a3", Role: message.Assistant, Model: "p/m", Stop: message.StopTool, Parts: message.Parts{call("t3")},
		}}, allow("t3"),
		loop.Executed{ID: "r3", Results: []message.ToolResult{result("t3")}}, user("typed"), loop.Attached{},
		reply("a4", message.StopEnd), loop.Consulted{Objection: "objection"},
		reply("a5", message.StopEnd), loop.Consulted{}, end,
		user("u3"), reply("a6", message.StopTool, call("t4")), allow("t4"), loop.Resumed{},
		user("u4"), reply("a7", message.StopEnd), loop.Consulted{}, end,
	)
}

// sends is what the next request would hold, a word for each part, when the
// user says one thing more.
func sends(t *testing.T, s loop.State) []string {
	t.Helper()
	m := machine()
	s = m.Apply(m.Apply(s, loop.Resumed{}), loop.Received{Message: message.NewUser("last", "prompt last")})
	sample, ok := m.Next(s).(loop.Sample)
	if !ok {
		t.Fatalf("the session cannot go on: %T", m.Next(s))
	}
	var words []string
	var open []message.Call
	for _, msg := range loop.Normalise(sample.Request.Messages, "p/m") {
		if rs := msg.Results(); len(rs) != len(open) {
			t.Fatalf("%d calls have %d results", len(open), len(rs))
		}
		for i, p := range msg.Parts {
			switch p := p.(type) {
			case message.Text:
				words = append(words, p.Text)
			case message.Call:
				words = append(words, p.ID)
			case message.ToolResult:
				if p.CallID != open[i].ID {
					t.Fatalf("the result of %s stands where that of %s belongs", p.CallID, open[i].ID)
				}
				words = append(words, p.Text)
			}
		}
		open = msg.Calls()
	}
	if len(open) > 0 {
		t.Fatal("the last calls have no results")
	}
	return words
}

// A line in the middle that is lost costs that entry, and no more: what the
// user said stays where it was said, calls and results stay paired, and the
// session goes on. It is counted and told (B081, and B001 afterwards).
func TestEveryLostLine(t *testing.T) {
	es := conversation()
	ls := linesOf(t, write(t, t.TempDir(), es...).Path())
	junk := map[string][]byte{
		"damaged": []byte("{\"x\":\n"), "deleted": nil, "zeros": []byte(strings.Repeat("\x00", 50) + "\n"),
		"latin": []byte("caf\xe9\n"), "not ours": []byte(`{"seq":4,"kind":"ended"}` + "\n"),
	}
	for how, text := range junk {
		for i, lost := range es {
			path := journalOf(t, bytes.Join(ls[:i+1], nil), text, bytes.Join(ls[i+2:], nil))
			j, s := reopen(t, path)
			said := sends(t, s)
			var prompts, want []string
			for _, w := range said {
				if p, ok := strings.CutPrefix(w, "prompt "); ok {
					prompts = append(prompts, p)
				}
			}
			for _, p := range []string{"u1", "u2", "typed", "u3", "u4", "last"} {
				if r, ok := lost.Result.(loop.Received); !ok || r.Message.ID != p {
					want = append(want, p)
				}
			}
			name := fmt.Sprintf("entry %d (%s) %s", i+1, loop.Kind(lost.Result), how)
			if diff := cmp.Diff(want, prompts); diff != "" {
				t.Errorf("%s: prompts (-want +got):\n%s", name, diff)
			}
			// Each reply follows what it answers.
			for _, pair := range [][2]string{{"u1", "a1"}, {"u2", "a3"}, {"typed", "a4"}, {"u4", "a7"}} {
				p, a := slices.Index(said, "prompt "+pair[0]), slices.Index(said, "reply "+pair[1])
				if p >= 0 && a >= 0 && a < p {
					t.Errorf("%s: the reply %s stands before its prompt: %q", name, pair[1], said)
				}
			}
			last := how == "deleted" && i == len(es)-1 // which nothing shows
			if n := len(j.Notices()); n != 1 && !last {
				t.Errorf("%s: notices %q", name, j.Notices())
			}
		}
	}
}

// What a lost entry brought is all that is lost.
func TestALostEntryCostsNoOther(t *testing.T) {
	costs := map[int][]string{
		1: {"prompt u1"}, 2: {"reply a1", "t1", "result of t1"}, 4: {"result of t1"}, 6: {"reply a2"},
		9: {"prompt u2"}, 10: {"reply a3", "t2", "result of t2"}, 11: {"result of t2"},
		12: {"t3", "result of t3"}, 14: {"result of t3"}, 15: {"prompt typed"}, 17: {"reply a4"},
		18: {"objection"}, 19: {"reply a5"}, 22: {"prompt u3"}, 23: {"reply a6", "t4", notRun}, 25: {notRun},
		26: {"prompt u4"}, 27: {"reply a7"},
	}
	es := conversation()
	ls := linesOf(t, write(t, t.TempDir(), es...).Path())
	whole := sends(t, fold(es...))
	for i, lost := range es {
		_, s := reopen(t, journalOf(t, bytes.Join(slices.Delete(slices.Clone(ls), i+1, i+2), nil)))
		left := sends(t, s)
		var gone []string
		for _, w := range whole {
			if !slices.Contains(left, w) {
				gone = append(gone, w)
			}
		}
		if diff := cmp.Diff(costs[i+1], gone); diff != "" {
			t.Errorf("entry %d (%s) (-want +got):\n%s", i+1, loop.Kind(lost.Result), diff)
		}
	}
}

const notRun = "Not run: the session ended before this call started."

// Where the last entry before a resume was lost, the gap is still known to be
// one after it.
func TestAGapAtTheEndStaysKnown(t *testing.T) {
	ls := linesOf(t, write(t, t.TempDir(), said()...).Path())
	path := journalOf(t, bytes.Join(ls[:len(ls)-1], nil), []byte("junk\n"))
	j, _ := reopen(t, path)
	record(t, j, said()[0])
	es, c := entries(t, path)
	if got := es[len(es)-1].Seq; got != int64(len(said())+1) || c.Missing != 1 || c.Damaged != 1 {
		t.Errorf("the next entry has the number %d; %+v", got, c)
	}
}

func TestNotices(t *testing.T) {
	ls := linesOf(t, write(t, t.TempDir(), said()...).Path())
	with := func(change func(ls [][]byte) [][]byte) string { return journalOf(t, change(slices.Clone(ls))...) }
	for _, tc := range []struct {
		name string
		path string
		want []string
	}{
		{"nothing wrong", with(func(ls [][]byte) [][]byte { return ls }), nil},
		{"one line", with(func(ls [][]byte) [][]byte { ls[3] = []byte("{\"x\":\n"); return ls }), []string{
			"1 line of the session's journal is damaged and left out (line 4); the rest is there.",
		}},
		{"two lines, and one that is gone", with(func(ls [][]byte) [][]byte {
			ls[2], ls[3] = []byte("\n"), []byte("x\n")
			return slices.Delete(ls, 4, 5)
		}), []string{
			"2 lines of the session's journal are damaged and left out (lines 3, 4); the rest is there.",
			"1 entry of the session's journal is missing.",
		}},
		{"all that follows the first", with(func(ls [][]byte) [][]byte {
			for i := range ls[2:] {
				ls[i+2] = []byte("x\n")
			}
			return ls
		}), []string{"7 lines of the session's journal are damaged and left out (lines 3, 4, 5, 6, 7, …); the rest is there."}},
		{"lines that are gone", with(func(ls [][]byte) [][]byte { return slices.Delete(ls, 2, 5) }), []string{
			"3 entries of the session's journal are missing.",
		}},
		{"a line twice", with(func(ls [][]byte) [][]byte { return slices.Insert(ls, 3, ls[2]) }), []string{
			"1 line of the session's journal is damaged and left out (line 4); the rest is there.",
		}},
		{"the header", with(func(ls [][]byte) [][]byte { ls[0] = []byte("{\"x\":\n"); return ls }), []string{
			"The first line of the session's journal is damaged; the conversation is whole.",
		}},
		{"no header", with(func(ls [][]byte) [][]byte { return ls[1:] }), []string{
			"The first line of the session's journal is damaged; the conversation is whole.",
		}},
		{"the last line", with(func(ls [][]byte) [][]byte { ls[8] = ls[8][:20]; return ls }), []string{
			"The last line of the session's journal was cut off and is left out; everything before it is there.",
		}},
	} {
		j, _ := reopen(t, tc.path)
		if diff := cmp.Diff(tc.want, j.Notices()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.name, diff)
		}
		record(t, j, said()[0]) // and it can be written on
	}
}

// What was said is not given up for a damaged header, and the session is known
// by its file.
func TestWithoutItsHeader(t *testing.T) {
	ls := linesOf(t, write(t, t.TempDir(), said()...).Path())
	j, s := reopen(t, journalOf(t, append([][]byte{[]byte("x\n")}, ls[1:]...)...))
	if d := loop.Diff(s, fold(said()...)); d != "" {
		t.Error(d)
	}
	if h := j.Header(); h.Session != j.ID() || h.Created.Year() != 2026 {
		t.Errorf("header: %+v", h)
	}
}

// A line longer than any that is written is passed over without being held.
func TestAnEndlessLine(t *testing.T) {
	ls := linesOf(t, write(t, t.TempDir(), said()...).Path())
	const most = 200_000
	long := bytes.Repeat([]byte("x"), most+1)
	for _, tc := range []struct {
		name    string
		journal [][]byte
		noEnd   bool
	}{
		{"in the middle", slices.Insert(slices.Clone(ls), 4, append(long, '\n')), false},
		{"at the end", append(slices.Clip(ls), append(long, '\n')), false},
		{"without an end", append(slices.Clip(ls), long), true},
	} {
		whole := bytes.Join(tc.journal, nil)
		r := reader{Contents: new(Contents), in: newLines(bytes.NewReader(whole)), id: "x"}
		r.in.most = most
		n := 0
		if err := r.all(func(loop.Entry, error) bool { n++; return true }); err != nil {
			t.Fatal(err)
		}
		if n != len(said()) || r.Damaged != 1 || r.Torn > 0 || r.good != int64(len(whole)) || r.noEnd != tc.noEnd || cap(r.in.buf) > 2*most {
			t.Errorf("%s: %d entries, %+v, and %d bytes were held", tc.name, n, r.Contents, cap(r.in.buf))
		}
	}
}

func TestWhatIsNotOpened(t *testing.T) {
	newerHeader, err := headerLine(Header{Daruma: "journal", Version: Version + 1, Session: "x"})
	if err != nil {
		t.Fatal(err)
	}
	ls := linesOf(t, write(t, t.TempDir(), said()...).Path())
	for _, tc := range []struct{ name, path, want string }{
		{"a newer version", journalOf(t, newerHeader), "session x cannot be read: its journal has version 2, and this daruma knows 1"},
		{
			"a newer version that means another thing by a name", journalOf(t, frame('h', []byte(`{"version":3,"session":"x","dir":7}`))),
			"session x cannot be read: its journal has version 3, and this daruma knows 1",
		},
		{
			"an entry of a newer kind", journalOf(t, ls[0], ls[1], frame('e', []byte(`{"seq":2,"kind":"dreamt"}`))),
			"session 01m8qtarq6ddk50krqgstkjvdh cannot be read: loop: entry 2 is of the unknown kind \"dreamt\"; a newer version of daruma may have written it",
		},
		{
			"an entry without its message", journalOf(t, ls[0], ls[1], frame('e', []byte(`{"seq":2,"kind":"received"}`))),
			"session 01m8qtarq6ddk50krqgstkjvdh cannot be read: entry 2 is not whole",
		},
		{"another file", journalOf(t, []byte("# Shopping\n\n- milk\n")), "session 01m8qtarq6ddk50krqgstkjvdh holds nothing that can be read"},
	} {
		j, err := Open(tc.path)
		if err != nil {
			t.Fatal(err)
		}
		_, err = j.Load(machine())
		var e *Error
		if !errors.As(err, &e) || e.Error() != tc.want || e.Hint() == "" {
			t.Errorf("%s: %v\nwant %s", tc.name, err, tc.want)
		}
		if err := j.Record(context.Background(), said()[0]); err == nil {
			t.Errorf("%s was written to", tc.name)
		}
		before := contents(t, tc.path)
		if err := j.Close(); err != nil {
			t.Error(err)
		}
		if !bytes.Equal(before, contents(t, tc.path)) {
			t.Errorf("%s was changed", tc.name)
		}
	}
}
