package modeltest

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/model"
)

// wireIn is a request as it is read for scripts and for counting: forgiving,
// since refusing is the validator's work.
type wireIn struct {
	Model     string      `json:"model"`
	MaxTokens int64       `json:"max_tokens"`
	System    wireContent `json:"system"`
	Tools     []struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Schema      json.RawMessage `json:"input_schema"`
	} `json:"tools"`
	Messages []struct {
		Role    message.Role `json:"role"`
		Content wireContent  `json:"content"`
	} `json:"messages"`
	Output struct {
		Effort string `json:"effort"`
	} `json:"output_config"`
}

// wireContent is a list of blocks, which the wire also lets be a string.
type wireContent []json.RawMessage

// UnmarshalJSON implements [json.Unmarshaler].
func (c *wireContent) UnmarshalJSON(b []byte) error {
	var text string
	if json.Unmarshal(b, &text) == nil {
		*c = wireContent{mustMarshal(wireTextOut{"text", text})}
		return nil
	}
	return json.Unmarshal(b, (*[]json.RawMessage)(c))
}

// blockIn is the union of the blocks we can read.
type blockIn struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	Thinking  string          `json:"thinking"`
	Signature string          `json:"signature"`
	Data      string          `json:"data"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	CallID    string          `json:"tool_use_id"`
	IsError   bool            `json:"is_error"`
	Content   wireContent     `json:"content"`
	Title     string          `json:"title"`
	Source    struct {
		Type string `json:"type"`
		MIME string `json:"media_type"`
		Data string `json:"data"`
	} `json:"source"`
}

// decode reads a body as far as it can be read.
func decode(body []byte) *model.Request {
	var in wireIn
	_ = json.Unmarshal(body, &in) // what could be read is used
	req := &model.Request{Model: in.Model, MaxTokens: in.MaxTokens, Effort: in.Output.Effort}
	for _, raw := range in.System {
		var b blockIn
		_ = json.Unmarshal(raw, &b)
		req.System = append(req.System, model.Block{Text: b.Text, Cache: marked(raw)})
	}
	for _, t := range in.Tools {
		req.Tools = append(req.Tools, model.Tool{Name: t.Name, Description: t.Description, Schema: t.Schema})
	}
	for _, m := range in.Messages {
		req.Messages = append(req.Messages, &message.Message{Role: m.Role, Parts: partsOf(m.Content)})
	}
	return req
}

func marked(raw json.RawMessage) bool {
	return strings.Contains(string(raw), `"cache_control"`)
}

func partsOf(content wireContent) message.Parts {
	parts := make(message.Parts, len(content))
	for i, raw := range content {
		parts[i] = partOf(raw)
	}
	return parts
}

// partOf reads one block. A block of a type we do not know is opaque.
func partOf(raw json.RawMessage) message.Part {
	var b blockIn
	_ = json.Unmarshal(raw, &b) // a field of an unexpected type leaves the others
	switch b.Type {
	case "text":
		return message.Text{Text: b.Text}
	case "thinking":
		return message.Thinking{Text: b.Thinking, Signature: b.Signature}
	case "redacted_thinking":
		return message.Thinking{Redacted: b.Data}
	case "tool_use":
		return message.Call{ID: b.ID, Name: b.Name, Input: b.Input}
	case "tool_result":
		return resultOf(b)
	case "image", "document":
		data, _ := base64.StdEncoding.DecodeString(b.Source.Data)
		return message.Media{Kind: b.Type, MIME: b.Source.MIME, Data: data, Name: b.Title}
	default:
		return message.Opaque{Type: b.Type, Raw: raw}
	}
}

func resultOf(b blockIn) message.ToolResult {
	r := message.ToolResult{CallID: b.CallID, Status: message.StatusOK}
	if b.IsError {
		r.Status = message.StatusError
	}
	for _, p := range partsOf(b.Content) {
		switch p := p.(type) {
		case message.Text:
			r.Text += p.Text
		case message.Media:
			r.Media = append(r.Media, p)
		}
	}
	return r
}
