package modeltest

import (
	"bytes"
	"encoding/json"
	"slices"
)

// fields is a JSON object with its members in the order they came, each value
// to the byte.
type fields []field

type field struct {
	name  string
	value json.RawMessage
}

// get is the member's value, nil when there is none.
func (fs fields) get(name string) json.RawMessage {
	for _, f := range fs {
		if f.name == name {
			return f.value
		}
	}
	return nil
}

// text is the member's value if it is a string, else empty.
func (fs fields) text(name string) string {
	v := fs.get(name)
	if len(v) < 2 || v[0] != '"' {
		return ""
	}
	if inner := v[1 : len(v)-1]; bytes.IndexByte(inner, '\\') < 0 {
		return string(inner)
	}
	var s string
	if json.Unmarshal(v, &s) != nil {
		return ""
	}
	return s
}

// replace is a copy with another value for the member.
func (fs fields) replace(name string, value json.RawMessage) fields {
	out := slices.Clone(fs)
	for i := range out {
		if out[i].name == name {
			out[i].value = value
		}
	}
	return out
}

// without is a copy that lacks the member.
func (fs fields) without(name string) fields {
	return slices.DeleteFunc(slices.Clone(fs), func(f field) bool { return f.name == name })
}

// encode puts the object together again, without white space between members.
// What json.Marshal would do to the values, it does not.
func (fs fields) encode() json.RawMessage {
	size := 2
	for _, f := range fs {
		size += len(f.name) + len(f.value) + 4
	}
	b := append(make([]byte, 0, size), '{')
	for i, f := range fs {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, mustMarshal(f.name)...)
		b = append(b, ':')
		b = append(b, f.value...)
	}
	return append(b, '}')
}

// encodeList puts values together as a list, to the byte.
func encodeList(values []json.RawMessage) json.RawMessage {
	b := []byte{'['}
	for i, v := range values {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, v...)
	}
	return append(b, ']')
}
