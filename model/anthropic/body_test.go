package anthropic

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/model"
)

const thisModel = "claude-opus-5-5"

func user(parts ...message.Part) *message.Message {
	return &message.Message{Role: message.User, Parts: parts}
}

// assistant is a reply of the model that the tests ask.
func assistant(parts ...message.Part) *message.Message {
	return &message.Message{Role: message.Assistant, Model: "anthropic/" + thisModel, Wire: "anthropic", Parts: parts}
}

// from is m as another model or another protocol would have written it.
func from(m *message.Message, name, wire string) *message.Message {
	m.Model, m.Wire = name, wire
	return m
}

func text(s string) message.Text { return message.Text{Text: s} }

func ok(id, s string, media ...message.Media) message.ToolResult {
	return message.ToolResult{CallID: id, Status: message.StatusOK, Text: s, Media: media}
}

func call(id, input string) message.Call {
	return message.Call{ID: id, Name: "read", Input: json.RawMessage(input)}
}

// bytesOf is the body's bytes; it checks that the size is right and that the
// body can be read in any pieces, and twice.
func bytesOf(t interface{ Fatalf(string, ...any) }, b body) string {
	whole, err := io.ReadAll(b.reader())
	if err != nil || int64(len(whole)) != b.size {
		t.Fatalf("read %d bytes of a body of %d: %v", len(whole), b.size, err)
	}
	if len(whole) < 4096 {
		if err := iotest.TestReader(b.reader(), whole); err != nil {
			t.Fatalf("reading the body: %v", err)
		}
	}
	return string(whole)
}

// messagesOf is the value of "messages" in the body of a request.
func messagesOf(t *testing.T, ms ...*message.Message) string {
	t.Helper()
	req := &model.Request{Model: thisModel, Messages: ms}
	all := bytesOf(t, New(Options{}).streamBody(req))
	all = strings.TrimPrefix(all, `{"model":"`+thisModel+`","messages":`)
	return strings.TrimSuffix(all, `,"max_tokens":8000,"stream":true}`)
}

func TestBody(t *testing.T) {
	for _, tt := range []struct {
		name string
		req  *model.Request
		want string
	}{
		{
			name: "the least",
			req:  &model.Request{Model: "m", Messages: []*message.Message{user(text("hi"))}},
			want: `{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"hi"}]}],"max_tokens":8000,"stream":true}`,
		},
		{
			name: "everything, in an order that keeps the prefix",
			req: &model.Request{
				Model: "m", MaxTokens: 64000, Effort: "high", CacheMarks: true,
				System:   []model.Block{{Text: "You are daruma.", Cache: true}, {Text: "Today is Monday."}},
				Tools:    []model.Tool{{Name: "read", Description: "Read a file.", Schema: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}}}`)}},
				Messages: []*message.Message{user(text("hi"))},
			},
			want: `{"model":"m","system":[{"type":"text","text":"You are daruma.","cache_control":{"type":"ephemeral"}},{"type":"text","text":"Today is Monday."}],` +
				`"tools":[{"name":"read","description":"Read a file.","input_schema":{"type":"object","properties":{"path":{"type":"string"}}}}],` +
				`"messages":[{"role":"user","content":[{"type":"text","text":"hi"}]}],"max_tokens":64000,"stream":true,"cache_control":{"type":"ephemeral"},"output_config":{"effort":"high"}}`,
		},
		{
			name: "at most four marks, the earliest go first (B006)",
			req: &model.Request{
				Model: "m", CacheMarks: true,
				System:   []model.Block{{Text: "a", Cache: true}, {Text: "b", Cache: true}, {Text: "c", Cache: true}, {Text: "d", Cache: true}, {Text: " ", Cache: true}},
				Messages: []*message.Message{user(text("hi"))},
			},
			want: `{"model":"m","system":[{"type":"text","text":"a"},{"type":"text","text":"b","cache_control":{"type":"ephemeral"}},{"type":"text","text":"c","cache_control":{"type":"ephemeral"}},{"type":"text","text":"d","cache_control":{"type":"ephemeral"}}],` +
				`"messages":[{"role":"user","content":[{"type":"text","text":"hi"}]}],"max_tokens":8000,"stream":true,"cache_control":{"type":"ephemeral"}}`,
		},
		{
			name: "no marks unless allowed, no blank system text, a mark on one moves forward",
			req: &model.Request{
				Model: "m", System: []model.Block{{Text: "", Cache: true}, {Text: "a", Cache: false}, {Text: "\n", Cache: true}},
				Messages: []*message.Message{user(text("hi"))},
			},
			want: `{"model":"m","system":[{"type":"text","text":"a"}],"messages":[{"role":"user","content":[{"type":"text","text":"hi"}]}],"max_tokens":8000,"stream":true}`,
		},
		{
			name: "a blank block with a mark after text",
			req: &model.Request{
				Model: "m", System: []model.Block{{Text: "a", Cache: false}, {Text: "\n", Cache: true}}, CacheMarks: true,
				Messages: []*message.Message{user(text("hi"))},
			},
			want: `{"model":"m","system":[{"type":"text","text":"a","cache_control":{"type":"ephemeral"}}],"messages":[{"role":"user","content":[{"type":"text","text":"hi"}]}],"max_tokens":8000,"stream":true,"cache_control":{"type":"ephemeral"}}`,
		},
		{
			name: "tools the API would refuse are made acceptable (B092, B095)",
			req: &model.Request{
				Model: "m", Messages: []*message.Message{user(text("hi"))},
				Tools: []model.Tool{
					{Name: "d.e", Schema: json.RawMessage(`not JSON`)},
					{Name: "b", Description: " ", Schema: json.RawMessage(`{"properties":{}}`)},
					{Name: "c", Schema: json.RawMessage(`{"type":"string","description":"a\u0000b"}`)},
				},
			},
			want: `{"model":"m","tools":[{"name":"d_e_cb8c1d18f5301f86","input_schema":{"type":"object"}},{"name":"b","input_schema":{"properties":{},"type":"object"}},{"name":"c","input_schema":{"type":"object","description":"a␀b"}}],` +
				`"messages":[{"role":"user","content":[{"type":"text","text":"hi"}]}],"max_tokens":8000,"stream":true}`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := bytesOf(t, New(Options{}).streamBody(tt.req))
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("body (-want +got):\n%s", d)
			}
			checkBody(t, got)
		})
	}
}

func TestCountBody(t *testing.T) {
	got := bytesOf(t, New(Options{}).countBody(&model.Request{Model: "m", MaxTokens: 5, CacheMarks: true, Messages: []*message.Message{user(text("hi"))}}))
	if want := `{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"hi"}]}]}`; got != want {
		t.Errorf("body = %s, want %s", got, want)
	}
}

var (
	png  = message.Media{Kind: "image", MIME: "image/png", Data: []byte("\x89PNG\r\n\x1a\n")}
	jpeg = message.Media{Kind: "image", MIME: "image/png", Data: []byte("\xff\xd8\xff")}
	pdf  = message.Media{Kind: "document", MIME: "application/pdf", Data: []byte("%PDF-1.7"), Name: "a.pdf"}
	note = message.Media{Kind: "document", MIME: "text/markdown", Data: []byte("# x"), Name: "x.md"}
	bmp  = message.Media{Kind: "image", MIME: "image/bmp", Data: []byte("BM"), Name: "old.bmp"}
)

func TestMessages(t *testing.T) {
	raw := func(s string) message.Text { return message.Text{Text: "x", Raw: json.RawMessage(s)} }
	for _, tt := range []struct {
		name string
		in   []*message.Message
		want string
	}{
		{
			name: "call and result",
			in:   []*message.Message{user(text("go")), assistant(text("ok"), call("t1", `{"path": "a"}`)), user(ok("t1", "done"))},
			want: `[{"role":"user","content":[{"type":"text","text":"go"}]},{"role":"assistant","content":[{"type":"text","text":"ok"},{"type":"tool_use","id":"t1","name":"read","input":{"path": "a"}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":[{"type":"text","text":"done"}]}]}]`,
		},
		{
			name: "neighbours of one role are joined (B010, B011)",
			in:   []*message.Message{user(text("a")), user(text("b")), assistant(text("c")), assistant(text("d")), user(text("e"))},
			want: `[{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]},{"role":"assistant","content":[{"type":"text","text":"c"},{"type":"text","text":"d"}]},{"role":"user","content":[{"type":"text","text":"e"}]}]`,
		},
		{
			name: "results lead their message (B009)",
			in:   []*message.Message{user(text("a")), assistant(call("t1", `{}`), call("t2", `{}`)), user(text("note"), ok("t1", "1"), png, ok("t2", "2"))},
			want: `[{"role":"user","content":[{"type":"text","text":"a"}]},{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"read","input":{}},{"type":"tool_use","id":"t2","name":"read","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":[{"type":"text","text":"1"}]},{"type":"tool_result","tool_use_id":"t2","content":[{"type":"text","text":"2"}]},{"type":"text","text":"note"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgo="}}]}]`,
		},
		{
			name: "empty and blank text is not sent, nor a message of nothing else (B005)",
			in:   []*message.Message{user(text("a")), assistant(text(""), call("t1", `{}`), text(" \n\t\u2003\x1c")), user(ok("t1", "")), assistant(text("")), user(text("again"))},
			want: `[{"role":"user","content":[{"type":"text","text":"a"}]},{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"read","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1"},{"type":"text","text":"again"}]}]`,
		},
		{
			name: "a user message of nothing stays at the start and the end",
			in:   []*message.Message{user(text("")), assistant(text("hi")), user(text(" "))},
			want: `[{"role":"user","content":[{"type":"text","text":"(empty message)"}]},{"role":"assistant","content":[{"type":"text","text":"hi"}]},{"role":"user","content":[{"type":"text","text":"(empty message)"}]}]`,
		},
		{
			name: "a user message of nothing in the middle goes",
			in:   []*message.Message{user(text("a")), assistant(text("b")), user(text("")), assistant(text("c")), user(text("d"))},
			want: `[{"role":"user","content":[{"type":"text","text":"a"}]},{"role":"assistant","content":[{"type":"text","text":"b"},{"type":"text","text":"c"}]},{"role":"user","content":[{"type":"text","text":"d"}]}]`,
		},
		{
			name: "thinking goes back to its model",
			in:   []*message.Message{user(text("a")), assistant(message.Thinking{Text: "hm", Signature: "s1"}, message.Thinking{Signature: "s2"}, message.Thinking{Redacted: "r"}, text("b"))},
			want: `[{"role":"user","content":[{"type":"text","text":"a"}]},{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"s1"},{"type":"thinking","thinking":"","signature":"s2"},{"type":"redacted_thinking","data":"r"},{"type":"text","text":"b"}]}]`,
		},
		{
			name: "thinking of another model, or of an unknown one, does not (B007)",
			in: []*message.Message{
				user(text("a")), from(assistant(message.Thinking{Text: "hm", Signature: "s1"}, text("b")), "anthropic/claude-sonnet-5", "anthropic"),
				user(text("c")), from(assistant(message.Thinking{Redacted: "r", Raw: json.RawMessage(`{"type":"redacted_thinking","data":"r"}`)}, text("d")), "", "anthropic"),
				user(text("e")), from(assistant(message.Thinking{Text: "x", Signature: "s"}), "bedrock/claude-opus-5-5", "anthropic"), user(text("f")),
			},
			want: `[{"role":"user","content":[{"type":"text","text":"a"}]},{"role":"assistant","content":[{"type":"text","text":"b"}]},{"role":"user","content":[{"type":"text","text":"c"}]},{"role":"assistant","content":[{"type":"text","text":"d"}]},{"role":"user","content":[{"type":"text","text":"e"},{"type":"text","text":"f"}]}]`,
		},
		{
			name: "thinking without signature, and at the end of a reply, is not sent",
			in:   []*message.Message{user(text("a")), assistant(message.Thinking{Text: "hm"}, text("b"), message.Thinking{Text: "cut", Signature: "s"}), user(text("go on"))},
			want: `[{"role":"user","content":[{"type":"text","text":"a"}]},{"role":"assistant","content":[{"type":"text","text":"b"}]},{"role":"user","content":[{"type":"text","text":"go on"}]}]`,
		},
		{
			name: "raw blocks of this protocol go back as they came",
			in:   []*message.Message{user(text("a")), assistant(raw(`{"type":"text", "text":"x","citations":[{"z":1,"a":2}]}`), message.Opaque{Type: "server_tool_use", Raw: json.RawMessage(`{"type":"server_tool_use","id":"s"}`)})},
			want: `[{"role":"user","content":[{"type":"text","text":"a"}]},{"role":"assistant","content":[{"type":"text", "text":"x","citations":[{"z":1,"a":2}]},{"type":"server_tool_use","id":"s"}]}]`,
		},
		{
			name: "raw blocks of other protocols do not",
			in:   []*message.Message{user(text("a")), from(assistant(raw(`{"other":1}`), message.Opaque{Type: "y", Raw: json.RawMessage(`{"y":1}`)}), "openai/gpt", "openai")},
			want: `[{"role":"user","content":[{"type":"text","text":"a"}]},{"role":"assistant","content":[{"type":"text","text":"x"}]}]`,
		},
		{
			name: "broken raw blocks do not, nor a cache mark in one",
			in: []*message.Message{user(text("a")), assistant(raw(`{"type":`), raw(`[]`), raw(`{"cache_control":{"type":"ephemeral"},"type":"text","text":"x"}`),
				message.Opaque{Type: "y", Raw: json.RawMessage(`{`)})},
			want: `[{"role":"user","content":[{"type":"text","text":"a"}]},{"role":"assistant","content":[{"type":"text","text":"x"},{"type":"text","text":"x"},{"type":"text","text":"x"}]}]`,
		},
		{
			name: "malformed and missing input",
			in:   []*message.Message{user(text("a")), assistant(call("t1", `{"a":`), call("t2", ``), call("t3", `[1]`), call("t4", ` {"a":1} `)), user(ok("t1", "x"), ok("t2", "x"), ok("t3", "x"), ok("t4", "x"))},
			want: `[{"role":"user","content":[{"type":"text","text":"a"}]},{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"read","input":{}},{"type":"tool_use","id":"t2","name":"read","input":{}},{"type":"tool_use","id":"t3","name":"read","input":{}},{"type":"tool_use","id":"t4","name":"read","input": {"a":1} }]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":[{"type":"text","text":"x"}]},{"type":"tool_result","tool_use_id":"t2","content":[{"type":"text","text":"x"}]},{"type":"tool_result","tool_use_id":"t3","content":[{"type":"text","text":"x"}]},{"type":"tool_result","tool_use_id":"t4","content":[{"type":"text","text":"x"}]}]}]`,
		},
		{
			name: "ids and names of other providers, changed alike in call and result",
			in: []*message.Message{
				user(text("a")), from(assistant(message.Call{ID: "functions.read:0", Name: "my tool", Input: json.RawMessage(`{}`)}), "moonshot/kimi", "openai"),
				user(ok("functions.read:0", "x")),
			},
			want: `[{"role":"user","content":[{"type":"text","text":"a"}]},{"role":"assistant","content":[{"type":"tool_use","id":"functions_read_0_5b4c7fc9f36ea68e","name":"my_tool_6aeaa70fd0a4135b","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"functions_read_0_5b4c7fc9f36ea68e","content":[{"type":"text","text":"x"}]}]}]`,
		},
		{
			name: "a raw call under another id than the result's is written anew",
			in: []*message.Message{
				user(text("a")), assistant(message.Call{ID: "t1_2", Name: "read", Input: json.RawMessage(`{}`), Raw: json.RawMessage(`{"type":"tool_use","id":"t1","name":"read","input":{},"caller":{}}`)}),
				user(ok("t1_2", "x")),
			},
			want: `[{"role":"user","content":[{"type":"text","text":"a"}]},{"role":"assistant","content":[{"type":"tool_use","id":"t1_2","name":"read","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1_2","content":[{"type":"text","text":"x"}]}]}]`,
		},
		{
			name: "media",
			in:   []*message.Message{user(png, jpeg, pdf, note, bmp)},
			want: `[{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgo="}},{"type":"image","source":{"type":"base64","media_type":"image/jpeg","data":"/9j/"}},{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"JVBERi0xLjc="},"title":"a.pdf"},{"type":"document","source":{"type":"text","media_type":"text/plain","data":"# x"},"title":"x.md"},{"type":"text","text":"[image image/bmp old.bmp not shown]"}]}]`,
		},
		{
			name: "media in results; a failed result holds text only",
			in:   []*message.Message{user(text("a")), assistant(call("t1", `{}`), call("t2", `{}`)), user(ok("t1", "", png), message.ToolResult{CallID: "t2", Status: message.StatusTimeout, Media: []message.Media{png}})},
			want: `[{"role":"user","content":[{"type":"text","text":"a"}]},{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"read","input":{}},{"type":"tool_use","id":"t2","name":"read","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgo="}}]},{"type":"tool_result","tool_use_id":"t2","is_error":true,"content":[{"type":"text","text":"failed without a message: timeout"}]},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgo="}}]}]`,
		},
		{
			name: "media by an assistant",
			in:   []*message.Message{user(text("a")), from(assistant(png), "gemini/x", "gemini"), user(text("b"))},
			want: `[{"role":"user","content":[{"type":"text","text":"a"}]},{"role":"assistant","content":[{"type":"text","text":"[image image/png not shown]"}]},{"role":"user","content":[{"type":"text","text":"b"}]}]`,
		},
		{
			name: "text that servers refuse (B056)",
			in: []*message.Message{user(text("a\x00b\xff\x01\"\\\n\r\t é<&>\u2028")), assistant(call("t\x001", `{"a\u0000":"\ud800x\ud83d\ude00\\u0000\udc00","b":"`+"\xff"+`"}`),
				message.Opaque{Type: "x", Raw: json.RawMessage(`{"type":"x","v":"\u0000"}`)}), user(ok("t\x001", "\x00"))},
			want: `[{"role":"user","content":[{"type":"text","text":"a␀b` + "\ufffd" + `\u0001\"\\\n\r\t é<&>` + "\u2028" + `"}]},{"role":"assistant","content":[{"type":"tool_use","id":"t_1_566e051943eea1d8","name":"read","input":{"a␀":"` + "\ufffd" + `x\ud83d\ude00\\u0000` + "\ufffd" + `","b":"` + "\ufffd" + `"}},{"type":"x","v":"␀"}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t_1_566e051943eea1d8","content":[{"type":"text","text":"␀"}]}]}]`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := messagesOf(t, tt.in...)
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("messages (-want +got):\n%s", d)
			}
			checkBody(t, `{"messages":`+got+`}`)
			if again := messagesOf(t, tt.in...); again != got {
				t.Errorf("the second body differs: %s", again)
			}
		})
	}
}

// A message is encoded once for its model and once for all others.
func TestEncodedOnce(t *testing.T) {
	m := assistant(message.Thinking{Text: "x", Signature: "s"}, text("y"))
	own, foreign := encoded(m, true), encoded(m, false)
	if &own[0] != &encoded(m, true)[0] || &foreign[0] != &encoded(m, false)[0] || bytes.Equal(own, foreign) {
		t.Error("the message was encoded again, or for the wrong model")
	}
}

// checkBody checks what every body must satisfy, whatever the conversation.
func checkBody(t interface{ Errorf(string, ...any) }, s string) {
	var b struct {
		Cache    any               `json:"cache_control"`
		System   []json.RawMessage `json:"system"`
		Messages []struct {
			Role    string            `json:"role"`
			Content []json.RawMessage `json:"content"`
		} `json:"messages"`
	}
	if !json.Valid([]byte(s)) || json.Unmarshal([]byte(s), &b) != nil {
		t.Errorf("not the JSON of a request: %s", s)
		return
	}
	if strings.ToValidUTF8(s, "") != s || strings.Contains(strings.ReplaceAll(s, `\\`, ""), `\u0000`) || strings.Contains(s, "\x00") {
		t.Errorf("a character that servers refuse: %q", s)
	}
	role, marks := "assistant", strings.Count(s, `"cache_control":{"type":"ephemeral"}`)
	for i, m := range b.Messages {
		if m.Role == role || len(m.Content) == 0 {
			t.Errorf("message %d: role %s after %s, %d blocks", i, m.Role, role, len(m.Content))
		}
		role = m.Role
	}
	if marks > 4 {
		t.Errorf("%d cache marks", marks)
	}
}

// conversation draws a conversation as the loop would send it: user first,
// every call answered in the next message.
func conversation(t *rapid.T) []*message.Message {
	str := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", " ", "\x00", "\xff", "北京 café", `"\u0000"`}))
	word := rapid.StringMatching(`[a-z.:]{1,8}`)
	ms := []*message.Message{user(text("start"))}
	for i := range rapid.IntRange(0, 6).Draw(t, "turns") {
		reply := from(assistant(), "anthropic/"+rapid.SampledFrom([]string{thisModel, "other"}).Draw(t, "model"), rapid.SampledFrom([]string{"anthropic", "openai"}).Draw(t, "wire"))
		var results message.Parts
		for j := range rapid.IntRange(0, 4).Draw(t, "parts") {
			switch rapid.IntRange(0, 3).Draw(t, "part") {
			case 0:
				reply.Parts = append(reply.Parts, message.Text{Text: str.Draw(t, "text")})
			case 1:
				reply.Parts = append(reply.Parts, message.Thinking{Text: str.Draw(t, "thinking"), Signature: word.Draw(t, "signature")})
			case 2:
				id := fmt.Sprintf("%s%d_%d", word.Draw(t, "id"), i, j)
				in, _ := json.Marshal(map[string]string{str.Draw(t, "key"): str.Draw(t, "value")})
				reply.Parts = append(reply.Parts, message.Call{ID: id, Name: "read", Input: in})
				r := message.ToolResult{CallID: id, Status: rapid.SampledFrom([]message.Status{message.StatusOK, message.StatusError}).Draw(t, "status"), Text: str.Draw(t, "result")}
				results = append(results, r)
			case 3:
				reply.Parts = append(reply.Parts, message.Opaque{Type: "x", Raw: json.RawMessage(`{"type":"x"}`)})
			}
		}
		ms = append(ms, reply, user(append(results, text(str.Draw(t, "prompt")))...))
	}
	return ms
}

// The body of a shorter conversation, up to the end of its last message, begins
// the body of the longer one. The prompt cache lives from that.
func TestPrefix(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := New(Options{})
		ms := conversation(t)
		req := &model.Request{Model: thisModel, System: []model.Block{{Text: "s", Cache: true}}, CacheMarks: rapid.Bool().Draw(t, "marks")}
		var before string
		for n := 1; n <= len(ms); n++ {
			if ms[n-1].Role == message.User && len(encoded(ms[n-1], false)) == 0 {
				continue // has a stand-in only while it is last
			}
			req.Messages = ms[:n]
			now := bytesOf(t, c.streamBody(req))
			checkBody(t, now)
			if !strings.HasPrefix(now, before) {
				t.Fatalf("%d messages: the prefix changed from\n%s\nto\n%s", n, before, now)
			}
			before = now[:strings.LastIndex(now, `]}],"max_tokens"`)]
		}
	})
}

// long is a conversation of n messages with calls, as a coding session has.
func long(n int) *model.Request {
	req := &model.Request{
		Model: thisModel, CacheMarks: true, System: []model.Block{{Text: strings.Repeat("system ", 2000), Cache: true}},
		Tools: []model.Tool{{Name: "read", Description: strings.Repeat("d", 1000), Schema: json.RawMessage(`{"type":"object"}`)}},
	}
	for i := 0; len(req.Messages) < n; i++ {
		id := fmt.Sprintf("toolu_%d", i)
		req.Messages = append(req.Messages, user(text(strings.Repeat("please ", 20))),
			assistant(message.Thinking{Text: "hm", Signature: "s"}, text("I look."), call(id, `{"path":"internal/x.go"}`)),
			user(ok(id, strings.Repeat("line of a file\n", 100))), assistant(text("Done.")))
	}
	req.Messages = req.Messages[:n]
	return req
}

func BenchmarkBody(b *testing.B) {
	for _, n := range []int{10, 100, 1000, 2000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			c, req := New(Options{}), long(n)
			size := c.streamBody(req).size // encodes every message
			buf := make([]byte, 64<<10)
			b.SetBytes(size)
			b.ReportAllocs()
			for b.Loop() {
				r := c.streamBody(req).reader()
				for {
					if _, err := r.Read(buf); err != nil {
						break
					}
				}
			}
		})
	}
}

// Building the body of a conversation that was sent before allocates the same
// few things whatever its length.
func TestBodyAllocates(t *testing.T) {
	for _, n := range []int{10, 2000} {
		c, req := New(Options{}), long(n)
		c.streamBody(req)
		if got := testing.AllocsPerRun(100, func() { c.streamBody(req) }); got > 8 {
			t.Errorf("%d messages: %v allocations", n, got)
		}
	}
}
