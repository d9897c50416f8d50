package session

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/daruma-dev/daruma/loop"
	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/model"
)

// A fixture is written once, when its version of the format is settled, and
// never again: it stands for the journals that people have.
var writeFixture = flag.String("write-fixture", "", "write the entries of this version to a `FILE`")

// everyKind is an entry of each kind, each with every field filled.
func everyKind() []loop.Entry {
	at := func(s int64) time.Time { return time.Unix(1_800_000_000+s, 123_456_000).UTC() }
	yes := true
	image := message.Media{Kind: "image", MIME: "image/png", Data: []byte{0, 1, 254, 255}, Name: "a.png"}
	result := message.ToolResult{
		CallID: "t1", Name: "write", Status: message.StatusError, Text: "l1\n\u2028<&>\x00\x1b[0m é", Media: []message.Media{image},
		Title: "wrote a", Diff: "-a\n+b\n", Blob: &message.Blob{Path: "/s/b.txt", Size: 3}, Dir: "/d",
		Files: []message.FileVersion{{Path: "/a", Hash: "aa", Action: "changed", Before: "bb"}},
	}
	reply := &message.Message{
		ID: "m1", Role: message.Assistant, Origin: message.FromModel, Model: "p/m", Wire: "anthropic", Stop: message.StopTool, Time: at(1),
		Usage: &message.Usage{Input: 1, Output: 2, CacheRead: 3, CacheWrite: 4, CacheWrite1h: 5, Thinking: 6},
		Parts: message.Parts{
			message.Thinking{Text: "hm", Signature: "sig", Redacted: "red", Raw: json.RawMessage(`{"type":"thinking","x":[1.0,2e5]}`)},
			message.Text{Text: "<b> & é \u2028", Raw: json.RawMessage(`{"type":"text", "text":"x"}`)},
			message.Call{ID: "t1", Name: "write", Input: json.RawMessage("{ \"b\" : 1.0e5,\n\t\"a\":\"<&>\\u00e9\u2028\" }"), Raw: json.RawMessage(`{"a":1}`)},
			message.Call{ID: "t2", Name: "write", Input: json.RawMessage(`{"a": oops`)},
			message.Call{ID: "t3", Name: "write"},
			message.Opaque{Type: "server_tool_use", Raw: json.RawMessage(`{"type":"server_tool_use","id":"x"}`)},
		},
	}
	failure := &model.Error{
		Kind: model.Overflow, Provider: "p", Status: 400, Type: "t", Code: "c", Message: "words", RequestID: "r", RetryAfter: time.Second,
		ShouldRetry: &yes, Actual: 7, Limit: 5,
	}
	user := &message.Message{
		ID: "u1", Role: message.User, Origin: message.FromUser, Pinned: true, Time: at(0),
		Parts: message.Parts{message.Text{Text: "hi"}, image, result},
	}
	made := &message.Message{ID: "loop-3", Role: message.User, Origin: message.FromResume, Parts: message.Parts{message.Text{Text: "go on"}}}
	terminal := loop.Terminal{Reason: loop.ModelError, Detail: "d", Hint: "h", Err: failure}
	var es []loop.Entry
	for i, r := range []loop.Result{
		loop.Received{Message: user},
		loop.Began{ID: "m1", Parts: reply.Parts[:3], Model: "p/m", Wire: "anthropic", CallID: "t1"},
		loop.Finished{Result: result},
		loop.Sampled{Reply: reply, Detail: "why", Model: "p/m"},
		loop.Sampled{Err: failure, Usage: reply.Usage, Model: "p/m", NoAnswer: true},
		loop.Vetted{Verdicts: []loop.Verdict{
			{CallID: "t1", Decision: loop.Deny, Status: message.StatusDenied, Reason: "r", Rule: "u", Hint: "h"},
			{CallID: "t2", Decision: loop.Allow, Safe: true},
			{CallID: "t3", Decision: loop.Ask},
		}},
		loop.Answered{Answers: []loop.Answer{{CallID: "t3", Allow: true, Reason: "fine"}}},
		loop.Executed{ID: "x1", Results: []message.ToolResult{result, {CallID: "t2", Status: message.StatusOK}}, Stopped: "s"},
		loop.Attached{Messages: []*message.Message{user}},
		loop.Consulted{Prevented: "p", Objection: "o"},
		loop.Waited{},
		loop.Refreshed{OK: true, Detail: "d"},
		loop.Compacted{Summary: made, Failed: "f"},
		loop.Interrupted{},
		loop.Resumed{Continue: true},
		loop.Ended{Terminal: terminal},
	} {
		es = append(es, loop.Entry{
			Seq: int64(i + 1), Time: at(int64(i)), Result: r, Made: []*message.Message{made},
			Transition: &loop.Transition{N: i + 1, Reason: loop.ModelFallback, Turn: 2, Layer: "fallback", Attempt: 3, Cause: "c"},
		})
	}
	return es
}

// A journal of version 1 must load for ever, to the same values.
func TestFixtureOfEveryKind(t *testing.T) {
	es := everyKind()
	if *writeFixture != "" {
		write := frame('h', []byte(`{"daruma":"journal","version":1,"session":"01m8qtarq6ddk50krqgstkjvdh","dir":"/src/x","created":"2027-01-15T08:00:00Z","model":"p/m","program":"v0.1.0","parent":"01m8qtarq6ddk50krqgstkjvdg"}`))
		for _, e := range es {
			l, err := entryLine(e)
			if err != nil {
				t.Fatal(err)
			}
			write = append(write, l...)
		}
		if err := os.WriteFile(*writeFixture, write, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, c := entries(t, "testdata/v1-every-kind.jsonl")
	if diff := cmp.Diff(es, got, cmpopts.EquateEmpty(), cmp.Comparer(message.Equal)); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
	want := Header{
		Daruma: "journal", Version: 1, Session: "01m8qtarq6ddk50krqgstkjvdh", Dir: "/src/x", Model: "p/m", Program: "v0.1.0",
		Created: time.Date(2027, 1, 15, 8, 0, 0, 0, time.UTC), Parent: "01m8qtarq6ddk50krqgstkjvdg",
	}
	if diff := cmp.Diff(want, c.Header); diff != "" || c.Damaged > 0 || c.Missing > 0 || c.Torn > 0 {
		t.Errorf("contents: %+v\n%s", c, diff)
	}
}

// What this version writes is what the fixture holds, to the byte: a change of
// the format does not go unnoticed.
func TestTheFormatIsTheFixtures(t *testing.T) {
	ls := linesOf(t, "testdata/v1-every-kind.jsonl")
	for i, e := range everyKind() {
		got, err := entryLine(e)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, ls[i+1]) {
			t.Errorf("entry %d is written as\n%s\nand not as\n%s", i+1, got, ls[i+1])
		}
	}
}

// A session of version 1 folds to the same state.
func TestFixtureOfASession(t *testing.T) {
	j, s := reopen(t, journalOf(t, contents(t, "testdata/v1.jsonl")))
	if d := loop.Diff(s, fold(said()...)); d != "" || len(j.Notices()) > 0 {
		t.Errorf("%s %q", d, j.Notices())
	}
}
