package shell

import (
	"strings"
	"unicode/utf8"
)

// firstChars is the beginning of a text, at most n characters, and whole lines
// where that costs less than half of them.
func firstChars(s string, n int) string {
	end := 0
	for range n {
		if end == len(s) {
			return s
		}
		_, size := utf8.DecodeRuneInString(s[end:])
		end += size
	}
	if nl := strings.LastIndexByte(s[:end], '\n') + 1; nl > end/2 {
		end = nl
	}
	return s[:end]
}

// lastChars is the same for the end.
func lastChars(s string, n int) string {
	start := len(s)
	for range n {
		if start == 0 {
			return s
		}
		_, size := utf8.DecodeLastRuneInString(s[:start])
		start -= size
	}
	if start > 0 && s[start-1] == '\n' {
		return s[start:]
	}
	if nl := strings.IndexByte(s[start:], '\n') + 1; nl > 0 && nl < (len(s)-start)/2 {
		start += nl
	}
	return s[start:]
}

// wholeEnd is b without the beginning of a character at its end.
func wholeEnd(b []byte) []byte {
	for i := 1; i < utf8.UTFMax && i <= len(b); i++ {
		if utf8.RuneStart(b[len(b)-i]) {
			if !utf8.FullRune(b[len(b)-i:]) {
				return b[:len(b)-i]
			}
			break
		}
	}
	return b
}

// wholeStart is b without the end of a character at its start.
func wholeStart(b []byte) []byte {
	for i := 0; i < utf8.UTFMax && i < len(b); i++ {
		if utf8.RuneStart(b[i]) {
			return b[i:]
		}
	}
	return b
}
