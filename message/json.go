package message

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Parts is a list of parts with a JSON form: each is an object whose "type"
// names its kind.
type Parts []Part

// raw is JSON that must survive a round trip to the byte. encoding/json
// compacts embedded JSON, so text that compacting would change, and text that
// is no JSON at all, is kept as a string instead.
type raw struct {
	JSON json.RawMessage `json:"json,omitempty"`
	Text string          `json:"text,omitempty"`
}

func packRaw(b json.RawMessage) *raw {
	if len(b) == 0 {
		return nil
	}
	var c bytes.Buffer
	if json.Compact(&c, b) == nil && bytes.Equal(c.Bytes(), b) {
		return &raw{JSON: b}
	}
	return &raw{Text: string(b)}
}

func (r *raw) bytes() json.RawMessage {
	switch {
	case r == nil:
		return nil
	case r.JSON != nil:
		return r.JSON
	default:
		return json.RawMessage(r.Text)
	}
}

// partJSON is the union of all parts on disk.
type partJSON struct {
	Type      string      `json:"type"`
	Text      string      `json:"text,omitempty"`
	Signature string      `json:"signature,omitempty"`
	Redacted  string      `json:"redacted,omitempty"`
	ID        string      `json:"id,omitempty"`
	Name      string      `json:"name,omitempty"`
	Input     *raw        `json:"input,omitempty"`
	Raw       *raw        `json:"raw,omitempty"`
	Block     string      `json:"block,omitempty"`
	Result    *ToolResult `json:"result,omitempty"`
	Media     *Media      `json:"media,omitempty"`
}

// MarshalJSON encodes the parts. Text that is not valid UTF-8 is a bug of the
// caller: encoding/json would replace bytes silently.
func (ps Parts) MarshalJSON() ([]byte, error) {
	out := make([]partJSON, len(ps))
	for i, p := range ps {
		switch p := p.(type) {
		case Text:
			out[i] = partJSON{Type: "text", Text: p.Text, Raw: packRaw(p.Raw)}
		case Thinking:
			out[i] = partJSON{Type: "thinking", Text: p.Text, Signature: p.Signature, Redacted: p.Redacted, Raw: packRaw(p.Raw)}
		case Call:
			out[i] = partJSON{Type: "call", ID: p.ID, Name: p.Name, Input: packRaw(p.Input), Raw: packRaw(p.Raw)}
		case ToolResult:
			out[i] = partJSON{Type: "result", Result: &p}
		case Media:
			out[i] = partJSON{Type: "media", Media: &p}
		case Opaque:
			out[i] = partJSON{Type: "opaque", Block: p.Type, Raw: packRaw(p.Raw)}
		default:
			panic(fmt.Sprintf("message: unhandled part %T", p))
		}
	}
	return Marshal(out)
}

// UnmarshalJSON decodes what MarshalJSON wrote. A type it does not know is an
// error: dropping a part would change the conversation.
func (ps *Parts) UnmarshalJSON(b []byte) error {
	var in []partJSON
	if err := json.Unmarshal(b, &in); err != nil {
		return fmt.Errorf("message: decode parts: %w", err)
	}
	if in == nil {
		*ps = nil
		return nil
	}
	out := make(Parts, len(in))
	for i, p := range in {
		switch p.Type {
		case "text":
			out[i] = Text{Text: p.Text, Raw: p.Raw.bytes()}
		case "thinking":
			out[i] = Thinking{Text: p.Text, Signature: p.Signature, Redacted: p.Redacted, Raw: p.Raw.bytes()}
		case "call":
			out[i] = Call{ID: p.ID, Name: p.Name, Input: p.Input.bytes(), Raw: p.Raw.bytes()}
		case "result":
			if p.Result == nil {
				return fmt.Errorf("message: part %d: a result without content", i)
			}
			out[i] = *p.Result
		case "media":
			if p.Media == nil {
				return fmt.Errorf("message: part %d: media without content", i)
			}
			out[i] = *p.Media
		case "opaque":
			out[i] = Opaque{Type: p.Block, Raw: p.Raw.bytes()}
		default:
			return fmt.Errorf("message: part %d has the unknown type %q", i, p.Type)
		}
	}
	*ps = out
	return nil
}

// Marshal is json.Marshal without the escaping of <, > and &, which would
// change the bytes of what a provider sent.
func Marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// Equal reports whether two messages have the same value, whatever has been
// memoised of them.
func Equal(a, b *Message) bool {
	if a == b || a == nil || b == nil {
		return a == b
	}
	x, errX := Marshal(a)
	y, errY := Marshal(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}
