package modeltest

import (
	"bytes"
	"encoding/json"
	"strconv"
	"unicode/utf8"
)

// checkJSON refuses a body that is not one JSON document the service can keep:
// broken JSON, bytes that are no UTF-8, U+0000, and halves of surrogate pairs.
func checkJSON(body []byte) error {
	if !utf8.Valid(body) {
		return wrong("The request body is not valid JSON: it is not UTF-8")
	}
	if !json.Valid(body) {
		var doc json.RawMessage
		return wrong("The request body is not valid JSON: %v", json.Unmarshal(body, &doc))
	}
	return checkEscapes(body)
}

// checkEscapes looks at the \u escapes of valid JSON.
func checkEscapes(body []byte) error {
	for i := bytes.IndexByte(body, '\\'); i >= 0 && i+1 < len(body); {
		n := 2
		if body[i+1] == 'u' {
			n = 6
			switch c := escaped(body[i:]); {
			case c == 0:
				return wrong("The request body is not valid JSON: \\u0000 cannot be part of a text, at byte %d", i)
			case c >= 0xDC00 && c < 0xE000:
				return wrong("The request body is not valid JSON: no high surrogate before %s, at byte %d", body[i:i+6], i)
			case c >= 0xD800 && c < 0xDC00:
				if low := escaped(body[i+6:]); low < 0xDC00 || low >= 0xE000 {
					return wrong("The request body is not valid JSON: no low surrogate after %s, at byte %d", body[i:i+6], i)
				}
				n = 12
			}
		}
		next := bytes.IndexByte(body[i+n:], '\\')
		if next < 0 {
			break
		}
		i += n + next
	}
	return nil
}

// escaped is the number of a \uXXXX at the start of b, and -1 when there is
// none.
func escaped(b []byte) int {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return -1
	}
	n, err := strconv.ParseUint(string(b[2:6]), 16, 16)
	if err != nil {
		return -1
	}
	return int(n)
}
