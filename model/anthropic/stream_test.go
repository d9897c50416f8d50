package anthropic

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/model"
)

// hello is the simplest request.
func hello() *model.Request {
	return &model.Request{Model: "claude-opus-5-5", Messages: []*message.Message{message.NewUser("m1", "hello")}}
}

// serve answers every request with h and gives a client of it.
func serve(t *testing.T, h http.HandlerFunc) *Client {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	c := New(Options{Key: "sk-test-key", BaseURL: s.URL})
	t.Cleanup(func() {
		if hc, err := c.http(); err == nil {
			hc.CloseIdleConnections()
		}
	})
	return c
}

// stream answers with the bytes of an event stream.
func stream(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		w.Header().Set("Request-Id", "req_1")
		io.WriteString(w, body)
	}
}

// events writes data lines, each an event named by its type.
func events(datas ...string) string {
	var b strings.Builder
	for _, d := range datas {
		_, rest, _ := strings.Cut(d, `"type":"`)
		name, _, _ := strings.Cut(rest, `"`)
		fmt.Fprintf(&b, "event: %s\ndata: %s\n\n", name, d)
	}
	return b.String()
}

const (
	evStart = `{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"claude-opus-5-5","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":25,"cache_creation_input_tokens":7,"cache_read_input_tokens":100,"cache_creation":{"ephemeral_5m_input_tokens":3,"ephemeral_1h_input_tokens":4},"output_tokens":1}}}`
	evPing  = `{"type":"ping"}`
	evEnd   = `{"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":15}}`
	evStop  = `{"type":"message_stop"}`
)

// evBlock is a whole block at an index: its start, its deltas and its stop.
func evBlock(index int, block string, deltas ...string) string {
	ds := []string{fmt.Sprintf(`{"type":"content_block_start","index":%d,"content_block":%s}`, index, block)}
	for _, d := range deltas {
		ds = append(ds, fmt.Sprintf(`{"type":"content_block_delta","index":%d,"delta":%s}`, index, d))
	}
	return events(append(ds, fmt.Sprintf(`{"type":"content_block_stop","index":%d}`, index))...)
}

// run streams a request to its end.
func run(c *Client, req *model.Request) ([]model.Event, *model.Error) {
	var all []model.Event
	for e, err := range c.Stream(context.Background(), req) {
		if err != nil {
			var me *model.Error
			if !errors.As(err, &me) {
				panic(fmt.Sprintf("not a *model.Error: %v", err))
			}
			return all, me
		}
		all = append(all, e)
	}
	return all, nil
}

// parts are the finished parts among events.
func parts(es []model.Event) message.Parts {
	var ps message.Parts
	for _, e := range es {
		if d, ok := e.(model.PartDone); ok {
			ps = append(ps, d.Part)
		}
	}
	return ps
}

func TestStreamEvents(t *testing.T) {
	c := serve(t, stream(events(evStart, evPing)+
		evBlock(0, `{"type":"thinking","thinking":"","signature":""}`, `{"type":"thinking_delta","thinking":"Hm."}`, `{"type":"signature_delta","signature":"c2ln"}`)+
		evBlock(1, `{"type":"text","text":""}`, `{"type":"text_delta","text":"Hello"}`, `{"type":"text_delta","text":" 世界"}`)+
		evBlock(2, `{"type":"tool_use","id":"toolu_1","name":"read","input":{}}`, `{"type":"input_json_delta","partial_json":""}`, `{"type":"input_json_delta","partial_json":"{\"path\": "}`, `{"type":"input_json_delta","partial_json":"\"a\"}"}`)+
		": keep-alive\n\n"+
		events(`{"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"output_tokens":15,"output_tokens_details":{"thinking_tokens":9}}}`, evStop)))
	got, err := run(c, hello())
	if err != nil {
		t.Fatal(err)
	}
	want := []model.Event{
		model.Started{ID: "msg_1", Model: "claude-opus-5-5", Wire: "anthropic", Usage: message.Usage{Input: 25, Output: 1, CacheRead: 100, CacheWrite: 7, CacheWrite1h: 4}},
		model.Alive{},
		model.PartStarted{Index: 0, Kind: model.DeltaThinking},
		model.Delta{Index: 0, Kind: model.DeltaThinking, Text: "Hm."},
		model.Alive{},
		model.PartDone{Index: 0, Part: message.Thinking{Text: "Hm.", Signature: "c2ln"}},
		model.Alive{},
		model.PartStarted{Index: 1, Kind: model.DeltaText},
		model.Delta{Index: 1, Kind: model.DeltaText, Text: "Hello"},
		model.Delta{Index: 1, Kind: model.DeltaText, Text: " 世界"},
		model.PartDone{Index: 1, Part: message.Text{Text: "Hello 世界"}},
		model.PartStarted{Index: 2, Kind: model.DeltaInput, CallID: "toolu_1", Name: "read"},
		model.Alive{},
		model.Delta{Index: 2, Kind: model.DeltaInput, Text: `{"path": `},
		model.Delta{Index: 2, Kind: model.DeltaInput, Text: `"a"}`},
		model.PartDone{Index: 2, Part: message.Call{ID: "toolu_1", Name: "read", Input: []byte(`{"path": "a"}`)}},
		model.Alive{},
		model.Alive{},
		model.Done{Stop: message.StopTool, Usage: &message.Usage{Input: 25, Output: 15, CacheRead: 100, CacheWrite: 7, CacheWrite1h: 4, Thinking: 9}},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("events (-want +got):\n%s", d)
	}
}

// oneBlock is a stream whose only content is body, the events of blocks.
func oneBlock(body string) string { return events(evStart) + body + events(evEnd, evStop) }

func rawJSON(s string) []byte { return []byte(s) }

func TestStreamParts(t *testing.T) {
	for _, tt := range []struct {
		name, body string
		want       message.Parts
	}{
		{
			name: "an empty text is no part (B005)",
			body: evBlock(0, `{"type":"text","text":""}`) + evBlock(1, `{"type":"text","text":""}`, `{"type":"text_delta","text":""}`) + evBlock(2, `{"type":"text","text":""}`, `{"type":"text_delta","text":"x"}`),
			want: message.Parts{message.Text{Text: "x"}},
		},
		{
			name: "text in the block's start",
			body: evBlock(0, `{"type":"text","text":"He"}`, `{"type":"text_delta","text":"llo"}`),
			want: message.Parts{message.Text{Text: "Hello"}},
		},
		{
			name: "unknown fields and their order are kept",
			body: evBlock(0, `{"b":[1, 2],"type":"text","text":"","a":1.0}`, `{"type":"text_delta","text":"x<"}`),
			want: message.Parts{message.Text{Text: "x<", Raw: rawJSON(`{"b":[1, 2],"type":"text","text":"x<","a":1.0}`)}},
		},
		{
			name: "citations are collected",
			body: evBlock(0, `{"type":"text","text":"","citations":[]}`, `{"type":"citations_delta","citation":{"z":1}}`, `{"type":"text_delta","text":"x"}`, `{"type":"citations_delta","citation":{"y":2}}`),
			want: message.Parts{message.Text{Text: "x", Raw: rawJSON(`{"type":"text","text":"x","citations":[{"z":1},{"y":2}]}`)}},
		},
		{
			name: "thinking that is not shown, and redacted",
			body: evBlock(0, `{"type":"thinking","thinking":"","signature":""}`, `{"type":"signature_delta","signature":"s"}`) + evBlock(1, `{"type":"redacted_thinking","data":"ZGF0YQ=="}`),
			want: message.Parts{message.Thinking{Signature: "s"}, message.Thinking{Redacted: "ZGF0YQ=="}},
		},
		{
			name: "input to the byte; one field more in the block",
			body: evBlock(0, `{"type":"tool_use","id":"t1","name":"read","input":{},"caller":{"type":"direct"}}`, `{"type":"input_json_delta","partial_json":" {\"b\" : 1.50,\t\"a\":\"\\u00e9\"} "}`),
			want: message.Parts{message.Call{ID: "t1", Name: "read", Input: rawJSON(" {\"b\" : 1.50,\t\"a\":\"\\u00e9\"} "), Raw: rawJSON("{\"type\":\"tool_use\",\"id\":\"t1\",\"name\":\"read\",\"input\": {\"b\" : 1.50,\t\"a\":\"\\u00e9\"} ,\"caller\":{\"type\":\"direct\"}}")}},
		},
		{
			name: "a call without input (B021)",
			body: evBlock(0, `{"type":"tool_use","id":"t1","name":"list","input":{}}`, `{"type":"input_json_delta","partial_json":""}`) +
				evBlock(1, `{"type":"tool_use","id":"t2","name":"list","input":{}}`) + evBlock(2, `{"type":"tool_use","id":"t3","name":"list","input":null}`) +
				evBlock(3, `{"type":"tool_use","id":"t4","name":"list"}`, `{"type":"input_json_delta","partial_json":null}`, `{"type":"input_json_delta","partial_json":" "}`) +
				evBlock(4, `{"type":"tool_use","id":"t5","name":"list","input":{}}`, `{"type":"input_json_delta","partial_json":"null"}`),
			want: message.Parts{
				message.Call{ID: "t1", Name: "list", Input: rawJSON(`{}`)},
				message.Call{ID: "t2", Name: "list", Input: rawJSON(`{}`)},
				message.Call{ID: "t3", Name: "list", Input: rawJSON(`{}`)},
				message.Call{ID: "t4", Name: "list", Input: rawJSON(`{}`)},
				message.Call{ID: "t5", Name: "list", Input: rawJSON(`{}`)},
			},
		},
		{
			name: "input in the block's start, as an object or a string (B022)",
			body: evBlock(0, `{"type":"tool_use","id":"t1","name":"read","input":{"a": 1}}`) + evBlock(1, `{"type":"tool_use","id":"t2","name":"read","input":"{\"a\": 1}"}`) +
				evBlock(2, `{"type":"tool_use","id":"t3","name":"read","input":{}}`, `{"type":"input_json_delta","partial_json":{"a": 1}}`),
			want: message.Parts{
				message.Call{ID: "t1", Name: "read", Input: rawJSON(`{"a": 1}`)},
				message.Call{ID: "t2", Name: "read", Input: rawJSON(`{"a": 1}`)},
				message.Call{ID: "t3", Name: "read", Input: rawJSON(`{"a": 1}`)},
			},
		},
		{
			name: "input that was cut off",
			body: evBlock(0, `{"type":"tool_use","id":"t1","name":"read","input":{}}`, `{"type":"input_json_delta","partial_json":"{\"path\": \"a"}`) +
				evBlock(1, `{"type":"tool_use","id":"t2","name":"read","input":{},"x":1}`, `{"type":"input_json_delta","partial_json":"{\"path\": \"a"}`),
			want: message.Parts{
				message.Call{ID: "t1", Name: "read", Input: rawJSON(`{"path": "a`)},
				message.Call{ID: "t2", Name: "read", Input: rawJSON(`{"path": "a`), Raw: rawJSON(`{"type":"tool_use","id":"t2","name":"read","input":{},"x":1}`)},
			},
		},
		{
			name: "calls that share an id, or have none (B003, B004, B020)",
			body: evBlock(0, `{"type":"tool_use","id":"t1","name":"a","input":{}}`) + evBlock(1, `{"type":"tool_use","id":"t1","name":"b","input":{}}`) + evBlock(2, `{"type":"tool_use","id":"t1","name":"c","input":{}}`) +
				evBlock(3, `{"type":"tool_use","id":"","name":"d","input":{}}`) + evBlock(4, `{"type":"tool_use","name":"e","input":{},"x":1}`) + evBlock(5, `{"type":"tool_use","id":"old","name":"f","input":{}}`),
			want: message.Parts{
				message.Call{ID: "t1", Name: "a", Input: rawJSON(`{}`)},
				message.Call{ID: "t1_2", Name: "b", Input: rawJSON(`{}`)},
				message.Call{ID: "t1_3", Name: "c", Input: rawJSON(`{}`)},
				message.Call{ID: "call_1", Name: "d", Input: rawJSON(`{}`)},
				message.Call{ID: "call_2", Name: "e", Input: rawJSON(`{}`), Raw: rawJSON(`{"type":"tool_use","name":"e","input":{},"x":1,"id":"call_2"}`)},
				message.Call{ID: "old_2", Name: "f", Input: rawJSON(`{}`)},
			},
		},
		{
			name: "a tool offered under another name",
			body: evBlock(0, `{"type":"tool_use","id":"t1","name":"d_e_cb8c1d18f5301f86","input":{}}`) + evBlock(1, `{"type":"tool_use","id":"t2","name":"nobody","input":{}}`),
			want: message.Parts{message.Call{ID: "t1", Name: "d.e", Input: rawJSON(`{}`)}, message.Call{ID: "t2", Name: "nobody", Input: rawJSON(`{}`)}},
		},
		{
			name: "blocks only the provider understands",
			body: evBlock(0, `{"type":"server_tool_use","id":"s1","name":"web_search","input":{}}`, `{"type":"input_json_delta","partial_json":"{\"query\":"}`, `{"type":"input_json_delta","partial_json":" \"go\"}"}`) +
				evBlock(1, `{"type":"web_search_tool_result","tool_use_id":"s1","content":[{"encrypted_content":"x"}]}`) + evBlock(2, `{"type":"fallback"}`) +
				evBlock(3, `{"type":"compaction","content":null}`, `{"type":"compaction_delta","content":"sum","encrypted_content":"e"}`) +
				evBlock(4, `{"type":"server_tool_use","id":"s2","name":"web_search","input":{}}`, `{"type":"input_json_delta","partial_json":"{\"query\":"}`),
			want: message.Parts{
				message.Opaque{Type: "server_tool_use", Raw: rawJSON(`{"type":"server_tool_use","id":"s1","name":"web_search","input":{"query": "go"}}`)},
				message.Opaque{Type: "web_search_tool_result", Raw: rawJSON(`{"type":"web_search_tool_result","tool_use_id":"s1","content":[{"encrypted_content":"x"}]}`)},
				message.Opaque{Type: "fallback", Raw: rawJSON(`{"type":"fallback"}`)},
				message.Opaque{Type: "compaction", Raw: rawJSON(`{"type":"compaction","content":"sum","encrypted_content":"e"}`)},
				message.Opaque{Type: "server_tool_use", Raw: rawJSON(`{"type":"server_tool_use","id":"s2","name":"web_search","input":{}}`)},
			},
		},
		{
			name: "events and deltas of later versions are skipped",
			body: events(`{"type":"weather","message":"rain","index":"x"}`) + evBlock(0, `{"type":"text","text":""}`, `{"type":"mood_delta","text":{"a":1}}`, `{"type":"text_delta","text":"x"}`) +
				events(`{"type":"content_block_delta","index":9,"delta":{"type":"mood_delta","mood":1}}`),
			want: message.Parts{message.Text{Text: "x"}},
		},
		{
			name: "deltas of several blocks in turn",
			body: events(
				`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`,
				`{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"t1","name":"a","input":{}}}`,
				`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"x\":"}}`,
				`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"one"}}`,
				`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"1}"}}`,
				`{"type":"content_block_stop","index":1}`,
				`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":" two"}}`,
				`{"type":"content_block_stop","index":0}`),
			want: message.Parts{message.Text{Text: "one two"}, message.Call{ID: "t1", Name: "a", Input: rawJSON(`{"x":1}`)}},
		},
		{
			name: "every block has index 0, and no block is stopped (B023)",
			body: events(
				`{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t1","name":"a","input":{}}}`,
				`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"x\":1}"}}`,
				`{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t2","name":"a","input":{}}}`,
				`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"x\":2}"}}`),
			want: message.Parts{message.Call{ID: "t1", Name: "a", Input: rawJSON(`{"x":1}`)}, message.Call{ID: "t2", Name: "a", Input: rawJSON(`{"x":2}`)}},
		},
		{
			name: "characters cut in the middle, also as surrogate halves (B019)",
			body: evBlock(0, `{"type":"text","text":""}`, `{"type":"text_delta","text":"a\ud83d"}`, `{"type":"text_delta","text":"\ude00b\\ud83d"}`, "{\"type\":\"text_delta\",\"text\":\"\xe5\x8c\"}", "{\"type\":\"text_delta\",\"text\":\"\x97\"}") +
				evBlock(1, `{"type":"tool_use","id":"t1","name":"a","input":{}}`, `{"type":"input_json_delta","partial_json":"{\"x\":\"\ud83d"}`, `{"type":"input_json_delta","partial_json":"\ude00\"}"}`) +
				evBlock(2, `{"type":"text","text":""}`, `{"type":"text_delta","text":"lost \ud83d"}`),
			want: message.Parts{message.Text{Text: "a😀b\\ud83d北"}, message.Call{ID: "t1", Name: "a", Input: rawJSON(`{"x":"😀"}`)}, message.Text{Text: "lost \ufffd"}},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			req := hello()
			req.Tools = []model.Tool{{Name: "d.e"}}
			req.Messages = append(req.Messages, assistant(call("old", `{}`)), user(ok("old", "x")))
			got, err := run(serve(t, stream(oneBlock(tt.body))), req)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tt.want, parts(got)); d != "" {
				t.Errorf("parts (-want +got):\n%s", d)
			}
			checkOrder(t, got)
			// What came goes back as it came.
			again := &message.Message{Role: message.Assistant, Model: req.Model, Wire: "anthropic", Parts: parts(got)}
			checkBody(t, bytesOf(t, New(Options{}).streamBody(&model.Request{Messages: []*message.Message{user(text("x")), again}})))
		})
	}
}

// checkOrder checks the contract's order of events in a whole reply.
func checkOrder(t *testing.T, es []model.Event) {
	t.Helper()
	next, open, started := 0, false, false
	for i, e := range es {
		good := false
		switch e := e.(type) {
		case model.Started:
			good = !started
			started = true
		case model.PartStarted:
			good = started && !open && e.Index == next
			open = true
		case model.Delta:
			good = open && e.Index == next && e.Text != ""
		case model.PartDone:
			good = open && e.Index == next
			open = false
			next++
		case model.Done:
			good = started && !open && i == len(es)-1 && e.Stop != ""
		case model.Alive:
			good = true
		}
		if !good {
			t.Errorf("event %d is out of order: %#v", i, e)
		}
	}
}

func TestStreamEnds(t *testing.T) {
	for _, tt := range []struct {
		name, body string
		want       model.Done
	}{
		{
			name: "figures that come later replace earlier ones, absent and null ones do not",
			body: events(evStart,
				`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":5,"input_tokens":30,"cache_read_input_tokens":null}}`,
				`{"type":"message_delta","delta":{},"usage":{"output_tokens":9}}`, evStop),
			want: model.Done{Stop: message.StopEnd, Usage: &message.Usage{Input: 30, Output: 9, CacheRead: 100, CacheWrite: 7, CacheWrite1h: 4}},
		},
		{
			name: "no figures at all, or nothing but zeros (B042)",
			body: events(`{"type":"message_start","message":{"id":"m","usage":{"input_tokens":0,"output_tokens":0}}}`, `{"type":"message_delta","delta":{"stop_reason":"end_turn"}}`, evStop),
			want: model.Done{Stop: message.StopEnd},
		},
		{
			name: "refusal",
			body: events(evStart, `{"type":"message_delta","delta":{"stop_reason":"refusal","stop_details":{"type":"refusal","category":"cyber","explanation":"No."}}}`, evStop),
			want: model.Done{Stop: message.StopRefusal, Detail: "cyber: No.", Usage: &message.Usage{Input: 25, Output: 1, CacheRead: 100, CacheWrite: 7, CacheWrite1h: 4}},
		},
		{
			name: "refusal without a category",
			body: events(`{"type":"message_start","message":{"id":"m"}}`, `{"type":"message_delta","delta":{"stop_reason":"refusal","stop_details":{"category":null,"explanation":"No."}}}`, evStop),
			want: model.Done{Stop: message.StopRefusal, Detail: "No."},
		},
		{
			name: "stop sequence",
			body: events(`{"type":"message_start","message":{"id":"m"}}`, `{"type":"message_delta","delta":{"stop_reason":"stop_sequence","stop_sequence":"END"}}`, evStop),
			want: model.Done{Stop: message.StopSequence, Detail: "END"},
		},
		{
			name: "a reason of a later version",
			body: events(`{"type":"message_start","message":{"id":"m"}}`, `{"type":"message_delta","delta":{"stop_reason":"tea_time"}}`, evStop),
			want: model.Done{Stop: "tea_time"},
		},
		{
			name: "no reason",
			body: events(`{"type":"message_start","message":{"id":"m"}}`, evStop),
			want: model.Done{Stop: message.StopEnd},
		},
		{
			name: "no reason after a call, and no start",
			body: evBlock(0, `{"type":"tool_use","id":"t","name":"a","input":{}}`) + events(evStop),
			want: model.Done{Stop: message.StopTool},
		},
		{
			name: "no blank line after the last event, no event names, DONE at the end",
			body: "data: {\"type\":\"message_start\",\"message\":{\"id\":\"m\"}}\n\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"}}\n\ndata: [DONE]\n\ndata:{\"type\":\"message_stop\"}",
			want: model.Done{Stop: message.StopEnd},
		},
		{
			name: "the type only as the event's name",
			body: "event: message_start\r\ndata: {\"message\":{\"id\":\"m\"}}\r\n\r\nevent: message_stop\r\ndata: {}\r\n\r\n",
			want: model.Done{Stop: message.StopEnd},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := run(serve(t, stream(tt.body)), hello())
			if err != nil {
				t.Fatal(err)
			}
			checkOrder(t, got)
			if d := cmp.Diff(model.Event(tt.want), got[len(got)-1]); d != "" {
				t.Errorf("last event (-want +got):\n%s", d)
			}
		})
	}
}

func TestStreamFails(t *testing.T) {
	begun := events(evStart) + evBlock(0, `{"type":"text","text":""}`, `{"type":"text_delta","text":"The answer is"}`)
	plainAnswer := func(status int, kind, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if kind != "" {
				w.Header().Set("Content-Type", kind)
			}
			w.Header().Set("Request-Id", "req_1")
			w.WriteHeader(status)
			io.WriteString(w, body)
		}
	}
	cutOff := model.Error{Kind: model.Cut, Status: 200, Message: "the connection closed before the reply was complete"}
	bad := func(msg string) model.Error { return model.Error{Kind: model.BadReply, Status: 200, Message: msg} }
	for _, tt := range []struct {
		name  string
		h     http.HandlerFunc
		want  model.Error
		parts int // finished before
	}{
		{
			name: "error event after content (B015)", h: stream(begun + events(`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`)), parts: 1,
			want: model.Error{Kind: model.Overloaded, Status: 200, Type: "overloaded_error", Message: "Overloaded"},
		},
		{
			name: "error event first (B015)", h: stream(events(`{"type":"error","error":{"type":"rate_limit_error","message":"slow"}}`)),
			want: model.Error{Kind: model.RateLimited, Status: 200, Type: "rate_limit_error", Message: "slow"},
		},
		{
			name: "error object without a type (B028)", h: stream("data: {\"error\":{\"message\":\"template failed\",\"type\":\"server_error\"}}\n\ndata: [DONE]\n\n"),
			want: model.Error{Kind: model.Unavailable, Status: 200, Type: "server_error", Message: "template failed"},
		},
		{
			name: "error event that is a string", h: stream("event: error\ndata: {\"error\":\"out of memory\"}\n\n"),
			want: model.Error{Kind: model.Unavailable, Status: 200, Message: "out of memory"},
		},
		{
			name: "error event that is bare text", h: stream("event: error\ndata: out of memory\n\n"),
			want: model.Error{Kind: model.Unavailable, Status: 200, Message: "out of memory"},
		},
		{name: "cut after a finished block (B016)", h: stream(begun), want: cutOff, parts: 1},
		{name: "cut after the stop reason (B016)", h: stream(begun + events(evEnd)), want: cutOff, parts: 1},
		{name: "cut inside an event (B016)", h: stream(begun + "event: content_block_start\ndata: {\"type\":\"content_bl"), want: cutOff, parts: 1},
		{name: "cut after a block whose end got lost", h: stream(events(evStart, `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"x"}}`, `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"y"}}`)), want: cutOff, parts: 1},
		{name: "cut at once", h: stream(""), want: cutOff},
		{name: "cut without the end of the transfer", want: cutOff, parts: 1, h: func(w http.ResponseWriter, r *http.Request) {
			stream(begun)(w, r)
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}},
		{name: "a web page (B027)", h: plainAnswer(200, "text/html", "<html>login</html>"), want: bad("HTTP 200 with text/html where a reply of the Messages API was due: login")},
		{name: "a web page called a stream (B027)", h: plainAnswer(200, "text/event-stream", "<html>login</html>"), want: bad("HTTP 200 with text/event-stream where a reply of the Messages API was due: login")},
		{name: "an empty answer", h: plainAnswer(200, "text/plain", ""), want: bad("HTTP 200 with text/plain where a reply of the Messages API was due")},
		{name: "a whole message (B028)", h: plainAnswer(200, "application/json", `{"type":"message","content":[]}`), want: bad(`HTTP 200 with application/json where a reply of the Messages API was due: {"type":"message","content":[]}`)},
		{
			name: "an error object with status 200 (B028)", h: plainAnswer(200, "application/json", `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`),
			want: model.Error{Kind: model.Overloaded, Status: 200, Type: "overloaded_error", Message: "Overloaded"},
		},
		{name: "broken JSON", h: stream(begun + "data: {\"type\":\n\n" + events(evStop)), want: bad("an event is not JSON: {\"type\":"), parts: 1},
		{name: "a field of the wrong type", h: stream(events(`{"type":"message_start","message":{"id":7}}`)), want: bad("message_start: field message.id has the wrong type")},
		{name: "a delta for nothing", h: stream(events(evStart, `{"type":"content_block_delta","index":3,"delta":{"type":"text_delta","text":"x"}}`)), want: bad("text_delta for a block that is not open")},
		{name: "a second reply", h: stream(events(evStart, evStart)), want: bad("a second reply began inside this one")},
		{name: "a block that is none", h: stream(events(evStart, `{"type":"content_block_start","index":0,"content_block":7}`)), want: bad(`not a JSON object: "7"`)},
		{name: "a block without a type", h: stream(events(evStart, `{"type":"content_block_start","index":0,"content_block":{}}`)), want: bad("a content block without a type")},
		{name: "status", h: plainAnswer(529, "application/json", `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`), want: model.Error{Kind: model.Overloaded, Status: 529, Type: "overloaded_error", Message: "Overloaded"}},
		{name: "redirect", want: model.Error{Kind: model.NotFound, Status: 302, Message: "the server redirects to https://evil.example; set the base URL to where the API is"}, h: func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Request-Id", "req_1")
			http.Redirect(w, r, "https://evil.example/x?k=secret", http.StatusFound)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := run(serve(t, tt.h), hello())
			if err == nil {
				t.Fatalf("no error; events: %v", got)
			}
			err.Err = nil
			tt.want.Provider, tt.want.RequestID = "anthropic", "req_1"
			if d := cmp.Diff(tt.want, *err); d != "" {
				t.Errorf("error (-want +got):\n%s", d)
			}
			if len(parts(got)) != tt.parts {
				t.Errorf("%d parts before the error, want %d", len(parts(got)), tt.parts)
			}
		})
	}
}

func TestMislabelledStream(t *testing.T) {
	for _, kind := range []string{"", "text/plain", "application/octet-stream"} {
		c := serve(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header()["Content-Type"] = []string{kind}
			io.WriteString(w, oneBlock(evBlock(0, `{"type":"text","text":"x"}`)))
		})
		if got, err := run(c, hello()); err != nil || len(parts(got)) != 1 {
			t.Errorf("content type %q: %v, %v", kind, got, err)
		}
	}
}

func TestGzipNobodyAskedFor(t *testing.T) {
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Accept-Encoding") != "" {
			t.Errorf("compression was asked for: %q", r.Header.Get("Accept-Encoding"))
		}
		w.Header().Set("Content-Type", "text/event-stream")
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		io.WriteString(z, oneBlock(evBlock(0, `{"type":"text","text":"x"}`)))
		z.Close()
	})
	if got, err := run(c, hello()); err != nil || len(parts(got)) != 1 {
		t.Errorf("%v, %v", got, err)
	}
}

// B019: one byte at a time must give what the whole gives.
func TestStreamByteByByte(t *testing.T) {
	body := oneBlock(evBlock(0, `{"type":"tool_use","id":"t1","name":"write","input":{}}`, `{"type":"input_json_delta","partial_json":"{\"path\":\"u.txt\",\"content\":\"北京 café\"}"}`))
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for i := range len(body) {
			io.WriteString(w, body[i:i+1])
			w.(http.Flusher).Flush()
		}
	})
	got, err := run(c, hello())
	if err != nil {
		t.Fatal(err)
	}
	want := message.Parts{message.Call{ID: "t1", Name: "write", Input: rawJSON(`{"path":"u.txt","content":"北京 café"}`)}}
	if d := cmp.Diff(want, parts(got)); d != "" {
		t.Errorf("parts (-want +got):\n%s", d)
	}
}

func TestLongLine(t *testing.T) {
	long := strings.Repeat("x", 3<<20)
	c := serve(t, stream(oneBlock(evBlock(0, `{"type":"text","text":""}`, `{"type":"text_delta","text":"`+long+`"}`))))
	got, err := run(c, hello())
	if err != nil || got == nil || parts(got)[0].(message.Text).Text != long {
		t.Errorf("a long line did not survive: %v", err)
	}
}

// A reply of a thousand deltas, from bytes to events.
func BenchmarkStream(b *testing.B) {
	var deltas []string
	for range 1000 {
		deltas = append(deltas, `{"type":"text_delta","text":"some words of a reply, as they come\n"}`)
	}
	body := oneBlock(evBlock(0, `{"type":"text","text":""}`, deltas...))
	c := New(Options{Transport: replayed(body)})
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := run(c, hello()); err != nil {
			b.Fatal(err)
		}
	}
}

// replayed answers every request with a stream, without a network.
type replayed string

func (s replayed) RoundTrip(*http.Request) (*http.Response, error) {
	h := http.Header{"Content-Type": {"text/event-stream"}}
	return &http.Response{StatusCode: http.StatusOK, ProtoMajor: 2, Header: h, Body: io.NopCloser(strings.NewReader(string(s)))}, nil
}
