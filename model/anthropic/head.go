package anthropic

import (
	"bytes"
	"encoding/json"
	"slices"
	"sync/atomic"

	"github.com/daruma-dev/daruma/model"
)

// latest remembers the encoding of a list that rarely changes from one request
// to the next. Comparing is cheap: strings that share their memory are equal
// without being read. The zero value is ready.
type latest[T any] struct {
	p atomic.Pointer[latestEntry[T]]
}

type latestEntry[T any] struct {
	list    []T
	encoded []byte
}

func (l *latest[T]) get(list []T, equal func(a, b T) bool, encode func([]T) []byte) []byte {
	if e := l.p.Load(); e != nil && slices.EqualFunc(e.list, list, equal) {
		return e.encoded
	}
	e := &latestEntry[T]{slices.Clone(list), encode(list)}
	l.p.Store(e)
	return e.encoded
}

func equalBlocks(a, b model.Block) bool { return a == b }

func equalTools(a, b model.Tool) bool {
	return a.Name == b.Name && a.Description == b.Description && bytes.Equal(a.Schema, b.Schema)
}

// encodeSystem is the system field with at most most cache marks; when more are
// asked for, the earliest are dropped, since the latest cover the most. Blank
// blocks are left out, and a mark on one moves to the block before it.
func encodeSystem(blocks []model.Block, most int) []byte {
	var kept []model.Block
	marks := 0
	for _, bl := range blocks {
		switch {
		case !blank(bl.Text):
			kept = append(kept, bl)
		case bl.Cache && len(kept) > 0:
			kept[len(kept)-1].Cache = true
		}
	}
	for i := len(kept) - 1; i >= 0; i-- {
		if kept[i].Cache = kept[i].Cache && marks < most; kept[i].Cache {
			marks++
		}
	}
	if len(kept) == 0 {
		return nil
	}
	b := []byte(`,"system":`)
	for i, bl := range kept {
		b = append(b, "[,"[min(i, 1)])
		b = append(b, `{"type":"text","text":`...)
		b = appendString(b, bl.Text)
		if bl.Cache {
			b = append(b, `,"cache_control":{"type":"ephemeral"}`...)
		}
		b = append(b, '}')
	}
	return append(b, ']')
}

// encodeTools is the tools field.
func encodeTools(tools []model.Tool) []byte {
	if len(tools) == 0 {
		return nil
	}
	b := []byte(`,"tools":`)
	for i, t := range tools {
		b = append(b, "[,"[min(i, 1)])
		b = append(b, `{"name":`...)
		b = appendString(b, cleanName(t.Name))
		if !blank(t.Description) {
			b = appendString(append(b, `,"description":`...), t.Description)
		}
		b = append(b, `,"input_schema":`...)
		b = append(b, schema(t.Schema)...)
		b = append(b, '}')
	}
	return append(b, ']')
}

// schema is a tool's schema, made into one that takes an object, as the API
// demands: one bad schema would fail the whole request.
func schema(raw json.RawMessage) json.RawMessage {
	const object = `"object"`
	if !isObject(raw) {
		return json.RawMessage(`{"type":"object"}`)
	}
	fs, err := splitObject(raw)
	if err != nil || string(fs.get("type")) == object {
		return clean(raw)
	}
	return clean(fs.with("type", json.RawMessage(object)).join())
}
