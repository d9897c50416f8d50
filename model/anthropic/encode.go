package anthropic

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/daruma-dev/daruma/message"
)

// The keys under which a message remembers its bytes. Thinking goes only to the
// model that wrote it, so a message has two forms at most.
const (
	memoOwn     = "anthropic/own"
	memoForeign = "anthropic/foreign"
)

// encoded is the content blocks of m, joined by commas, without brackets; it is
// empty when nothing of m can be sent. own says that the model asked wrote m.
// The bytes are made once and kept with the message.
func encoded(m *message.Message, own bool) []byte {
	key := memoForeign
	if own {
		key = memoOwn
	}
	return m.Memo(key, func() any { return encode(m, own) }).([]byte)
}

// encode makes the content blocks of m. Results lead their message, as the API
// demands.
func encode(m *message.Message, own bool) []byte {
	e := encoder{m: m, own: own}
	for _, p := range m.Parts {
		if r, ok := p.(message.ToolResult); ok {
			e.result(r)
		}
	}
	for _, p := range m.Parts {
		if r, ok := p.(message.ToolResult); ok {
			e.mediaOfError(r)
		} else {
			e.part(p)
		}
	}
	if m.Role == message.Assistant {
		// "The final block in an assistant message cannot be thinking": what
		// a reply has left that was cut off while thinking.
		e.b = e.b[:e.answered]
	}
	return bytes.Clone(e.b) // without spare room: it lives as long as the message
}

// encoder collects the blocks of one message.
type encoder struct {
	m        *message.Message
	own      bool
	b        []byte
	answered int // length of b up to the last block that is not thinking
}

// block begins a block and done ends it; between them the encoder's b grows.
func (e *encoder) block() {
	if len(e.b) > 0 {
		e.b = append(e.b, ',')
	}
}

func (e *encoder) done() { e.answered = len(e.b) }

// part adds a part, unless the server would refuse it.
func (e *encoder) part(p message.Part) {
	switch p := p.(type) {
	case message.Text:
		if !blank(p.Text) {
			e.add(p.Raw, func(b []byte) []byte { return appendText(b, p.Text) })
		}
	case message.Thinking:
		if e.own && (p.Signature != "" || p.Redacted != "") {
			answered := e.answered
			e.add(p.Raw, func(b []byte) []byte { return appendThinking(b, p) })
			e.answered = answered
		}
	case message.Call:
		e.add(rawCall(p), func(b []byte) []byte { return appendCall(b, p) })
	case message.Media:
		e.media(p)
	case message.Opaque:
		if e.m.Wire == wire && isObject(p.Raw) {
			e.add(p.Raw, nil)
		}
	case message.ToolResult:
		e.result(p)
	default:
		panic(fmt.Sprintf("anthropic: unhandled part %T", p))
	}
}

// add adds a block: raw where that is this protocol's, else what typed gives.
func (e *encoder) add(raw json.RawMessage, typed func([]byte) []byte) {
	e.block()
	if e.m.Wire == wire && isObject(raw) {
		e.b = append(e.b, clean(unmarked(raw))...)
	} else {
		e.b = typed(e.b)
	}
	e.done()
}

// isObject reports whether raw is a JSON object.
func isObject(raw json.RawMessage) bool {
	raw = bytes.TrimSpace(raw)
	return len(raw) > 0 && raw[0] == '{' && json.Valid(raw)
}

// unmarked is a block without a cache mark: marks are counted for the whole
// request, and none may hide in a block that came from elsewhere.
func unmarked(raw json.RawMessage) json.RawMessage {
	if !bytes.Contains(raw, []byte(`"cache_control"`)) {
		return raw
	}
	fs, err := splitObject(raw)
	if err != nil {
		return raw
	}
	return fs.without("cache_control").join()
}

// rawCall is p.Raw unless it calls itself something else than the call's result
// will: ids that the API refuses are changed, and the loop may have changed one.
func rawCall(p message.Call) json.RawMessage {
	if len(p.Raw) == 0 || p.Malformed() {
		return nil
	}
	fs, err := splitObject(p.Raw)
	if err != nil || fs.text("id") != cleanID(p.ID) || fs.text("name") != cleanName(p.Name) {
		return nil
	}
	return p.Raw
}

func appendText(b []byte, text string) []byte {
	b = append(b, `{"type":"text","text":`...)
	return append(appendString(b, text), '}')
}

func appendThinking(b []byte, p message.Thinking) []byte {
	if p.Redacted != "" {
		b = append(b, `{"type":"redacted_thinking","data":`...)
		return append(appendString(b, p.Redacted), '}')
	}
	b = append(b, `{"type":"thinking","thinking":`...)
	b = appendString(b, p.Text)
	b = append(b, `,"signature":`...)
	return append(appendString(b, p.Signature), '}')
}

// appendCall sends input that is no JSON object as {}; the call's result tells
// the model about it.
func appendCall(b []byte, p message.Call) []byte {
	b = append(b, `{"type":"tool_use","id":`...)
	b = appendString(b, cleanID(p.ID))
	b = append(b, `,"name":`...)
	b = appendString(b, cleanName(p.Name))
	b = append(b, `,"input":`...)
	if p.Malformed() {
		b = append(b, `{}`...)
	} else {
		b = append(b, clean(p.Input)...)
	}
	return append(b, '}')
}

// result adds a tool_result. A failed one must say something and may hold text
// only; its media follow after the results.
func (e *encoder) result(r message.ToolResult) {
	e.block()
	b := append(e.b, `{"type":"tool_result","tool_use_id":`...)
	b = appendString(b, cleanID(r.CallID))
	text, media := r.Text, r.Media
	if r.IsError() {
		b = append(b, `,"is_error":true`...)
		media = nil
		if blank(text) {
			text = "failed without a message: " + strings.ReplaceAll(string(r.Status), "_", " ")
		}
	}
	if !blank(text) || len(media) > 0 {
		sep := byte('[')
		b = append(b, `,"content":`...)
		if !blank(text) {
			b, sep = appendText(append(b, sep), text), ','
		}
		for _, m := range media {
			b, sep = appendMedia(append(b, sep), m), ','
		}
		b = append(b, ']')
	}
	e.b = append(b, '}')
	e.done()
}

func (e *encoder) mediaOfError(r message.ToolResult) {
	if r.IsError() {
		for _, m := range r.Media {
			e.media(m)
		}
	}
}

// media adds an image or document; an assistant message may hold neither.
func (e *encoder) media(m message.Media) {
	e.block()
	if e.m.Role == message.Assistant {
		e.b = appendText(e.b, mediaNote(m))
	} else {
		e.b = appendMedia(e.b, m)
	}
	e.done()
}
