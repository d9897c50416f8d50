package anthropic

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/daruma-dev/daruma/internal/sse"
	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/model"
)

// FuzzReply feeds whatever a server may send. The order of events must hold up
// to a failure, deltas must add up to their part, and the parts that were done
// must make a request that servers take.
func FuzzReply(f *testing.F) {
	f.Add(oneBlock(evBlock(0, `{"type":"text","text":""}`, `{"type":"text_delta","text":"a\ud83d"}`, `{"type":"text_delta","text":"\ude00"}`)))
	f.Add(oneBlock(evBlock(0, `{"type":"tool_use","id":"a b","name":"x","input":{},"y":"\u0000"}`, `{"type":"input_json_delta","partial_json":"{\"a\":\"\\u0000\"}"}`) + evBlock(0, `{"type":"tool_use","id":"a b"}`)))
	f.Add(oneBlock(evBlock(0, `{"type":"thinking","thinking":"","signature":""}`, `{"type":"signature_delta","signature":"s"}`) + evBlock(1, `{"type":"x","cache_control":1,"cache_control":{}}`)))
	f.Add(events(`{"type":"error","error":{"message":"x"}}`))
	f.Fuzz(func(t *testing.T, in string) {
		got, whole := takeAll(t, in)
		if whole {
			checkOrder(t, got)
		}
		checkDeltas(t, got)
		var calls []string
		var results message.Parts
		for _, p := range parts(got) {
			if c, ok := p.(message.Call); ok {
				calls = append(calls, c.ID)
				results = append(results, message.ToolResult{CallID: c.ID, Status: message.StatusOK})
			}
		}
		for i, id := range calls {
			if id == "" || strings.Contains("\n"+strings.Join(calls[:i], "\n")+"\n", "\n"+id+"\n") {
				t.Errorf("call ids %q", calls)
			}
		}
		reply := assistant(parts(got)...)
		req := &model.Request{Model: thisModel, CacheMarks: true, Messages: []*message.Message{user(text("x")), reply, user(append(results, text("y"))...)}}
		checkBody(t, bytesOf(t, New(Options{}).streamBody(req)))
	})
}

// takeAll gives a stream to a reply, up to its end or its first failure.
func takeAll(t *testing.T, in string) (got []model.Event, whole bool) {
	r := newReply(hello(), func(e model.Event) bool {
		got = append(got, e)
		return true
	})
	for es := sse.NewReader(strings.NewReader(in)); ; {
		e, err := es.Next()
		if err != nil {
			return got, false
		}
		if err := r.take(e); err != nil {
			var server errorEvent
			if errors.As(err, &server) {
				classify(answer{status: 200, body: server.body})
			} else if strings.ContainsAny(err.Error(), "\n\x1b") {
				t.Errorf("the error is not one plain line: %q", err)
			}
			return got, false
		}
		if r.done {
			return got, true
		}
	}
}

// checkDeltas checks that what was shown of a text is the text.
func checkDeltas(t *testing.T, es []model.Event) {
	shown := map[int]string{}
	for _, e := range es {
		switch e := e.(type) {
		case model.Delta:
			shown[e.Index] += e.Text
		case model.PartDone:
			p, ok := e.Part.(message.Text)
			if ok && p.Text != shown[e.Index] {
				t.Errorf("part %d is %q, but %q was shown", e.Index, p.Text, shown[e.Index])
			}
		}
	}
}

// FuzzQuote checks that any string becomes JSON that means the same, and that
// cleaning JSON keeps it JSON.
func FuzzQuote(f *testing.F) {
	for _, s := range []string{"", "a\x00b", "\xff\xfe", "\"\\/\b\f\n\r\t\x7f\u2028", "北京 👩‍👩‍👧", `{"a":"\ud800\udc00\ud800\\u0000\u0000"}`, `"\udc00\ud800x"`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var back string
		q := appendString(nil, s)
		if err := json.Unmarshal(q, &back); err != nil || !utf8.Valid(q) {
			t.Fatalf("%q became %s: %v", s, q, err)
		}
		want := strings.ReplaceAll(string([]rune(s)), "\x00", "␀")
		if back != want {
			t.Errorf("%q reads back as %q", s, back)
		}
		var before, after any
		if json.Unmarshal([]byte(s), &before) != nil {
			return
		}
		c := clean([]byte(s))
		if err := json.Unmarshal(c, &after); err != nil || !utf8.Valid(c) {
			t.Fatalf("%q was cleaned to %s: %v", s, c, err)
		}
		if d := compact(before); d != compact(after) {
			t.Errorf("%q was cleaned to %s", s, c)
		}
	})
}

// compact is a value as JSON, with NUL as its sign.
func compact(v any) string {
	b, _ := message.Marshal(v)
	return strings.ReplaceAll(strings.ReplaceAll(string(b), `\\`, "\x01"), `\u0000`, nulSign)
}
