package anthropic

import (
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
