package anthropic

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// growing is a text that arrives in pieces, each a JSON string. Some servers cut
// inside a character, between the bytes or between the halves of a surrogate
// pair; the start of such a character waits for its rest. The zero value is
// empty.
type growing struct {
	text []byte
	tail []byte // start of a character, as it stands in the JSON string
	got  bool   // a piece came, even an empty one
}

// add takes a piece and returns what it adds to the text. A piece that is no
// string but another JSON value stands for its own text; null and nothing are
// empty.
func (g *growing) add(piece json.RawMessage) string {
	if len(piece) == 0 || string(piece) == "null" {
		return ""
	}
	g.got = true
	if piece[0] != '"' {
		g.text = append(g.text, piece...)
		return string(piece)
	}
	in := piece[1 : len(piece)-1]
	if len(g.tail) > 0 {
		in = append(g.tail, in...)
	}
	n := wholeCharacters(in)
	s := unquote(in[:n])
	g.text, g.tail = append(g.text, s...), bytes.Clone(in[n:])
	return s
}

// end is add for the end of the text: the start of a character whose rest never
// came is a U+FFFD.
func (g *growing) end() string {
	s := unquote(g.tail)
	g.text, g.tail = append(g.text, s...), nil
	return s
}

// String is the text so far.
func (g *growing) String() string { return string(g.text) }

// unquote decodes what stands between the quotes of a JSON string.
func unquote(in []byte) string {
	if bytes.IndexByte(in, '\\') < 0 && utf8.Valid(in) {
		return string(in)
	}
	quoted := make([]byte, 0, len(in)+2)
	quoted = append(append(append(quoted, '"'), in...), '"')
	var s string
	if json.Unmarshal(quoted, &s) != nil {
		return string(in) // cannot be: the piece was valid JSON
	}
	return s
}

// wholeCharacters is how many bytes of in, the inside of a JSON string, are
// whole characters.
func wholeCharacters(in []byte) int {
	for i := len(in) - 1; i >= 0 && i >= len(in)-utf8.UTFMax; i-- {
		if utf8.RuneStart(in[i]) {
			if !utf8.FullRune(in[i:]) {
				return i
			}
			break
		}
	}
	i := len(in) - 6
	if i < 0 {
		return len(in)
	}
	if u := unit(in[i:]); u < 0xd800 || u >= 0xdc00 {
		return len(in)
	}
	before := in[:i]
	if (len(before)-len(bytes.TrimRight(before, `\`)))%2 == 1 {
		return len(in) // the backslash is itself escaped
	}
	return i
}
