package search

import (
	"bytes"
	"encoding/binary"
)

// finder searches texts for a pattern, one after the other. It belongs to one
// goroutine.
type finder struct {
	*pattern
	text  []byte
	low   []byte // text, in lower case where the pattern is folded
	lower []byte // space for that
	next  []int  // where each needle stands next; len(text) when nowhere
	blind bool   // the needles cannot be trusted in this text
	dfa   *dfa   // nil where matches may reach over lines
}

func newFinder(p *pattern) *finder {
	f := &finder{pattern: p, next: make([]int, len(p.needles))}
	if p.lines && !p.sure {
		f.dfa = newDFA(p.prog)
	}
	return f
}

// The letters beyond ASCII that fold to ASCII ones: the long s and the Kelvin
// sign.
var (
	longS  = []byte("ſ")
	kelvin = []byte("\u212a")
)

// start begins a new text.
func (f *finder) start(text []byte) {
	f.text = text
	f.blind = len(f.needles) == 0 || f.fold && (bytes.Contains(text, longS) || bytes.Contains(text, kelvin))
	for i := range f.next {
		f.next[i] = -1
	}
	f.low = text
	if f.fold && !f.blind {
		f.lower = appendLower(f.lower[:0], text)
		f.low = f.lower
	}
}

// find is the first match that starts at from or after it, which must be the
// start of a line.
func (f *finder) find(from int) (s span, ok bool) {
	switch {
	case from >= len(f.text):
		return span{}, false
	case f.blind && f.lines:
		return f.findByLine(from)
	case f.blind, !f.lines && !f.sure:
		if !f.blind && f.candidate(from).start == len(f.text) {
			return span{}, false
		}
		return f.match(from, len(f.text))
	}
	for from < len(f.text) {
		c := f.candidate(from)
		switch {
		case c.start == len(f.text):
			return span{}, false
		case f.sure:
			return c, true
		}
		start, end := lineAround(f.text, c.start)
		if _, ok := f.dfa.find(f.text[start:end], 0); ok {
			if s, ok := f.match(start, end); ok {
				return s, true
			}
		}
		from = end + 1
	}
	return span{}, false
}

// findByLine does without needles.
func (f *finder) findByLine(from int) (s span, ok bool) {
	for from < len(f.text) {
		at, ok := f.dfa.find(f.text, from)
		if !ok {
			break
		}
		start, end := lineAround(f.text, at)
		if s, ok := f.match(start, end); ok {
			return s, true
		}
		from = end + 1
	}
	return span{}, false
}

func (f *finder) match(start, end int) (s span, ok bool) {
	loc := f.re.FindIndex(f.text[start:end])
	if loc == nil {
		return span{}, false
	}
	return span{start + loc[0], start + loc[1]}, true
}

// candidate is the first place of a needle at from or after it. It starts at the
// end of the text when there is none.
func (f *finder) candidate(from int) span {
	best := span{len(f.text), len(f.text)}
	for i, n := range f.needles {
		if f.next[i] < from {
			f.next[i] = len(f.text)
			if at := bytes.Index(f.low[from:], n); at >= 0 {
				f.next[i] = from + at
			}
		}
		if f.next[i] < best.start {
			best = span{f.next[i], f.next[i] + len(n)}
		}
	}
	return best
}

// span is a part of a text, the bytes from start up to end.
type span struct{ start, end int }

// lineAround is the start and the end of the line that has the byte at, without
// its line feed.
func lineAround(text []byte, at int) (start, end int) {
	start = bytes.LastIndexByte(text[:at], '\n') + 1
	end = bytes.IndexByte(text[at:], '\n')
	if end < 0 {
		return start, len(text)
	}
	return start, at + end
}

// appendLower appends text with its ASCII letters in lower case, eight at a
// time.
func appendLower(dst, text []byte) []byte {
	const ones = 0x0101010101010101
	for len(text) >= 8 {
		x := binary.LittleEndian.Uint64(text)
		low := x & (0x7f * ones)
		fromA := low + (0x80-'A')*ones
		afterZ := low + (0x80-'Z'-1)*ones
		upper := (fromA &^ afterZ) &^ x & (0x80 * ones)
		dst = binary.LittleEndian.AppendUint64(dst, x|upper>>2)
		text = text[8:]
	}
	for _, c := range text {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		dst = append(dst, c)
	}
	return dst
}
