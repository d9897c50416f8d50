package modeltest

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/png"
	"net/http"
	"strings"
	"testing"
)

// messagesBody is a request with the given messages and nothing special.
func messagesBody(messages string) string {
	return `{"model":"m1","max_tokens":100,"messages":[` + messages + `]}`
}

// topBody is a good request with more members.
func topBody(more string) string {
	return `{"model":"claude-opus-5","max_tokens":100,"messages":[{"role":"user","content":"hi"}],` + more + `}`
}

const (
	hi      = `{"role":"user","content":"hi"}`
	callT1  = `{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"read","input":{}}]}`
	callT12 = `{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"read","input":{}},{"type":"tool_use","id":"t2","name":"gone","input":{}}]}`
	doneT1  = `{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"x"}]}`
	ok      = `{"role":"assistant","content":"ok"}`
)

func userBlock(block string) string { return messagesBody(`{"role":"user","content":[` + block + `]}`) }

func tool(fields string) string { return topBody(`"tools":[{` + fields + `}]`) }

func resultOfT1(fields string) string {
	return messagesBody(hi + "," + callT1 + `,{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1",` + fields + `}]}`)
}

func pngOf(w, h int) string {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, w, h))); err != nil {
		panic(err)
	}
	return base64.StdEncoding.EncodeToString(b.Bytes())
}

func imageBlock(mime, data string) string {
	return fmt.Sprintf(`{"type":"image","source":{"type":"base64","media_type":%q,"data":%q}}`, mime, data)
}

func TestCheckAccepts(t *testing.T) {
	mark := `"cache_control":{"type":"ephemeral","ttl":"1h"}`
	tests := []struct{ name, body string }{
		{"a string as content", messagesBody(hi)},
		{"text after results", messagesBody(hi + "," + callT12 + `,{"role":"user","content":[
			{"type":"tool_result","tool_use_id":"t2"},{"type":"tool_result","tool_use_id":"t1","is_error":true,"content":"no"},{"type":"text","text":"go on"}]}`)},
		{"an image in a result", resultOfT1(`"content":[{"type":"text","text":"it"},` + imageBlock("image/png", pngOf(2, 2)) + `]`)},
		{"four marks", topBody(`"system":[{"type":"text","text":"a",` + mark + `}],"tools":[{"name":"a","input_schema":{"type":"object"},` + mark + `},
			{"name":"b","input_schema":{"type":"object","properties":{"x":{"oneOf":[]}}},` + mark + `}],"cache_control":{"type":"ephemeral"}`)},
		{"a server tool is not looked into", tool(`"type":"web_search_20260318","name":"web_search","max_uses":3`)},
		{"a system message where the model takes one", `{"model":"claude-opus-5","max_tokens":1,"messages":[` + hi + `,{"role":"system","content":"now"},` + ok + "," + hi + `]}`},
		{"all settings", topBody(`"stream":true,"thinking":{"type":"adaptive"},"output_config":{"effort":"high"},"stop_sequences":["x"],"metadata":{"user_id":"u"}`)},
		{"an escaped backslash before u0000", messagesBody(`{"role":"user","content":"\\u0000 \\\\u0000"}`)},
		{"a surrogate pair", messagesBody(`{"role":"user","content":"\ud83d\ude00"}`)},
		{"twenty images may be large", userBlock(strings.Repeat(imageBlock("image/png", pngOf(2100, 1))+",", 19) + imageBlock("image/png", pngOf(2100, 1)))},
		{"many small images", userBlock(strings.Repeat(imageBlock("image/png", pngOf(2000, 1))+",", 20) + imageBlock("image/png", pngOf(1, 1)))},
		{"a PDF", userBlock(`{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"` + base64.StdEncoding.EncodeToString([]byte("%PDF-1.7")) + `"},"title":"a.pdf"}`)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := newChecker(Options{}).check([]byte(tt.body), http.Header{}, false); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestCheckRefuses(t *testing.T) {
	tests := []struct{ name, body, want string }{
		// What the body is.
		{"broken JSON", `{"model":`, "The request body is not valid JSON: unexpected end"},
		{"not UTF-8", messagesBody(`{"role":"user","content":"` + "\xff" + `"}`), "it is not UTF-8"},
		{"U+0000", messagesBody(`{"role":"user","content":"a\u0000b"}`), `\u0000 cannot be part of a text`},
		{"U+0000 after a backslash", messagesBody(`{"role":"user","content":"a\\\u0000b"}`), `\u0000 cannot be part of a text`},
		{"half a surrogate pair", messagesBody(`{"role":"user","content":"\ud83d"}`), `no low surrogate after \ud83d`},
		{"the other half", messagesBody(`{"role":"user","content":"\ude00"}`), `no high surrogate before \ude00`},
		{"a member twice", topBody(`"stream":true,"stream":false`), `member "stream" occurs twice`},
		{"an array", `[]`, "The request body is not valid JSON"},

		// The members of the request.
		{"an unknown member", topBody(`"prompt":"x"`), "prompt: Extra inputs are not permitted"},
		{"a beta without its header", topBody(`"context_management":{}`), "context_management: Extra inputs are not permitted"},
		{"no model", `{"max_tokens":1,"messages":[` + hi + `]}`, "model: Field required"},
		{"no max_tokens", `{"model":"m","messages":[` + hi + `]}`, "max_tokens: Field required"},
		{"max_tokens in words", `{"model":"m","max_tokens":"1","messages":[` + hi + `]}`, "max_tokens: Input should be a valid integer"},
		{"max_tokens over the model's", `{"model":"claude-opus-5","max_tokens":128001,"messages":[` + hi + `]}`, "max_tokens: 128001 > 128000, which is the maximum allowed number of output tokens for claude-opus-5"},
		{"sampling", topBody(`"temperature":1`), "`temperature` is not supported"},
		{"no messages", `{"model":"m","max_tokens":1}`, "messages: Field required"},
		{"stream in words", topBody(`"stream":"true"`), "stream: Input should be a valid boolean"},
		{"unknown effort", topBody(`"output_config":{"effort":"extreme"}`), "output_config.effort: Input should be"},
		{"effort where there is none", `{"model":"claude-haiku-4-5","max_tokens":1,"output_config":{"effort":"low"},"messages":[` + hi + `]}`, "does not support the effort parameter"},
		{"thinking of an old kind", topBody(`"thinking":{"type":"enabled","budget_tokens":2000}`), `"thinking.type.enabled" is not supported for this model`},
		{"thinking of a new kind", `{"model":"claude-haiku-4-5","max_tokens":1,"thinking":{"type":"adaptive"},"messages":[` + hi + `]}`, "adaptive thinking is not supported on this model"},
		{"no room behind the thinking", `{"model":"m","max_tokens":1024,"thinking":{"type":"enabled","budget_tokens":1024},"messages":[` + hi + `]}`, "`max_tokens` must be greater than"},
		{"a choice without tools", topBody(`"tool_choice":{"type":"auto"}`), "tool_choice may only be specified while providing tools"},
		{"a forced tool", `{"model":"claude-opus-5-5","max_tokens":1,"tool_choice":{"type":"any"},"tools":[{"name":"a","input_schema":{"type":"object"}}],"messages":[` + hi + `]}`, `tool_choice.type "any" is not supported`},
		{"a choice of no tool", topBody(`"tool_choice":{"type":"tool","name":"b"},"tools":[{"name":"a","input_schema":{"type":"object"}}]`), "Tool 'b' not found"},
		{"a blank stop sequence", topBody(`"stop_sequences":[" "]`), "stop sequence must contain non-whitespace"},
		{"more metadata", topBody(`"metadata":{"name":"x"}`), "metadata.name: Extra inputs"},

		// Tools and system.
		{"a tool's name", tool(`"name":"a b","input_schema":{"type":"object"}`), "tools.0.custom.name: String should match"},
		{"a tool without schema", tool(`"name":"a"`), "tools.0.custom.input_schema: Field required"},
		{"a schema without type", tool(`"name":"a","input_schema":{}`), "tools.0.custom.input_schema.type: Field required"},
		{"a schema of a list", tool(`"name":"a","input_schema":{"type":"array"}`), "input_schema.type: Input should be 'object'"},
		{"a choice at the top of a schema", tool(`"name":"a","input_schema":{"type":"object","anyOf":[]}`), "does not support oneOf, allOf, or anyOf at the top level"},
		{"required is no list", tool(`"name":"a","input_schema":{"type":"object","required":true}`), "JSON schema is invalid"},
		{"an unknown field of a tool", tool(`"name":"a","input_schema":{"type":"object"},"readonly":true`), "tools.0.custom.readonly: Extra inputs"},
		{"two tools of one name", topBody(`"tools":[{"name":"a","input_schema":{"type":"object"}},{"name":"a","input_schema":{"type":"object"}}]`), "tools: Tool names must be unique"},
		{"an empty system text", topBody(`"system":[{"type":"text","text":""}]`), "system: text content blocks must be non-empty"},
		{"an image as system", topBody(`"system":[{"type":"image"}]`), "system.0.type: Input should be 'text'"},

		// Roles.
		{"an empty list", messagesBody(``), "messages: at least one message is required"},
		{"the assistant first", messagesBody(ok + "," + hi), `first message must use the "user" role`},
		{"an unknown role", messagesBody(`{"role":"tool","content":"x"}`), "messages.0.role: Input should be"},
		{"two users", messagesBody(hi + "," + hi), `found multiple "user" roles in a row at messages.1`},
		{"two assistants", messagesBody(hi + "," + ok + "," + ok + "," + hi), `found multiple "assistant" roles in a row`},
		{"the assistant last", messagesBody(hi + "," + ok), "does not support assistant message prefill"},
		{"no content", messagesBody(`{"role":"user"}`), "messages.0.content: Field required"},
		{"an empty array", messagesBody(`{"role":"user","content":[]}`), "messages.0: all messages must have non-empty content"},
		{"an empty string", messagesBody(`{"role":"user","content":""}`), "messages.0: all messages must have non-empty content"},
		{"an id on a message", messagesBody(`{"role":"user","content":"x","id":"1"}`), "messages.0.id: Extra inputs"},
		{"a system message for a model without", `{"model":"claude-sonnet-5","max_tokens":1,"messages":[` + hi + `,{"role":"system","content":"now"}]}`, "messages.1.role: Input should be 'user' or 'assistant'"},
		{"a system message after the assistant", messagesBody(hi + "," + ok + `,{"role":"system","content":"now"},` + hi), "a system message must follow a user message"},
		{"a system message before the user", messagesBody(hi + `,{"role":"system","content":"now"},` + hi), "must be last or followed by an assistant message"},
		{"thinking at the end", messagesBody(hi + `,{"role":"assistant","content":[{"type":"text","text":"a"},{"type":"thinking","thinking":"x","signature":"s"}]},` + hi), "The final block in an assistant message cannot be `thinking`"},

		// Text.
		{"an empty text", userBlock(`{"type":"text","text":""}`), "messages: text content blocks must be non-empty"},
		{"a blank text", userBlock(`{"type":"text","text":" \n"}`), "must contain non-whitespace text"},
		{"a mark on an empty text", userBlock(`{"type":"text","text":"","cache_control":{"type":"ephemeral"}}`), "cache_control cannot be set for empty text blocks"},
		{"a text without text", userBlock(`{"type":"text"}`), "messages.0.content.0.text.text: Field required"},
		{"a null text", userBlock(`{"type":"text","text":null}`), "messages.0.content.0.text.text: Input should be a valid string"},
		{"a block without type", userBlock(`{"text":"x"}`), "messages.0.content.0.type: Field required"},
		{"an unknown block", userBlock(`{"type":"note","text":"x"}`), "Input tag 'note' found"},
		{"an unknown field", userBlock(`{"type":"text","text":"x","index":0}`), "messages.0.content.0.text.index: Extra inputs"},
		{"a block of the other role", userBlock(`{"type":"tool_use","id":"t1","name":"read","input":{}}`), "`tool_use` blocks are not allowed"},

		// Calls and results.
		{"an unanswered call", messagesBody(hi + "," + callT12 + "," + doneT1), "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: t2."},
		{"a call answered later", messagesBody(hi + "," + callT1 + "," + hi + "," + ok + "," + doneT1), "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: t1."},
		{"a call at the end", messagesBody(hi + "," + callT1), "does not support assistant message prefill"},
		{"a result of no call", messagesBody(doneT1), "messages.0.content.0: unexpected `tool_use_id` found in `tool_result` blocks: t1."},
		{"a result of an older call", messagesBody(hi + "," + callT1 + "," + doneT1 + "," + ok + "," + doneT1), "messages.4.content.0: unexpected `tool_use_id`"},
		{"two results of a call", messagesBody(hi + "," + callT1 + `,{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1"},{"type":"tool_result","tool_use_id":"t1"}]}`), "each tool_use must have a single result"},
		{"text before a result", messagesBody(hi + "," + callT1 + `,{"role":"user","content":[{"type":"text","text":"x"},{"type":"tool_result","tool_use_id":"t1"}]}`), "`tool_result` blocks must come first"},
		{"text between results", messagesBody(hi + "," + callT12 + `,{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1"},{"type":"text","text":"x"},{"type":"tool_result","tool_use_id":"t2"}]}`), "`tool_result` blocks must come first"},
		{"an id twice", messagesBody(hi + "," + callT1 + "," + doneT1 + "," + callT1 + "," + doneT1), "`tool_use` ids must be unique: t1"},
		{"an empty id", messagesBody(hi + "," + strings.Replace(callT1, `"t1"`, `""`, 1) + "," + doneT1), "tool_use.id: String should match pattern"},
		{"an empty name", messagesBody(hi + "," + strings.Replace(callT1, `"read"`, `""`, 1) + "," + doneT1), "tool_use.name: String should have"},
		{"an input in a string", messagesBody(hi + "," + strings.Replace(callT1, `{}`, `"{}"`, 1) + "," + doneT1), "tool_use.input: Input should be a valid dictionary"},
		{"no input", messagesBody(hi + "," + strings.Replace(callT1, `,"input":{}`, ``, 1) + "," + doneT1), "tool_use.input: Field required"},
		{"is_error in words", resultOfT1(`"is_error":"yes"`), "tool_result.is_error: Input should be a valid boolean"},
		{"an empty text in a result", resultOfT1(`"content":[{"type":"text","text":""}]`), "text content blocks must be non-empty"},
		{"an image in an error", resultOfT1(`"is_error":true,"content":[` + imageBlock("image/png", pngOf(1, 1)) + `]`), "all content must be type `text` if `is_error` is true"},
		{"a mark within a result", resultOfT1(`"content":[{"type":"text","text":"x","cache_control":{"type":"ephemeral"}}]`), "cache_control: Extra inputs"},
		{"a result's name", resultOfT1(`"name":"read"`), "tool_result.name: Extra inputs"},

		// Marks.
		{"five marks", topBody(`"cache_control":{"type":"ephemeral"},"system":[` + strings.Repeat(`{"type":"text","text":"a","cache_control":{"type":"ephemeral"}},`, 3) +
			`{"type":"text","text":"a","cache_control":{"type":"ephemeral"}}]`), "A maximum of 4 blocks with cache_control may be provided. Found 5."},
		{"an unknown mark", topBody(`"cache_control":{"type":"for ever"}`), "cache_control.type: Input should be 'ephemeral'"},
		{"an unknown lifetime", topBody(`"cache_control":{"type":"ephemeral","ttl":"1d"}`), "cache_control.ttl: Input should be"},
		{"a long mark after a short mark", userBlock(`{"type":"text","text":"a","cache_control":{"type":"ephemeral"}},{"type":"text","text":"b","cache_control":{"type":"ephemeral","ttl":"1h"}}`), "ttl='1h' cache_control block must not come after"},
		{"a mark on thinking", messagesBody(hi + `,{"role":"assistant","content":[{"type":"thinking","thinking":"x","signature":"s","cache_control":{"type":"ephemeral"}},{"type":"text","text":"a"}]},` + hi), "thinking.cache_control: Extra inputs"},

		// Media.
		{"an image of another kind", userBlock(imageBlock("image/bmp", "AAAA")), "media_type: Input should be 'image/jpeg'"},
		{"an image that is none", userBlock(imageBlock("image/png", "AAAA")), "Could not process image"},
		{"an image under another name", userBlock(imageBlock("image/jpeg", pngOf(1, 1))), "the image appears to be a image/png image"},
		{"broken base64", userBlock(imageBlock("image/png", "A")), "base64.data: Invalid base64 data"},
		{"no data", userBlock(imageBlock("image/png", "")), "base64.data: Invalid base64 data"},
		{"an image without source", userBlock(`{"type":"image"}`), "messages.0.content.0.image.source: Field required"},
		{"a wide image", userBlock(imageBlock("image/png", pngOf(8001, 1))), "exceed max allowed size: 8000 pixels"},
		{"a large one of many images", userBlock(strings.Repeat(imageBlock("image/png", pngOf(1, 1))+",", 20) + imageBlock("image/png", pngOf(1, 2001))), "for many-image requests: 2000 pixels"},
		{"a PDF that is none", userBlock(`{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"AAAA"}}`), "The PDF specified was not valid"},

		// Thinking and blocks that never came from here.
		{"a signature out of nowhere", messagesBody(hi + `,{"role":"assistant","content":[{"type":"thinking","thinking":"x","signature":"s"},{"type":"text","text":"a"}]},` + hi), "messages.1.content.0: Invalid `signature` in `thinking` block"},
		{"thinking without signature", messagesBody(hi + `,{"role":"assistant","content":[{"type":"thinking","thinking":"x"},{"type":"text","text":"a"}]},` + hi), "messages.1.content.0.thinking.signature: Field required"},
		{"a block out of nowhere", messagesBody(hi + `,{"role":"assistant","content":[{"type":"server_tool_use","id":"s1","name":"web_search","input":{}},{"type":"text","text":"a"}]},` + hi), "Input tag 'server_tool_use' found"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := newChecker(Options{}).check([]byte(tt.body), http.Header{}, false)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v\nwant %s", err, tt.want)
			}
		})
	}
}

func TestCheckOptions(t *testing.T) {
	tests := []struct {
		name     string
		options  Options
		header   http.Header
		counting bool
		body     string
		want     string // empty: accepted
	}{
		{name: "messages in a row merge where allowed", options: Options{AllowMerge: true}, body: messagesBody(hi + "," + hi)},
		{
			name: "merging answers calls of several messages", options: Options{AllowMerge: true},
			body: messagesBody(hi + "," + callT1 + "," + strings.Replace(callT1, "t1", "t2", 1) + "," + doneT1 + "," + strings.Replace(doneT1, "t1", "t2", 1)),
		},
		{name: "a model that is not served", options: Options{Models: []string{"m2"}}, body: messagesBody(hi), want: "model: m1"},
		{name: "a model that is served", options: Options{Models: []string{"m1"}}, body: messagesBody(hi)},
		{
			name: "an image over our limit", options: Options{MaxImageBytes: 10}, body: userBlock(imageBlock("image/png", pngOf(1, 1))),
			want: "image exceeds 10 bytes maximum: 96 bytes > 10 bytes",
		},
		{
			name: "a beta with its header", header: http.Header{"Anthropic-Beta": {"x, context-management-2025-06-27"}},
			body: topBody(`"context_management":{}`),
		},
		{name: "counting takes no limit", counting: true, body: messagesBody(hi), want: "max_tokens: Extra inputs"},
		{name: "counting needs no limit", counting: true, body: `{"model":"m","messages":[` + hi + `]}`},
		{
			name: "the new version takes no documents from the assistant", header: http.Header{"Anthropic-Version": {"2026-10-21"}},
			body: messagesBody(hi + `,{"role":"assistant","content":[{"type":"document","source":{"type":"text","media_type":"text/plain","data":"x"}}]},` + hi),
			want: "`document` blocks are not allowed",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := newChecker(tt.options).check([]byte(tt.body), tt.header, tt.counting)
			switch {
			case tt.want == "" && err != nil:
				t.Error(err)
			case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("got %v\nwant %s", err, tt.want)
			}
		})
	}
}
