package loop

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/model"
)

// everyResult is one filled value of each kind of result.
func everyResult() []Result {
	odd := message.Call{ID: "t1", Name: "write", Input: json.RawMessage("{ \"b\": 1.0e5,\n\"a\":\"<&>\\u00e9\u2028\" }")}
	broken := message.Call{ID: "t2", Name: "write", Input: json.RawMessage(`{"a": oops`)}
	reply := &message.Message{
		ID: "m", Role: message.Assistant, Origin: message.FromModel, Model: "p/a", Wire: "anthropic", Stop: message.StopTool,
		Usage: &message.Usage{Input: 1, Output: 2, CacheRead: 3, CacheWrite: 4},
		Parts: message.Parts{
			message.Thinking{Text: "t", Signature: "s", Raw: json.RawMessage(`{"type":"thinking","x":1}`)},
			message.Text{Text: "<b> & \x00"},
			odd, broken,
			message.Opaque{Type: "server_tool_use", Raw: json.RawMessage(`{"type":"server_tool_use","id":"x"}`)},
		},
	}
	result := message.ToolResult{
		CallID: "t1", Name: "write", Status: message.StatusOK, Text: "ok", Title: "wrote a", Diff: "-a\n+b\n",
		Blob: &message.Blob{Path: "/b", Size: 3}, Dir: "/d", Files: []message.FileVersion{{Path: "/a", Hash: "h", Action: "changed"}},
	}
	return []Result{
		Received{Message: message.NewUser("u", "hi")},
		Began{ID: "m", Parts: reply.Parts, Model: "p/a", Wire: "anthropic", CallID: "t1"},
		Finished{Result: result},
		Sampled{Reply: reply, Model: "p/a", Detail: "d"},
		Sampled{Err: &model.Error{Kind: model.Overloaded, RetryAfter: time.Second}, Model: "p/a", NoAnswer: true},
		Vetted{Verdicts: []Verdict{{CallID: "t1", Decision: Allow, Safe: true}}},
		Answered{Answers: []Answer{{CallID: "t1", Allow: true}}},
		Executed{ID: "r", Results: []message.ToolResult{result}, Stopped: "hook"},
		Attached{Messages: []*message.Message{message.NewUser("a", "changed")}},
		Consulted{Objection: "no"},
		Waited{},
		Refreshed{OK: true},
		Compacted{Summary: message.NewUser("s", "summary")},
		Interrupted{},
		Resumed{Continue: true},
		Ended{Terminal: Terminal{Reason: Completed, Detail: "d", Hint: "h"}},
	}
}

func TestEntriesSurviveEncodingAndDecoding(t *testing.T) {
	for i, r := range everyResult() {
		e := Entry{
			Seq: int64(i + 1), Time: time.Unix(1, 2).UTC(), Result: r,
			Made: []*message.Message{message.NewUser("loop-1", "go on")}, Transition: &Transition{N: 1, Reason: NextTurn, Turn: 2},
		}
		b, err := message.Marshal(e)
		if err != nil {
			t.Fatalf("%s: %v", Kind(r), err)
		}
		var got Entry
		if err := json.Unmarshal(b, &got); err != nil {
			t.Fatalf("%s: %v\n%s", Kind(r), err, b)
		}
		if !reflect.DeepEqual(got, e) {
			t.Errorf("%s: got %+v\nwant %+v", Kind(r), got, e)
		}
	}
}

// The names of kinds are part of the format: every Result has one, and it
// decodes to the same type.
func TestEveryResultHasItsKind(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range everyResult() {
		seen[Kind(r)] = true
		got, err := kinds[Kind(r)](nil)
		if err != nil || reflect.TypeOf(got) != reflect.TypeOf(r) {
			t.Errorf("kind %s decodes to %T (%v), want %T", Kind(r), got, err, r)
		}
	}
	if len(seen) != len(kinds) {
		t.Errorf("%d kinds are tested, there are %d", len(seen), len(kinds))
	}
}

func TestUnknownKindIsAnError(t *testing.T) {
	var e Entry
	err := json.Unmarshal([]byte(`{"seq":7,"kind":"teleported"}`), &e)
	if err == nil || err.Error() == "" {
		t.Fatal("an unknown kind was accepted")
	}
}

func FuzzEntry(f *testing.F) {
	for _, r := range everyResult() {
		b, err := message.Marshal(Entry{Seq: 1, Result: r})
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var e Entry
		if json.Unmarshal(b, &e) != nil {
			return
		}
		once, err := message.Marshal(e)
		if err != nil {
			t.Fatalf("an entry that was read cannot be written: %v", err)
		}
		var again Entry
		if err := json.Unmarshal(once, &again); err != nil {
			t.Fatalf("an entry that was written cannot be read: %v\n%s", err, once)
		}
		if twice, _ := message.Marshal(again); string(twice) != string(once) {
			t.Fatalf("not stable:\n%s\n%s", once, twice)
		}
	})
}
