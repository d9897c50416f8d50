package oracle

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	sdk "github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/option"
	"github.com/google/go-cmp/cmp"

	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/model"
	"github.com/daruma-dev/daruma/model/anthropic"
)

// replay answers every request with the same stream.
type replay string

func (s replay) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{
		Status: "200 OK", StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: io.NopCloser(strings.NewReader(string(s))),
	}, nil
}

// reply is what a reader makes of a stream.
type reply struct {
	ID, Model, Stop string
	Usage           message.Usage
	Blocks          []block
}

type block struct {
	Type, Text, Thinking, Signature, Data, ID, Name string

	Input any
	Whole any // the block as JSON
}

// theirs reads a stream with the SDK.
func theirs(t *testing.T, stream string) reply {
	t.Helper()
	c := sdk.NewClient(option.WithAPIKey("k"), option.WithMaxRetries(0), option.WithoutOpenTelemetry(), option.WithHTTPClient(&http.Client{Transport: replay(stream)}))
	s := c.Messages.NewStreaming(context.Background(), sdk.MessageNewParams{Model: asked, MaxTokens: 8000, Messages: []sdk.MessageParam{sdk.NewUserMessage(sdk.NewTextBlock("x"))}})
	var m sdk.Message
	for s.Next() {
		if err := m.Accumulate(s.Current()); err != nil {
			t.Fatalf("the SDK: %v", err)
		}
	}
	if err := s.Err(); err != nil {
		t.Fatalf("the SDK: %v", err)
	}
	u := m.Usage
	r := reply{ID: m.ID, Model: string(m.Model), Stop: string(m.StopReason), Usage: message.Usage{
		Input: u.InputTokens, Output: u.OutputTokens, CacheRead: u.CacheReadInputTokens, CacheWrite: u.CacheCreationInputTokens,
		CacheWrite1h: u.CacheCreation.Ephemeral1hInputTokens, Thinking: u.OutputTokensDetails.ThinkingTokens,
	}}
	for _, b := range m.Content {
		if b.Type == "text" && b.Text == "" {
			continue // for us an empty text is no part
		}
		out := block{Type: b.Type, Text: b.Text, Thinking: b.Thinking, Signature: b.Signature, Data: b.Data, Whole: value(t, []byte(b.RawJSON()))}
		if b.Type == "tool_use" {
			out.ID, out.Name, out.Input = b.ID, b.Name, value(t, b.Input)
		}
		r.Blocks = append(r.Blocks, out)
	}
	return r
}

// ours reads a stream with our client. Whole is what it would send back.
func ours(t *testing.T, stream string) reply {
	t.Helper()
	var r reply
	var parts message.Parts
	c := anthropic.New(anthropic.Options{Transport: replay(stream)})
	for e, err := range c.Stream(context.Background(), &model.Request{Model: asked, Messages: []*message.Message{message.NewUser("m", "x")}}) {
		if err != nil {
			t.Fatalf("our client: %v", err)
		}
		switch e := e.(type) {
		case model.Started:
			r.ID, r.Model = e.ID, e.Model
		case model.PartDone:
			parts = append(parts, e.Part)
			r.Blocks = append(r.Blocks, blockOf(t, e.Part))
		case model.Done:
			r.Stop, r.Usage = string(e.Stop), *e.Usage
		}
	}
	for i, p := range parts {
		r.Blocks[i].Whole = sentBack(t, p)
	}
	return r
}

func blockOf(t *testing.T, p message.Part) block {
	t.Helper()
	switch p := p.(type) {
	case message.Text:
		return block{Type: "text", Text: p.Text}
	case message.Thinking:
		if p.Redacted != "" {
			return block{Type: "redacted_thinking", Data: p.Redacted}
		}
		return block{Type: "thinking", Thinking: p.Text, Signature: p.Signature}
	case message.Call:
		return block{Type: "tool_use", ID: p.ID, Name: p.Name, Input: value(t, p.Input)}
	case message.Opaque:
		return block{Type: p.Type}
	default:
		t.Fatalf("a model does not send %T", p)
		return block{}
	}
}

// sentBack is the block that the next request holds for a part of a reply.
func sentBack(t *testing.T, p message.Part) any {
	t.Helper()
	end := message.Opaque{Type: "end", Raw: json.RawMessage(`{"type":"end"}`)} // thinking alone is not sent
	m := &message.Message{Role: message.Assistant, Model: "anthropic/" + asked, Wire: "anthropic", Parts: message.Parts{p, end}}
	var body struct {
		Messages []struct {
			Content []any `json:"content"`
		} `json:"messages"`
	}
	raw := bodyOf(&model.Request{Model: asked, Messages: []*message.Message{message.NewUser("m", "x"), m}})
	if err := json.Unmarshal(raw, &body); err != nil || len(body.Messages[1].Content) != 2 {
		t.Fatalf("%v: %s", err, raw)
	}
	return body.Messages[1].Content[0]
}

// Streams written down by hand, one file each.
func TestStreams(t *testing.T) {
	files, err := filepath.Glob("testdata/*.sse")
	if err != nil || len(files) == 0 {
		t.Fatal("no streams in testdata", err)
	}
	for _, f := range files {
		t.Run(filepath.Base(f), func(t *testing.T) {
			raw, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			compare(t, string(raw))
		})
	}
}

func TestGeneratedStreams(t *testing.T) {
	for seed := range uint64(300) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			compare(t, stream(rand.New(rand.NewPCG(seed, 2))))
		})
	}
}

func compare(t *testing.T, stream string) {
	t.Helper()
	if d := cmp.Diff(theirs(t, stream), ours(t, stream)); d != "" {
		t.Errorf("the readers differ (-theirs +ours):\n%s\nstream:\n%s", d, stream)
	}
}

// stream draws the stream of a reply, with blocks that may interleave.
func stream(r *rand.Rand) string {
	var blocks [][]string // the events of each block
	for i := range r.IntN(5) {
		blocks = append(blocks, blockEvents(r, i))
	}
	out := event(`{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"` + asked + `","content":[],"stop_reason":null,"stop_sequence":null,"stop_details":null,"usage":{"input_tokens":10,"cache_creation_input_tokens":6,"cache_read_input_tokens":7,"cache_creation":{"ephemeral_5m_input_tokens":2,"ephemeral_1h_input_tokens":4},"output_tokens":1}}}`)
	begun := 0
	for len(blocks) > 0 {
		if r.IntN(6) == 0 {
			out += pick(r, event(`{"type":"ping"}`), ": keep-alive\n\n", event(`{"type":"not_yet_known","index":0}`))
		}
		// Blocks start in order; their other events may take turns.
		i := min(r.IntN(len(blocks)), begun)
		if begun == 0 || r.IntN(4) > 0 {
			i = 0
		}
		if i == begun {
			begun++
		}
		out += event(blocks[i][0])
		if blocks[i] = blocks[i][1:]; len(blocks[i]) == 0 {
			blocks = append(blocks[:i:i], blocks[i+1:]...)
			begun--
		}
	}
	if r.IntN(2) == 0 {
		out += event(`{"type":"message_delta","delta":{"stop_reason":null,"stop_sequence":null},"usage":{"output_tokens":50}}`)
	}
	stop := pick(r, "end_turn", "tool_use", "max_tokens", "pause_turn", "refusal", "model_context_window_exceeded")
	out += event(`{"type":"message_delta","delta":{"stop_reason":"` + stop + `","stop_sequence":null},"usage":{"output_tokens":90,"input_tokens":11,"cache_read_input_tokens":8,"output_tokens_details":{"thinking_tokens":33}}}`)
	return out + event(`{"type":"message_stop"}`)
}

func event(data string) string {
	var head struct{ Type string }
	_ = json.Unmarshal([]byte(data), &head)
	return "event: " + head.Type + "\ndata: " + data + "\n\n"
}

// said are what a model says. Blank text and NUL are left out: for those we send
// something else back on purpose.
var said = slices.DeleteFunc(slices.Clone(texts), func(s string) bool {
	return s != "" && strings.TrimSpace(s) == "" || strings.Contains(s, "\x00")
})

// blockEvents are the events of one block.
func blockEvents(r *rand.Rand, i int) []string {
	start, kind, field, content := `{"type":"text","text":""}`, "text_delta", "text", pick(r, said...)
	extra := ""
	switch r.IntN(6) {
	case 0:
		start = `{"type":"text","text":"","citations":[]}`
		extra = `{"type":"citations_delta","citation":{"type":"web_search_result_location","cited_text":"x","encrypted_index":"e","title":"t","url":"https://x.example"}}`
	case 1:
		start, kind, field = `{"type":"thinking","thinking":"","signature":""}`, "thinking_delta", "thinking"
		extra = `{"type":"signature_delta","signature":"c2lnbmF0dXJl"}`
	case 2:
		start = fmt.Sprintf(`{"type":"tool_use","id":"toolu_%d","name":"read","input":{},"caller":{"type":"direct"}}`, i)
		kind, field, content = "input_json_delta", "partial_json", pick(r, "", `{}`, `{"path": "北京/\u00e9", "n": 1.50, "deep": {"a":[1, 2]}}`)
	case 3:
		start = fmt.Sprintf(`{"type":"server_tool_use","id":"srvtoolu_%d","name":"web_search","input":{}}`, i)
		kind, field, content = "input_json_delta", "partial_json", `{"query": "go 1.26"}`
	case 4:
		start, kind = `{"type":"redacted_thinking","data":"ZGF0YQ=="}`, ""
	}
	of := func(typ, rest string) string {
		return fmt.Sprintf(`{"type":"content_block_%s","index":%d%s}`, typ, i, rest)
	}
	out := []string{of("start", `,"content_block":`+start)}
	for runes := []rune(content); kind != "" && len(runes) > 0; {
		n := min(1+r.IntN(2000), len(runes))
		piece, _ := json.Marshal(string(runes[:n]))
		out = append(out, of("delta", fmt.Sprintf(`,"delta":{"type":%q,%q:%s}`, kind, field, piece)))
		runes = runes[n:]
	}
	if extra != "" {
		out = append(out, of("delta", `,"delta":`+extra))
	}
	return append(out, of("stop", ""))
}
