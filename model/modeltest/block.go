package modeltest

import (
	"encoding/json"
	"strings"

	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/model"
)

// block is a content block given as JSON, taken apart as far as streaming
// needs: the input of a call, also of a server's own, comes in deltas and the
// rest at the start.
type block struct {
	fields
	raw   json.RawMessage
	start json.RawMessage // the block as it opens
	input string          // what follows in deltas
	typ   string
}

func newBlock(raw string) block {
	b := block{raw: json.RawMessage(raw), start: json.RawMessage(raw)}
	if !json.Valid(b.raw) {
		panic("modeltest: a block is no JSON: " + raw)
	}
	b.fields, _ = fieldsOf(b.raw) // what is no object has no type, and is sent as it is
	b.typ = b.text("type")
	if in := b.get("input"); strings.HasSuffix(b.typ, "tool_use") && len(in) > len("{}") {
		b.input = string(in)
		b.start = b.replace("input", json.RawMessage("{}")).encode()
	}
	return b
}

// kind is what the deltas are.
func (b block) kind() model.DeltaKind {
	switch b.part().(type) {
	case message.Text:
		return model.DeltaText
	case message.Thinking:
		return model.DeltaThinking
	case message.Call:
		return model.DeltaInput
	default:
		return model.DeltaOpaque
	}
}

// part is the block as a client reports it.
func (b block) part() message.Part {
	switch p := partOf(b.raw).(type) {
	case message.Text:
		p.Raw = b.raw
		return p
	case message.Thinking:
		p.Raw = b.raw
		return p
	case message.Call:
		p.Raw = b.raw
		return p
	default: // images and results are as opaque as any other when a model sends them
		return message.Opaque{Type: b.typ, Raw: b.raw}
	}
}
