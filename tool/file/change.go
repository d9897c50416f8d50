package file

import (
	"bytes"
	"slices"
)

// change is what an edit puts in the place of a match.
type change struct {
	old, new pattern
}

func newChange(in editInput) change {
	return change{old: newPattern(in.OldString), new: newPattern(in.NewString)}
}

// apply makes the change at each of the places, which are in order and do not
// overlap. Bytes outside of them stay as they are.
func (c change) apply(text []byte, places []span) []byte {
	var out []byte
	at := 0
	for _, s := range places {
		out = append(out, text[at:s.start]...)
		out = c.appendNew(out, text, s)
		at = s.end
	}
	return append(out, text[at:]...)
}

// appendNew appends the new text for one place, with the line ends that the
// place has.
func (c change) appendNew(out, text []byte, s span) []byte {
	lines := c.new
	if c.strayEnd() && lineEnd(text[s.end:]) > 0 {
		lines = lines[:len(lines)-1]
	}
	ends := c.ends(text, s, len(lines)-1)
	for i, l := range lines {
		out = append(out, l...)
		if i < len(ends) {
			out = append(out, ends[i]...)
		}
	}
	return out
}

// strayEnd reports whether the new text ends with one line end that the old
// text has not. Where a line end follows, models do not mean the empty line it
// would make, unless that is the whole change.
func (c change) strayEnd() bool {
	n := len(c.new)
	return n > 1 && len(c.new[n-1]) == 0 && len(c.old[len(c.old)-1]) > 0 &&
		!slices.EqualFunc(c.new[:n-1], c.old, bytes.Equal)
}

// ends chooses n line ends for the new text of a place. A line that the edit
// keeps, counted from the start or from the end, keeps its own; others take
// that of the old line in the same place, or of a neighbour.
func (c change) ends(text []byte, s span, n int) [][]byte {
	old := c.oldEnds(text, s)
	local := neighbour(text, s)
	if len(old) > 0 {
		local = old[len(old)-1]
	}
	ends := make([][]byte, n)
	for i := range ends {
		ends[i] = local
		if i < len(old) {
			ends[i] = old[i]
		}
	}
	for i := 1; i <= min(n, len(old)) && bytes.Equal(c.new[n-i], c.old[len(old)-i]); i++ {
		ends[n-i] = old[len(old)-i]
	}
	return ends
}

// oldEnds lists the line ends in a match.
func (c change) oldEnds(text []byte, s span) [][]byte {
	var ends [][]byte
	at := s.start
	for _, l := range c.old[:len(c.old)-1] {
		at += len(l)
		n := lineEnd(text[at:])
		ends = append(ends, text[at:at+n])
		at += n
	}
	return ends
}

// neighbour is the line end of the line that a match ends in, or of the one
// before it, and LF where there is neither.
func neighbour(text []byte, s span) []byte {
	if i := bytes.IndexByte(text[s.end:], '\n'); i >= 0 {
		return endAt(text, s.end+i)
	}
	if i := bytes.LastIndexByte(text[:s.start], '\n'); i >= 0 {
		return endAt(text, i)
	}
	return []byte("\n")
}

// endAt is the line end whose LF is at i.
func endAt(text []byte, i int) []byte {
	if i > 0 && text[i-1] == '\r' {
		return text[i-1 : i+1]
	}
	return text[i : i+1]
}
