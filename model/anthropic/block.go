package anthropic

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/model"
)

// block is one content block of a reply while it arrives.
type block struct {
	index  int // on the wire
	kind   model.DeltaKind
	fields fields // the block as it began, in its order and with all it holds
	callID string
	name   string

	text, thinking, signature, input growing
	citations                        []json.RawMessage

	show      []byte // arrived, but not yet reported as a Delta
	announced bool   // its PartStarted is out
	closed    bool
}

// newBlock is the block that a content_block_start begins.
func newBlock(index int, raw json.RawMessage) (*block, error) {
	fs, err := splitObject(raw)
	if err != nil {
		return nil, err
	}
	b := &block{index: index, fields: fs}
	switch fs.text("type") {
	case "":
		return nil, errors.New("a content block without a type")
	case "text":
		b.kind = model.DeltaText
		b.show = append(b.show, b.text.add(fs.get("text"))...)
	case "thinking", "redacted_thinking":
		b.kind = model.DeltaThinking
		b.show = append(b.show, b.thinking.add(fs.get("thinking"))...)
		b.signature.add(fs.get("signature"))
	case "tool_use":
		b.kind = model.DeltaInput
		b.callID, b.name = fs.text("id"), fs.text("name")
	default:
		b.kind = model.DeltaOpaque
	}
	return b, nil
}

// delta is the delta of a content_block_delta; which fields are set depends on
// its type.
type delta struct {
	Type        string          `json:"type"`
	Text        json.RawMessage `json:"text"`
	PartialJSON json.RawMessage `json:"partial_json"`
	Thinking    json.RawMessage `json:"thinking"`
	Signature   json.RawMessage `json:"signature"`
	Citation    json.RawMessage `json:"citation"`
	Content     json.RawMessage `json:"content"`
	Encrypted   json.RawMessage `json:"encrypted_content"`
}

// add takes a delta. It reports false for a type it does not know.
func (b *block) add(d *delta) bool {
	switch d.Type {
	case "text_delta":
		b.show = append(b.show, b.text.add(d.Text)...)
	case "thinking_delta":
		b.show = append(b.show, b.thinking.add(d.Thinking)...)
	case "input_json_delta":
		b.show = append(b.show, b.input.add(d.PartialJSON)...)
	case "signature_delta":
		b.signature.add(d.Signature)
	case "citations_delta":
		b.citations = append(b.citations, d.Citation)
	case "compaction_delta":
		b.set("content", d.Content)
		b.set("encrypted_content", d.Encrypted)
	default:
		return false
	}
	return true
}

// close says that no delta follows.
func (b *block) close() {
	b.closed = true
	for _, g := range []*growing{&b.text, &b.thinking, &b.input} {
		b.show = append(b.show, g.end()...)
	}
	b.signature.end()
}

func (b *block) set(key string, value json.RawMessage) {
	if len(value) > 0 {
		b.fields = b.fields.with(key, value)
	}
}

// setText sets a string field to what its deltas gave.
func (b *block) setText(key string, g *growing) {
	if g.got {
		b.set(key, appendString(nil, g.String()))
	}
}

// part is the finished block. Its Raw is the block as a server that does not
// stream would have sent it, where the typed fields do not say the same.
func (b *block) part() message.Part {
	b.setText("text", &b.text)
	b.setText("thinking", &b.thinking)
	b.setText("signature", &b.signature)
	b.addCitations()
	kind := b.fields.text("type")
	switch kind {
	case "text":
		p := message.Text{Text: b.text.String()}
		p.Raw = b.rawUnless(appendText(nil, p.Text))
		return p
	case "thinking", "redacted_thinking":
		p := message.Thinking{Text: b.thinking.String(), Signature: b.signature.String(), Redacted: b.fields.text("data")}
		p.Raw = b.rawUnless(appendThinking(nil, p))
		return p
	case "tool_use":
		p := message.Call{ID: b.callID, Name: b.name, Input: b.callInput()}
		b.set("id", appendString(nil, cleanID(p.ID)))
		b.set("name", appendString(nil, cleanName(p.Name)))
		b.setInput(p.Malformed(), p.Input)
		p.Raw = b.rawUnless(appendCall(nil, p))
		return p
	default:
		if b.input.got {
			input := b.callInput()
			b.setInput(message.Call{Input: input}.Malformed(), input)
		}
		return message.Opaque{Type: kind, Raw: b.fields.join()}
	}
}

// rawUnless is the block, or nil when it is the same as typed.
func (b *block) rawUnless(typed []byte) json.RawMessage {
	if raw := b.fields.join(); !bytes.Equal(raw, typed) {
		return raw
	}
	return nil
}

// callInput is a call's input, to the byte. What the deltas gave counts; without
// any it is what the block began with. Nothing at all means an empty object.
func (b *block) callInput() json.RawMessage {
	in := b.input.String()
	if strings.TrimSpace(in) == "" {
		var start growing // servers that send input as a string exist
		start.add(b.fields.get("input"))
		start.end()
		in = start.String()
	}
	if s := strings.TrimSpace(in); s == "" || s == "null" {
		in = "{}"
	}
	return json.RawMessage(in)
}

// setInput sets the block's input, which must be JSON whatever came.
func (b *block) setInput(malformed bool, input json.RawMessage) {
	if malformed {
		input = json.RawMessage("{}")
	}
	b.set("input", input)
}

// addCitations appends the citations that came to those the block began with.
func (b *block) addCitations() {
	if len(b.citations) == 0 {
		return
	}
	var all []json.RawMessage
	if json.Unmarshal(b.fields.get("citations"), &all) != nil {
		all = nil
	}
	list := []byte{'['}
	for i, c := range append(all, b.citations...) {
		if i > 0 {
			list = append(list, ',')
		}
		list = append(list, c...)
	}
	b.set("citations", append(list, ']'))
	b.citations = nil
}

// String names the block in an error.
func (b *block) String() string { return fmt.Sprintf("block %d (%s)", b.index, b.fields.text("type")) }
