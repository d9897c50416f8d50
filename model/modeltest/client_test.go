package modeltest

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/model"
)

// ask is a request with one message.
func ask(text string) *model.Request {
	return &model.Request{Model: "m1", Messages: []*message.Message{message.NewUser("u1", text)}}
}

// hear takes a whole reply.
func hear(ctx context.Context, c model.Client, req *model.Request) (events []model.Event, failure *model.Error) {
	for e, err := range c.Stream(ctx, req) {
		if err != nil {
			failure = err.(*model.Error) //nolint:errorlint,forcetypeassert // the contract
			continue
		}
		events = append(events, e)
	}
	return events, failure
}

func TestClientEvents(t *testing.T) {
	c := &Client{Script: MustParse(`thinking "hm"
text "Hello there, this is more than one piece."
ping
call t1 read {"path":"a"}
block {"type":"server_tool_use","id":"s1","name":"web_search","input":{"q":1}}
block {"type":"text","text":"cited","citations":[]}`)}
	got, failure := hear(t.Context(), c, ask("hi"))
	want := []model.Event{
		model.Started{ID: "msg_000001", Model: "m1", Wire: "anthropic", Usage: message.Usage{Input: 13, Output: 1}},
		model.PartStarted{Index: 0, Kind: model.DeltaThinking},
		model.Delta{Index: 0, Kind: model.DeltaThinking, Text: "hm"},
		model.PartDone{Index: 0, Part: message.Thinking{Text: "hm", Signature: "sig_000001_0"}},
		model.PartStarted{Index: 1, Kind: model.DeltaText},
		model.Delta{Index: 1, Kind: model.DeltaText, Text: "Hello there, this is mor"},
		model.Delta{Index: 1, Kind: model.DeltaText, Text: "e than one piece."},
		model.PartDone{Index: 1, Part: message.Text{Text: "Hello there, this is more than one piece."}},
		model.Alive{},
		model.PartStarted{Index: 2, Kind: model.DeltaInput, CallID: "t1", Name: "read"},
		model.Delta{Index: 2, Kind: model.DeltaInput, Text: `{"path":"a"}`},
		model.PartDone{Index: 2, Part: message.Call{ID: "t1", Name: "read", Input: []byte(`{"path":"a"}`)}},
		model.PartStarted{Index: 3, Kind: model.DeltaOpaque},
		model.Delta{Index: 3, Kind: model.DeltaOpaque, Text: `{"q":1}`},
		model.PartDone{Index: 3, Part: message.Opaque{
			Type: "server_tool_use", Raw: []byte(`{"type":"server_tool_use","id":"s1","name":"web_search","input":{"q":1}}`),
		}},
		model.PartStarted{Index: 4, Kind: model.DeltaText},
		model.PartDone{Index: 4, Part: message.Text{Text: "cited", Raw: []byte(`{"type":"text","text":"cited","citations":[]}`)}},
		model.Done{Stop: message.StopTool, Usage: &message.Usage{Input: 13, Output: 54}},
	}
	if diff := cmp.Diff(want, got); diff != "" || failure != nil {
		t.Errorf("failure %v, events (-want +got):\n%s", failure, diff)
	}
}

// TestClientFaults shows what becomes of each fault that the suite does not
// see without a wire.
func TestClientFaults(t *testing.T) {
	const idle, timeout = 5 * time.Second, time.Minute
	tests := []struct {
		name   string
		script string
		want   model.Error
		after  time.Duration
	}{
		{name: "cut before the answer", script: "wait 1s\ncut", want: model.Error{Kind: model.Network, Message: "the connection was closed"}, after: time.Second},
		{name: "cut after the headers", script: "cut after 0", want: model.Error{Kind: model.Cut, Status: 200, Message: "the stream ended early"}},
		{name: "stalled before the answer", script: "stall", want: model.Error{Kind: model.Stalled, Status: 200, Message: "nothing came for 5s"}, after: idle},
		{name: "silence adds up", script: "start\nwait 3s\nwait 3s\ntext \"late\"", want: model.Error{Kind: model.Stalled, Status: 200, Message: "nothing came for 5s"}, after: idle},
		{name: "raw bytes break the silence", script: "start\nwait 3s\nraw \": x\\n\\n\"\nwait 3s\nping\nwait 4s\ncut", want: model.Error{Kind: model.Cut, Status: 200, Message: "the stream ended early"}, after: 10 * time.Second},
		{
			name: "a late refusal", script: "wait 2s\nhttp 529 retry-after=1.5",
			want: model.Error{Kind: model.Overloaded, Status: 529, Type: "overloaded_error", Message: "Overloaded", RetryAfter: 1500 * time.Millisecond}, after: 2 * time.Second,
		},
		{name: "a web page", script: `body 200 text/html "<html>"`, want: model.Error{Kind: model.BadReply, Status: 200, Message: "the answer is text/html, not an event stream"}},
		{name: "a proxy's page", script: `body 502 text/html "<html>"`, want: model.Error{Kind: model.Unavailable, Status: 502, Message: "the answer is text/html, not an event stream"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := &Client{Script: MustParse(tt.script), IdleTimeout: idle}
				ctx, cancel := context.WithTimeout(t.Context(), timeout)
				defer cancel()
				began := time.Now()
				_, got := hear(ctx, c, ask("hi"))
				tt.want.Provider = "modeltest"
				if diff := cmp.Diff(&tt.want, got, cmpopts.IgnoreFields(model.Error{}, "Err")); diff != "" {
					t.Errorf("failure (-want +got):\n%s", diff)
				}
				if d := time.Since(began); d != tt.after {
					t.Errorf("it took %s, not %s", d, tt.after)
				}
			})
		})
	}
}

func TestClientRefuses(t *testing.T) {
	wrongRole := &model.Request{Model: "m1", Messages: []*message.Message{{Role: message.Assistant, Parts: message.Parts{message.Text{Text: "hi"}}}}}
	empty := ask("")
	tests := []struct {
		name     string
		client   *Client
		req      *model.Request
		want     model.Error
		problems []string
	}{
		{
			name: "a wrong order", client: &Client{Script: Replies{Say("left")}}, req: wrongRole,
			want:     model.Error{Kind: model.BadRequest, Message: `messages: first message must use the "user" role`},
			problems: []string{`request 1: messages: first message must use the "user" role`},
		},
		{
			name: "an empty text", client: &Client{Script: Replies{Say("left")}}, req: empty,
			want:     model.Error{Kind: model.BadRequest, Message: "messages: text content blocks must be non-empty"},
			problems: []string{"request 1: messages: text content blocks must be non-empty"},
		},
		{
			name: "too much", client: &Client{Script: Replies{Say("left")}, Window: 12}, req: ask("hi"),
			want: model.Error{Kind: model.Overflow, Message: "prompt is too long: 13 tokens > 12 maximum", Actual: 13, Limit: 12},
		},
		{
			name: "too much, though lax", client: &Client{Script: Replies{Say("left")}, Window: 12, Lax: true}, req: wrongRole,
			want: model.Error{Kind: model.Overflow, Message: "prompt is too long: 13 tokens > 12 maximum", Actual: 13, Limit: 12},
		},
		{
			name: "more than was scripted", client: &Client{}, req: ask("hi"),
			want:     model.Error{Kind: model.BadRequest, Message: "modeltest: the script has no reply for request 1"},
			problems: []string{"request 1: modeltest: the script has no reply for request 1"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			left := tt.client.Remaining()
			events, got := hear(t.Context(), tt.client, tt.req)
			tt.want.Provider, tt.want.Status, tt.want.Type = "modeltest", 400, "invalid_request_error"
			if diff := cmp.Diff(&tt.want, got); diff != "" || len(events) > 0 {
				t.Errorf("events %v, failure (-want +got):\n%s", events, diff)
			}
			if diff := cmp.Diff(tt.problems, tt.client.Problems()); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
			if rs := tt.client.Requests(); len(rs) != 1 || rs[0] != tt.req || tt.client.Remaining() != left {
				t.Errorf("%d requests, %d replies left of %d", len(rs), tt.client.Remaining(), left)
			}
		})
	}
}

func TestClientLax(t *testing.T) {
	c := &Client{Script: Replies{Say("ok")}, Lax: true}
	events, failure := hear(t.Context(), c, ask(""))
	if failure != nil || len(events) == 0 || len(c.Problems()) > 0 {
		t.Errorf("%v %v %v", events, failure, c.Problems())
	}
}

// TestClientFunc sees that a function gets the requests one at a time, with
// their numbers.
func TestClientFunc(t *testing.T) {
	seen := map[int]bool{}
	c := &Client{Script: Func(func(n int, req Request) Reply {
		seen[n] = true // no lock: the race detector watches
		return Say(strings.ToUpper(req.Parsed().Messages[0].Text()))
	})}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			events, failure := hear(t.Context(), c, ask("hi"))
			if failure != nil || !cmp.Equal(events[3], model.Event(model.PartDone{Part: message.Text{Text: "HI"}})) {
				t.Errorf("%v %v", events, failure)
			}
		})
	}
	wg.Wait()
	for n := 1; n <= 8; n++ {
		if !seen[n] {
			t.Errorf("no request had the number %d: %v", n, seen)
		}
	}
	if c.Remaining() != 0 || len(c.Requests()) != 8 {
		t.Errorf("%d remain, %d requests", c.Remaining(), len(c.Requests()))
	}
}

func TestClientCountTokens(t *testing.T) {
	c := &Client{}
	if n, err := c.CountTokens(t.Context(), ask("hello")); n != 14 || err != nil {
		t.Errorf("got %d, %v", n, err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	cancel(why)
	_, err := c.CountTokens(ctx, ask("hello"))
	if e, ok := errors.AsType[*model.Error](err); !ok || e.Kind != model.Canceled || !errors.Is(err, why) {
		t.Errorf("got %v", err)
	}
}

// TestSameCounts sees that a request costs the same as a value and over the
// wire.
func TestSameCounts(t *testing.T) {
	req := &model.Request{
		Model:  "m1",
		System: []model.Block{{Text: "You are <b>.", Cache: true}, {Text: "é"}},
		Tools:  []model.Tool{{Name: "read", Description: "Reads.", Schema: []byte(`{"type":"object"}`)}},
		Messages: []*message.Message{
			message.NewUser("u1", "hi"),
			{Role: message.Assistant, Parts: message.Parts{
				message.Text{Text: "so"},
				message.Call{ID: "t1", Name: "read", Input: []byte(`{"a": 1}`)},
				message.Call{ID: "t2", Name: "read", Input: []byte(`{}`)},
			}},
			{Role: message.User, Parts: message.Parts{
				message.ToolResult{CallID: "t1", Status: message.StatusOK, Text: "12345", Media: []message.Media{{Kind: "image", MIME: "image/png", Data: []byte("x")}}},
				message.ToolResult{CallID: "t2", Status: message.StatusError},
				message.Media{Kind: "document", MIME: "application/pdf", Data: []byte("%PDF-")},
				message.Text{Text: "go on"},
			}},
		},
		CacheMarks: true,
	}
	const want = 8 + (3 + 1) + (8 + 7) + (4 + 1) + (4 + 1 + 8 + 3 + 8 + 2) + (4 + 2 + 1600 + 0 + 3000 + 2)
	again := decode(encode(req))
	if a, b := CountTokens(req), CountTokens(again); a != want || b != want {
		t.Errorf("as a value %d, over the wire %d, want %d", a, b, want)
	}
	r, err := readRequest(encode(req), readMessage)
	if err != nil {
		t.Fatal(err)
	}
	segments := r.cut()
	if last := segments[len(segments)-1]; last.tokens != want || last.ttl != 5*time.Minute {
		t.Errorf("the cache sees %d tokens for %s", last.tokens, last.ttl)
	}
}
