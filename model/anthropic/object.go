package anthropic

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
)

// field is one member of a JSON object; its value is text as it came.
type field struct {
	key   string
	value json.RawMessage
}

// fields is a JSON object whose order and values are to survive.
type fields []field

// splitObject takes an object apart.
func splitObject(raw json.RawMessage) (fields, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, fmt.Errorf("not a JSON object: %.40q", raw)
	}
	var fs fields
	for d.More() {
		var f field
		t, err := d.Token()
		if err == nil {
			f.key, _ = t.(string)
			err = d.Decode(&f.value)
		}
		if err != nil {
			return nil, fmt.Errorf("read a JSON object: %w", err)
		}
		fs = append(fs, f)
	}
	return fs, nil
}

// get is the value of key, or nil.
func (fs fields) get(key string) json.RawMessage {
	for _, f := range fs {
		if f.key == key {
			return f.value
		}
	}
	return nil
}

// text is the value of key when that is a string, or "".
func (fs fields) text(key string) string {
	var s string
	if json.Unmarshal(fs.get(key), &s) != nil {
		return ""
	}
	return s
}

// with is the object with another value for key, at its place or at the end. It
// changes fs.
func (fs fields) with(key string, value json.RawMessage) fields {
	for i := range fs {
		if fs[i].key == key {
			fs[i].value = value
			return fs
		}
	}
	return append(fs, field{key, value})
}

// without is the object without key. It changes fs.
func (fs fields) without(key string) fields {
	return slices.DeleteFunc(fs, func(f field) bool { return f.key == key })
}

// join writes the object.
func (fs fields) join() json.RawMessage {
	b := []byte{'{'}
	for i, f := range fs {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendString(b, f.key)
		b = append(b, ':')
		b = append(b, f.value...)
	}
	return append(b, '}')
}
