package modeltest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
)

// fields is a JSON object with its members in the order they came, each value
// to the byte.
type fields []field

type field struct {
	name  string
	value json.RawMessage
}

// fieldsOf takes an object apart. A member that occurs twice is an error, as it
// has no one meaning.
func fieldsOf(raw json.RawMessage) (fields, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	t, err := dec.Token()
	if err != nil {
		return nil, fmt.Errorf("modeltest: read object: %w", err)
	}
	if t != json.Delim('{') {
		return nil, fmt.Errorf("modeltest: read object: it starts with %v", t)
	}
	var fs fields
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return nil, fmt.Errorf("modeltest: read object: %w", err)
		}
		f := field{name: name.(string)} // a decoder takes nothing else for a name
		if err := dec.Decode(&f.value); err != nil {
			return nil, fmt.Errorf("modeltest: read member %q: %w", f.name, err)
		}
		if fs.get(f.name) != nil {
			return nil, fmt.Errorf("modeltest: member %q occurs twice", f.name)
		}
		fs = append(fs, f)
	}
	if _, err := dec.Token(); err != nil {
		return nil, fmt.Errorf("modeltest: read object: %w", err)
	}
	return fs, nil
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
	var s string
	if v := fs.get(name); v != nil && json.Unmarshal(v, &s) != nil {
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
func (fs fields) encode() json.RawMessage {
	b := []byte{'{'}
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
