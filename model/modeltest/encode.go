package modeltest

import (
	"encoding/base64"
	"encoding/json"
	"fmt"

	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/model"
)

// The wire forms below are for writing only; reading is in decode.go and
// wire.go.
type (
	wireRequestOut struct {
		Model     string          `json:"model"`
		MaxTokens int64           `json:"max_tokens"`
		System    []wireSystemOut `json:"system,omitempty"`
		Tools     []wireToolOut   `json:"tools,omitempty"`
		Stream    bool            `json:"stream"`
		Mark      *wireMarkOut    `json:"cache_control,omitempty"`
	}
	wireTextOut struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	wireSystemOut struct {
		wireTextOut
		Mark *wireMarkOut `json:"cache_control,omitempty"`
	}
	wireMarkOut struct {
		Type string `json:"type"`
	}
	wireToolOut struct {
		Name        string          `json:"name"`
		Description string          `json:"description,omitempty"`
		Schema      json.RawMessage `json:"input_schema"`
	}
	wireThinkingOut struct {
		Type      string `json:"type"`
		Thinking  string `json:"thinking"`
		Signature string `json:"signature"`
	}
	wireRedactedOut struct {
		Type string `json:"type"`
		Data string `json:"data"`
	}
	wireCallOut struct {
		Type  string          `json:"type"`
		ID    string          `json:"id"`
		Name  string          `json:"name"`
		Input json.RawMessage `json:"input"`
	}
	wireResultOut struct {
		Type    string            `json:"type"`
		CallID  string            `json:"tool_use_id"`
		IsError bool              `json:"is_error,omitempty"`
		Content []json.RawMessage `json:"content,omitempty"`
	}
	wireMediaOut struct {
		Type   string        `json:"type"`
		Source wireSourceOut `json:"source"`
		Title  string        `json:"title,omitempty"`
	}
	wireSourceOut struct {
		Type string `json:"type"`
		MIME string `json:"media_type"`
		Data string `json:"data"`
	}
)

// encode is the request on the wire, as a plain client would send it: thinking
// goes only to the model that wrote it, and there are no more cache marks than
// the wire takes.
func encode(req *model.Request) []byte {
	out := wireRequestOut{Model: req.Model, MaxTokens: req.MaxTokens, Stream: true}
	if out.MaxTokens == 0 {
		out.MaxTokens = model.DefaultMaxTokens
	}
	marks := 0
	if req.CacheMarks {
		marks = maxMarks - 1
		out.Mark = &wireMarkOut{"ephemeral"}
	}
	for _, b := range req.System {
		w := wireSystemOut{wireTextOut: wireTextOut{"text", b.Text}}
		if b.Cache && marks > 0 {
			w.Mark = &wireMarkOut{"ephemeral"}
			marks--
		}
		out.System = append(out.System, w)
	}
	for _, t := range req.Tools {
		out.Tools = append(out.Tools, wireToolOut{t.Name, t.Description, orObject(t.Schema)})
	}
	messages := make([]json.RawMessage, len(req.Messages))
	for i, m := range req.Messages {
		messages[i] = encodeMessage(m, req.Model)
	}
	fs, err := fieldsOf(mustMarshal(out))
	if err != nil {
		panic(err) // it was made just now
	}
	return append(fs, field{"messages", encodeList(messages)}).encode()
}

// encodeMessage is a message on the wire. It is kept with the message, which
// does not change.
func encodeMessage(m *message.Message, to string) json.RawMessage {
	_, by := model.Split(m.Model)
	foreign := m.Model != "" && m.Model != to && by != to
	kept := m.Memo(fmt.Sprintf("modeltest/%t", foreign), func() any {
		var content []json.RawMessage
		for _, p := range m.Parts {
			if _, thinking := p.(message.Thinking); !thinking || !foreign {
				content = append(content, encodePart(p))
			}
		}
		return fields{{"role", mustMarshal(m.Role)}, {"content", encodeList(content)}}.encode()
	})
	return kept.(json.RawMessage) //nolint:forcetypeassert // made above
}

func encodePart(p message.Part) json.RawMessage {
	switch p := p.(type) {
	case message.Text:
		if len(p.Raw) > 0 {
			return orObject(p.Raw)
		}
		return mustMarshal(wireTextOut{"text", p.Text})
	case message.Thinking:
		return encodeThinking(p)
	case message.Call:
		return encodeCall(p)
	case message.ToolResult:
		return encodeResult(p)
	case message.Media:
		return encodeMedia(p)
	case message.Opaque:
		return orObject(p.Raw)
	default:
		panic(fmt.Sprintf("modeltest: unhandled part %T", p))
	}
}

// encodeCall keeps the bytes of the input.
func encodeCall(p message.Call) json.RawMessage {
	if len(p.Raw) > 0 {
		return orObject(p.Raw)
	}
	input := p.Input
	if p.Malformed() { // it was answered by an error, and the wire takes nothing but objects
		input = json.RawMessage("{}")
	}
	return fields{
		{"type", json.RawMessage(`"tool_use"`)}, {"id", mustMarshal(p.ID)}, {"name", mustMarshal(p.Name)}, {"input", input},
	}.encode()
}

func encodeThinking(p message.Thinking) json.RawMessage {
	switch {
	case len(p.Raw) > 0:
		return orObject(p.Raw)
	case p.Redacted != "":
		return mustMarshal(wireRedactedOut{"redacted_thinking", p.Redacted})
	default:
		return mustMarshal(wireThinkingOut{"thinking", p.Text, p.Signature})
	}
}

func encodeResult(p message.ToolResult) json.RawMessage {
	out := wireResultOut{Type: "tool_result", CallID: p.CallID, IsError: p.IsError()}
	if p.Text != "" {
		out.Content = append(out.Content, mustMarshal(wireTextOut{"text", p.Text}))
	}
	for _, m := range p.Media {
		out.Content = append(out.Content, encodeMedia(m))
	}
	return mustMarshal(out)
}

func encodeMedia(p message.Media) json.RawMessage {
	source := wireSourceOut{"base64", p.MIME, base64.StdEncoding.EncodeToString(p.Data)}
	return mustMarshal(wireMediaOut{p.Kind, source, p.Name})
}

// orObject is raw where it is JSON, else the empty object.
func orObject(raw json.RawMessage) json.RawMessage {
	if !json.Valid(raw) {
		return json.RawMessage("{}")
	}
	return raw
}

// mustMarshal encodes values that cannot fail.
func mustMarshal(v any) json.RawMessage {
	b, err := message.Marshal(v)
	if err != nil {
		panic("modeltest: encode: " + err.Error())
	}
	return b
}
