// Package visible makes text from files, commands and models safe to show to
// people. A control character in it could move the cursor, clear the screen,
// set the clipboard or reorder what is read; here each becomes a sign that
// stands for it.
package visible

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Text is s with every control character but the newline and the tab replaced
// by a visible sign, and what is not UTF-8 by U+FFFD.
func Text(s string) string { return mapped(s, func(r rune) bool { return r == '\n' || r == '\t' }) }

// Line is Text for what must stay on one line: newlines and tabs become signs
// too.
func Line(s string) string { return mapped(s, func(rune) bool { return false }) }

// Name is a file name as it may be told in a list with one name a line: as it
// is, or quoted as in Go where it could be taken for something else.
func Name(s string) string {
	if utf8.ValidString(s) && strings.IndexFunc(s, control) < 0 {
		return s
	}
	return strconv.Quote(s)
}

func mapped(s string, keep func(rune) bool) string {
	clean := true
	for _, r := range s {
		if (r == utf8.RuneError || control(r)) && !keep(r) {
			clean = false
			break
		}
	}
	if clean {
		return s
	}
	return strings.Map(func(r rune) rune {
		switch {
		case keep(r) || !control(r):
			return r
		case r < 0x20:
			return 0x2400 + r // ␀ to ␟
		case r == 0x7f:
			return '␡'
		default:
			return utf8.RuneError
		}
	}, s)
}

// control reports whether a terminal may act on r: the C0 and C1 controls, and
// those that reorder text (Unicode TR36, "bidirectional text spoofing").
func control(r rune) bool {
	return r < 0x20 || 0x7f <= r && r < 0xa0 || 0x202a <= r && r <= 0x202e || 0x2066 <= r && r <= 0x2069
}
