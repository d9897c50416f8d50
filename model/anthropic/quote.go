package anthropic

import (
	"bytes"
	"encoding/json"
	"strconv"
	"unicode"
	"unicode/utf8"
)

// What stands for text that no server takes. The sign for NUL is visible, so
// that the model can tell that there was one.
const (
	nulSign = "\u2400" // ␀
	badSign = "\ufffd"
)

const hexDigits = "0123456789abcdef"

// appendString appends s as a JSON string. NUL becomes ␀ and what is not UTF-8
// becomes U+FFFD: servers refuse both, and would refuse the conversation for
// ever. Characters that JSON does not require to be escaped are not.
func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		size := 1
		if c >= utf8.RuneSelf {
			var r rune
			if r, size = utf8.DecodeRuneInString(s[i:]); r != utf8.RuneError || size > 1 {
				i += size
				continue
			}
		}
		b = append(b, s[from:i]...)
		b = appendEscaped(b, c)
		i += size
		from = i
	}
	b = append(b, s[from:]...)
	return append(b, '"')
}

// appendEscaped appends one byte that cannot stand in a JSON string as it is.
func appendEscaped(b []byte, c byte) []byte {
	switch {
	case c == 0:
		return append(b, nulSign...)
	case c >= utf8.RuneSelf:
		return append(b, badSign...)
	case c == '"' || c == '\\':
		return append(b, '\\', c)
	case c == '\n':
		return append(b, '\\', 'n')
	case c == '\r':
		return append(b, '\\', 'r')
	case c == '\t':
		return append(b, '\\', 't')
	default:
		return append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
	}
}

// clean is valid JSON with every escape and byte replaced that servers refuse:
// an escaped NUL, half a surrogate pair, bytes that are not UTF-8. It is raw
// itself when there is nothing to replace, which is nearly always.
func clean(raw json.RawMessage) json.RawMessage {
	if utf8.Valid(raw) && !bytes.Contains(raw, []byte(`\u`)) {
		return raw
	}
	out := make([]byte, 0, len(raw)+16)
	for i := 0; i < len(raw); {
		n, instead := 1, ""
		switch c := raw[i]; {
		case c == '\\' && raw[i+1] == 'u':
			n, instead = cleanEscape(raw[i:])
		case c == '\\':
			n = 2
		case c >= utf8.RuneSelf:
			var r rune
			if r, n = utf8.DecodeRune(raw[i:]); r == utf8.RuneError && n == 1 {
				instead = badSign
			}
		}
		if instead != "" {
			out = append(out, instead...)
		} else {
			out = append(out, raw[i:i+n]...)
		}
		i += n
	}
	return out
}

// cleanEscape looks at the \u escape at the start of b: how many bytes it has,
// both halves of a pair together, and what to put instead if it is no good.
func cleanEscape(b []byte) (n int, instead string) {
	switch u := unit(b); {
	case u == 0:
		return 6, nulSign
	case u >= 0xd800 && u < 0xdc00:
		if low := unit(b[6:]); low >= 0xdc00 && low < 0xe000 {
			return 12, ""
		}
		return 6, badSign
	case u >= 0xdc00 && u < 0xe000:
		return 6, badSign
	default:
		return 6, ""
	}
}

// unit is the value of the \u escape at the start of b, or -1.
func unit(b []byte) rune {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return -1
	}
	v, err := strconv.ParseUint(string(b[2:6]), 16, 16)
	if err != nil {
		return -1
	}
	return rune(v)
}

// blank reports whether the API would call s empty: nothing but white space,
// the separators U+001C to U+001F included.
func blank(s string) bool {
	for _, r := range s {
		if !unicode.IsSpace(r) && (r < 0x1c || r > 0x1f) {
			return false
		}
	}
	return true
}
