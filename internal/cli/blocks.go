package cli

import (
	"encoding/json"
	"fmt"

	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/model"
)

// The blocks and messages here are as the Anthropic API has them, whatever wire
// they came by: that is what readers of stream-json know.

// blocks is the content of a message.
func blocks(parts message.Parts) []any {
	bs := []any{} // a list, never null
	for _, p := range parts {
		bs = append(bs, block(p))
	}
	return bs
}

func block(p message.Part) any {
	switch p := p.(type) {
	case message.Text:
		return object{{"type", "text"}, {"text", p.Text}}
	case message.Thinking:
		if p.Redacted != "" {
			return object{{"type", "redacted_thinking"}, {"data", p.Redacted}}
		}
		return object{{"type", "thinking"}, {"thinking", p.Text}, {"signature", p.Signature}}
	case message.Call:
		return object{{"type", "tool_use"}, {"id", p.ID}, {"name", p.Name}, {"input", input(p)}}
	case message.ToolResult:
		return object{{"type", "tool_result"}, {"tool_use_id", p.CallID}, {"content", resultContent(p)}, {"is_error", p.IsError()}}
	case message.Media:
		return object{{"type", p.Kind}, {"source", object{{"type", "base64"}, {"media_type", p.MIME}, {"data", p.Data}}}}
	case message.Opaque:
		if json.Valid(p.Raw) {
			return p.Raw
		}
		return object{{"type", p.Type}}
	default:
		panic(fmt.Sprintf("cli: unhandled part %T", p))
	}
}

// resultContent is the text alone, unless there is media.
func resultContent(r message.ToolResult) any {
	if len(r.Media) == 0 {
		return r.Text
	}
	content := []any{object{{"type", "text"}, {"text", r.Text}}}
	for _, m := range r.Media {
		content = append(content, block(m))
	}
	return content
}

// input is a call's input as JSON, whatever the model wrote.
func input(c message.Call) json.RawMessage {
	if json.Valid(c.Input) {
		return c.Input
	}
	b, err := message.Marshal(string(c.Input))
	if err != nil || len(c.Input) == 0 {
		return json.RawMessage("{}")
	}
	return b
}

// reply is a message of the model.
func reply(m *message.Message) object {
	_, id := model.Split(m.Model)
	return object{
		{"id", m.ID},
		{"type", "message"},
		{"role", "assistant"},
		{"model", id},
		{"content", blocks(m.Parts)},
		{"stop_reason", stopReason(m)},
		{"stop_sequence", nil},
		{"usage", messageUsage(m)},
	}
}

func stopReason(m *message.Message) any {
	if m.Stop == "" {
		return nil
	}
	return m.Stop
}

func messageUsage(m *message.Message) usageJSON {
	if m.Usage == nil {
		return usageJSON{}
	}
	return usageOf(*m.Usage)
}
