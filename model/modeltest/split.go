package modeltest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// errNotJSON is what the splitters say of text that is not what they split.
// They take valid JSON and do not check all of it: bodies have been checked
// once as a whole, and checking every level again made long ones slow.
var errNotJSON = errors.New("modeltest: it is no JSON object or list")

// fieldsOf takes an object apart. A member that occurs twice is an error, as it
// has no one meaning.
func fieldsOf(raw json.RawMessage) (fields, error) {
	var fs fields
	err := splitJSON(raw, '{', '}', func(name, value json.RawMessage) error {
		f := field{value: value}
		if json.Unmarshal(name, &f.name) != nil {
			return errNotJSON
		}
		if fs.get(f.name) != nil {
			return fmt.Errorf("modeltest: member %q occurs twice", f.name)
		}
		fs = append(fs, f)
		return nil
	})
	return fs, err
}

// listOf takes a list apart.
func listOf(raw json.RawMessage) ([]json.RawMessage, error) {
	var list []json.RawMessage
	err := splitJSON(raw, '[', ']', func(_, value json.RawMessage) error {
		list = append(list, value)
		return nil
	})
	return list, err
}

// splitJSON calls add for each member or element between the brackets.
func splitJSON(raw json.RawMessage, opening, closing byte, add func(name, value json.RawMessage) error) error {
	rest := skipSpace(raw)
	if len(rest) == 0 || rest[0] != opening {
		return errNotJSON
	}
	rest = skipSpace(rest[1:])
	if len(rest) > 0 && rest[0] == closing {
		return nil
	}
	for {
		var name, value json.RawMessage
		if opening == '{' {
			name, rest = cutValue(rest)
			rest = skipSpace(rest)
			if len(name) < 2 || name[0] != '"' || len(rest) == 0 || rest[0] != ':' {
				return errNotJSON
			}
			rest = skipSpace(rest[1:])
		}
		value, rest = cutValue(rest)
		rest = skipSpace(rest)
		if len(value) == 0 || len(rest) == 0 {
			return errNotJSON
		}
		if err := add(name, value); err != nil {
			return err
		}
		if rest[0] == closing {
			return nil
		}
		if rest[0] != ',' {
			return errNotJSON
		}
		rest = skipSpace(rest[1:])
	}
}

func skipSpace(b []byte) []byte { return bytes.TrimLeft(b, " \t\r\n") }

// cutValue takes the value at the start of b.
func cutValue(b []byte) (value, rest []byte) {
	depth := 0
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			i = endOfString(b, i)
			if depth == 0 && i < len(b) {
				return b[: i+1 : i+1], b[i+1:]
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return b[:i:i], b[i:]
			}
			if depth--; depth == 0 {
				return b[: i+1 : i+1], b[i+1:]
			}
		case ',', ' ', '\t', '\r', '\n':
			if depth == 0 {
				return b[:i:i], b[i:]
			}
		}
	}
	return nil, nil
}

// endOfString is where the string that starts at i has its closing quote, or
// the end of b.
func endOfString(b []byte, i int) int {
	for i++; i < len(b); i++ {
		n := bytes.IndexAny(b[i:], `"\`)
		if n < 0 {
			return len(b)
		}
		i += n
		if b[i] == '"' {
			return i
		}
		i++ // what is escaped
	}
	return len(b)
}
