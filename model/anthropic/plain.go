package anthropic

import (
	"bytes"
	"strings"
	"unicode"
)

// maxPlain is how many bytes of a server's words are kept: enough for the
// longest real message.
const maxPlain = 1000

// plain is a server's words as one line: of an HTML page its title or text, no
// control characters (they could steer a terminal), and not too long.
func plain(b []byte) string {
	if t := bytes.TrimSpace(b); len(t) > 0 && t[0] == '<' {
		b = fromHTML(t)
	}
	s := strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(string(b), badSign))
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > maxPlain {
		s = strings.ToValidUTF8(s[:maxPlain], "") + "…"
	}
	return s
}

// fromHTML is a page's title, or its text without tags.
func fromHTML(page []byte) []byte {
	lower := bytes.Clone(page)
	for i, c := range lower {
		if 'A' <= c && c <= 'Z' { // only these keep their place when made small
			lower[i] = c | 0x20
		}
	}
	if _, after, ok := bytes.Cut(lower, []byte("<title>")); ok && bytes.Contains(after, []byte("</title>")) {
		from := len(page) - len(after)
		return page[from : from+bytes.Index(after, []byte("</title>"))]
	}
	var out []byte
	inTag := false
	for _, c := range page {
		switch {
		case c == '<':
			inTag = true
			out = append(out, ' ')
		case c == '>':
			inTag = false
		case !inTag:
			out = append(out, c)
		}
	}
	return out
}
