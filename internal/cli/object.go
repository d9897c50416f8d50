package cli

import (
	"bytes"

	"github.com/daruma-dev/daruma/message"
)

// object is a JSON object whose members stand in the order in which they are
// written here: "type" first, where people and simple scripts look for it.
type object []member

type member struct {
	name  string
	value any
}

// MarshalJSON implements [json.Marshaler].
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		for _, part := range []any{m.name, m.value} {
			text, err := message.Marshal(part)
			if err != nil {
				return nil, err
			}
			b.Write(text)
			b.WriteByte(':')
		}
		b.Truncate(b.Len() - 1)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}
