package file

import (
	"bytes"
	"strings"
)

// pattern is a text to look for, line by line: each of its line ends stands for
// an LF or a CRLF, and everything else for itself.
type pattern [][]byte

// span is a part of a text, the bytes from start up to end.
type span struct{ start, end int }

func newPattern(s string) pattern {
	var p pattern
	for l := range strings.SplitSeq(plainEnds(s), "\n") {
		p = append(p, []byte(l))
	}
	return p
}

// first lists at most n matches from the start, also those that overlap: a
// place is ambiguous when two matches share a part of it.
func (p pattern) first(text []byte, n int) []span {
	var found []span
	for from := 0; len(found) < n; {
		s, ok := p.next(text, from)
		if !ok {
			break
		}
		found = append(found, s)
		from = s.start + 1
	}
	return found
}

// all lists the matches from the start, each after the end of the one before.
func (p pattern) all(text []byte) []span {
	var found []span
	for from := 0; ; {
		s, ok := p.next(text, from)
		if !ok {
			return found
		}
		found = append(found, s)
		from = s.end
	}
}

// next is the first match that starts at from or after it.
func (p pattern) next(text []byte, from int) (span, bool) {
	first := p[0]
	if len(p) > 1 && len(first) == 0 {
		first = []byte("\n") // the pattern starts with a line end
	}
	for at := from; ; at++ {
		i := bytes.Index(text[at:], first)
		if i < 0 {
			return span{}, false
		}
		at += i
		start := at
		if len(p[0]) == 0 && at > 0 && text[at-1] == '\r' {
			start--
		}
		if start < from {
			continue // the line end was cut in two by from
		}
		if end, ok := p.matchAt(text, start); ok {
			return span{start, end}, true
		}
	}
}

// matchAt is where a match that starts there ends.
func (p pattern) matchAt(text []byte, at int) (end int, ok bool) {
	for i, l := range p {
		if !bytes.HasPrefix(text[at:], l) {
			return 0, false
		}
		at += len(l)
		if len(l) > 0 && lineEnd(text[at-1:]) == 2 {
			return 0, false // the carriage return is half of a line end, not text
		}
		if i == len(p)-1 {
			break
		}
		n := lineEnd(text[at:])
		if n == 0 {
			return 0, false
		}
		at += n
	}
	return at, true
}

// lineEnd is the length of the line end that b starts with: 0, 1 for LF or 2
// for CRLF.
func lineEnd(b []byte) int {
	switch {
	case len(b) > 0 && b[0] == '\n':
		return 1
	case len(b) > 1 && b[0] == '\r' && b[1] == '\n':
		return 2
	}
	return 0
}
