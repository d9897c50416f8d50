package session

import (
	"bytes"
	"errors"
	"iter"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/daruma-dev/daruma/loop"
	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/model"
)

// sequence is entries as Read yields them, with an error behind them.
func sequence(es []loop.Entry, err error) iter.Seq2[loop.Entry, error] {
	return func(yield func(loop.Entry, error) bool) {
		for i, e := range es {
			e.Seq = int64(i + 1)
			if !yield(e, nil) {
				return
			}
		}
		if err != nil {
			yield(loop.Entry{}, err)
		}
	}
}

func TestTrace(t *testing.T) {
	got, err := Traces(sequence(said(), nil))
	if err != nil {
		t.Fatal(err)
	}
	at := func(n int64) time.Time { return time.Unix(1000+n, 0).UTC() }
	want := []TraceLine{
		{Seq: 1, Time: at(0), Kind: "received", Turn: 1, Detail: "look at a & b <now>"},
		{Seq: 2, Time: at(1), Kind: "sampled", Turn: 1, Model: "p/m", Usage: &message.Usage{Input: 9, Output: 3}, Detail: "calls read t1"},
		{Seq: 3, Time: at(2), Kind: "vetted", Turn: 1, Detail: "allow t1"},
		{Seq: 4, Time: at(3), Kind: "executed", Turn: 1, Detail: "ok t1: read"},
		{Seq: 5, Time: at(4), Kind: "attached", Turn: 2, Transition: loop.NextTurn},
		{Seq: 6, Time: at(5), Kind: "sampled", Turn: 2, Model: "p/m", Detail: "done"},
		{Seq: 7, Time: at(6), Kind: "consulted", Turn: 2},
		{Seq: 8, Time: at(7), Kind: "ended", Turn: 2, End: loop.Completed},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// Each kind of result says what is worth knowing, on one line and without
// anything that a terminal would obey.
func TestTraceDetail(t *testing.T) {
	for _, tc := range []struct {
		result loop.Result
		want   TraceLine
	}{
		{loop.Received{Message: message.NewUser("u", "two\nlines \x1b[2J")}, TraceLine{Kind: "received", Detail: "two lines ␛[2J"}},
		{loop.Received{}, TraceLine{Kind: "received"}},
		{
			loop.Began{CallID: "t2", Parts: message.Parts{message.Text{Text: "x"}, message.Call{ID: "t2", Name: "write"}}},
			TraceLine{Kind: "began", Detail: "write t2"},
		},
		{loop.Began{CallID: "t2"}, TraceLine{Kind: "began", Detail: "t2"}},
		{
			loop.Finished{Result: message.ToolResult{CallID: "t2", Status: message.StatusError, Title: "wrote a"}},
			TraceLine{Kind: "finished", Detail: "error t2: wrote a"},
		},
		{
			loop.Sampled{Model: "p/m", Usage: &message.Usage{Output: 2}, Err: &model.Error{Kind: model.Overloaded, Provider: "p"}},
			TraceLine{Kind: "sampled", Model: "p/m", Usage: &message.Usage{Output: 2}, Detail: "p: overloaded"},
		},
		{
			loop.Vetted{Verdicts: []loop.Verdict{{CallID: "t1", Decision: loop.Ask}, {CallID: "t2", Decision: loop.Deny, Reason: "no"}}},
			TraceLine{Kind: "vetted", Detail: "ask t1; deny t2: no"},
		},
		{
			loop.Answered{Answers: []loop.Answer{{CallID: "t1", Allow: true}, {CallID: "t2", Reason: "not now"}}},
			TraceLine{Kind: "answered", Detail: "yes to t1; no to t2: not now"},
		},
		{
			loop.Executed{Results: []message.ToolResult{{CallID: "t1", Status: message.StatusOK, Name: "read"}}, Stopped: "by a hook"},
			TraceLine{Kind: "executed", Detail: "ok t1: read; by a hook"},
		},
		{loop.Attached{Messages: []*message.Message{message.NewUser("a", "b.go changed")}}, TraceLine{Kind: "attached", Detail: "b.go changed"}},
		{loop.Consulted{Objection: "tests fail"}, TraceLine{Kind: "consulted", Detail: "tests fail"}},
		{loop.Waited{}, TraceLine{Kind: "waited"}},
		{loop.Refreshed{Detail: "no key"}, TraceLine{Kind: "refreshed", Detail: "no key"}},
		{loop.Compacted{Summary: message.NewUser("s", "so far")}, TraceLine{Kind: "compacted", Detail: "so far"}},
		{loop.Compacted{Failed: "no"}, TraceLine{Kind: "compacted", Detail: "no"}},
		{loop.Interrupted{}, TraceLine{Kind: "interrupted"}},
		{loop.Resumed{Continue: true}, TraceLine{Kind: "resumed", Detail: "goes on with the run"}},
		{
			loop.Ended{Terminal: loop.Terminal{Reason: loop.ModelError, Detail: strings.Repeat("é", 300)}},
			TraceLine{Kind: "ended", End: loop.ModelError, Detail: strings.Repeat("é", 199) + "…"},
		},
	} {
		if got := Trace(loop.Entry{Result: tc.result}); !reflect.DeepEqual(got, tc.want) {
			t.Errorf("%T:\ngot  %+v\nwant %+v", tc.result, got, tc.want)
		}
	}
}

// A journal that becomes unreadable half way is traced up to there.
func TestTraceOfABrokenJournal(t *testing.T) {
	broken := errors.New("broken")
	got, err := Traces(sequence(said()[:3], broken))
	if !errors.Is(err, broken) || len(got) != 3 {
		t.Errorf("%d lines, %v", len(got), err)
	}
}

func TestWriteTable(t *testing.T) {
	defer func(l *time.Location) { time.Local = l }(time.Local)
	time.Local = time.UTC
	ls, err := Traces(sequence(said(), nil))
	if err != nil {
		t.Fatal(err)
	}
	ls[5].Transition, ls[5].Layer, ls[5].Attempt, ls[5].Cause = loop.MaxOutputTokensEscalate, "escalate", 1, "output cut off"
	var b bytes.Buffer
	if err := WriteTable(&b, ls); err != nil {
		t.Fatal(err)
	}
	want := strings.TrimPrefix(`
#  TIME      TURN  STEP       WHY                                                      IN  CACHED  OUT  DETAIL
1  00:16:40  1     received                                                                             look at a & b <now>
2  00:16:41  1     sampled                                                             9   0       3    calls read t1
3  00:16:42  1     vetted                                                                               allow t1
4  00:16:43  1     executed                                                                             ok t1: read
5  00:16:44  2     attached   next_turn
6  00:16:45  2     sampled    max_output_tokens_escalate (escalate 1): output cut off                   done
7  00:16:46  2     consulted
8  00:16:47  2     ended      completed
`, "\n")
	if got := b.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
