package oracle

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"

	sdk "github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/model"
	"github.com/daruma-dev/daruma/model/anthropic"
)

// capture keeps the body of a request and answers nothing.
type capture struct{ body []byte }

func (c *capture) RoundTrip(r *http.Request) (*http.Response, error) {
	c.body, _ = io.ReadAll(r.Body)
	return nil, errors.New("captured")
}

func bodyOf(req *model.Request) []byte {
	var c capture
	for range anthropic.New(anthropic.Options{Transport: &c}).Stream(context.Background(), req) {
	}
	return c.body
}

// The SDK must read every body that we write and find in it what we put there:
// what it writes again has the same value. It knows only fields of the API, so
// one that does not exist would get lost.
func TestSDKReadsOurBodies(t *testing.T) {
	for seed := range uint64(300) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			ours := bodyOf(conversation(rand.New(rand.NewPCG(seed, 1))))
			var params sdk.MessageNewParams
			if err := json.Unmarshal(ours, &params); err != nil {
				t.Fatalf("the SDK cannot read the body: %v\n%s", err, ours)
			}
			theirs, err := json.Marshal(params)
			if err != nil {
				t.Fatal(err)
			}
			want := value(t, ours).(map[string]any)
			if want["stream"] != true {
				t.Error("no stream was asked for")
			}
			delete(want, "stream") // the SDK adds it when it sends
			if d := cmp.Diff(any(want), value(t, theirs)); d != "" {
				t.Errorf("the SDK reads another value (-ours +theirs):\n%s", d)
			}
		})
	}
}

func value(t *testing.T, b []byte) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

const asked = "claude-opus-5-5"

// texts are what the parts of conversations are made of.
var texts = []string{
	"hello", "", " \n", "北京 café 👩‍👩‍👧", "a\x00b", "\xff", "<b>&amp;</b>", "\u2028\t\"\\", `{"json":"\u0000"}`, strings.Repeat("long ", 5000),
}

func pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

// conversation draws a request as the loop would send it.
func conversation(r *rand.Rand) *model.Request {
	req := &model.Request{
		Model: asked, MaxTokens: pick[int64](r, 0, 1, 64000), Effort: pick(r, "", "low", "high", "max"), CacheMarks: r.IntN(2) == 0,
		Messages: []*message.Message{message.NewUser("m", "begin")},
	}
	for range r.IntN(4) {
		req.System = append(req.System, model.Block{Text: pick(r, texts...), Cache: r.IntN(2) == 0})
	}
	for i := range r.IntN(3) {
		req.Tools = append(req.Tools, model.Tool{
			Name: pick(r, "read", "a.b") + fmt.Sprint(i), Description: pick(r, texts...),
			Schema: json.RawMessage(pick(r, `{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`, `{"type":"object"}`, `{"properties":{}}`)),
		})
	}
	for i := range r.IntN(8) {
		reply, answer := turn(r, i)
		req.Messages = append(req.Messages, reply, answer)
	}
	return req
}

// turn is a reply and the user message that answers its calls.
func turn(r *rand.Rand, i int) (reply, answer *message.Message) {
	reply = &message.Message{Role: message.Assistant, Model: pick(r, "anthropic/"+asked, "anthropic/other", "openai/x"), Wire: pick(r, "anthropic", "openai")}
	answer = &message.Message{Role: message.User}
	for j := range r.IntN(5) {
		switch r.IntN(5) {
		case 0:
			reply.Parts = append(reply.Parts, message.Text{Text: pick(r, texts...)})
		case 1:
			reply.Parts = append(reply.Parts, message.Thinking{Text: pick(r, texts...), Signature: pick(r, "", "c2ln")})
		case 2:
			reply.Parts = append(reply.Parts, message.Thinking{Redacted: "ZGF0YQ=="})
		case 3:
			raw := `{"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[{"type":"web_search_result","url":"https://x.example","title":"x","encrypted_content":"e"}]}`
			reply.Parts = append(reply.Parts, message.Opaque{Type: "web_search_tool_result", Raw: json.RawMessage(raw)})
		case 4:
			id := fmt.Sprintf("%s%d_%d", pick(r, "toolu_", "call:"), i, j)
			reply.Parts = append(reply.Parts, message.Call{ID: id, Name: pick(r, "read", "a.b"), Input: json.RawMessage(pick(r, `{}`, `{"path": "a", "n": 1.50}`, `{"cut`, `{"nul":"\u0000"}`))})
			answer.Parts = append(answer.Parts, message.ToolResult{
				CallID: id, Status: pick(r, message.StatusOK, message.StatusError), Text: pick(r, texts...), Media: pick(r, nil, media(r)),
			})
		}
	}
	answer.Parts = append(answer.Parts, message.Text{Text: pick(r, texts...)})
	for _, m := range media(r) {
		answer.Parts = append(answer.Parts, m)
	}
	return reply, answer
}

func media(r *rand.Rand) []message.Media {
	all := []message.Media{
		{Kind: "image", MIME: "image/png", Data: []byte("\x89PNG\r\n\x1a\n")},
		{Kind: "document", MIME: "application/pdf", Data: []byte("%PDF-1.7"), Name: "a.pdf"},
		{Kind: "document", MIME: "text/plain", Data: []byte("plain")},
		{Kind: "image", MIME: "image/bmp", Data: []byte("BM")},
	}
	return all[:r.IntN(len(all)+1)]
}
