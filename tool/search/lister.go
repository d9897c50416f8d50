package search

import (
	"bytes"
	"unicode/utf8"
)

// maxMatchLines is how many lines of one match are shown.
const maxMatchLines = 40

// shown is a line of a result.
type shown struct {
	num  int // counted from 1
	text string
	kind kind
}

// kind says what a line is to a match.
type kind byte

const (
	around kind = iota // context
	match              // where a match starts
	rest               // where one that reaches over several lines goes on
)

// lister takes the matches in a file, in order, and makes lines of them. The
// text may come in several pieces, each of whole lines but for a line too long
// for one piece.
type lister struct {
	context int // lines around each match
	limit   int // matches that become lines
	lines   []shown
	count   int // matches, or lines that match where none reaches over a line

	text    []byte
	pos     int // where the first line starts that was not passed
	num     int // its number
	owed    int // lines of context to show from there on
	skipped int // characters of the line at 0 that came in earlier pieces
}

// piece begins the next piece of the file.
func (l *lister) piece(text []byte) {
	if l.num == 0 {
		l.num = 1
	}
	l.text, l.pos = text, 0
}

// hit takes a match and returns where the line after it starts.
func (l *lister) hit(m span) int {
	start, end := lineAround(l.text, m.start)
	if m.end > end {
		_, end = lineAround(l.text, m.end-1)
	}
	l.count++
	if l.count > l.limit {
		l.flush(start)
		l.owed = 0
		l.move(end)
		return l.pos
	}
	l.flush(start)
	l.before(start)
	for at, n, what := start, 0, match; at <= end; n++ {
		_, stop := lineAround(l.text, at)
		if n == maxMatchLines {
			l.lines = append(l.lines, shown{l.num, "… the match goes on …", rest})
			l.move(end)
			break
		}
		l.add(at, stop, span{max(m.start-at, 0), min(m.end, stop) - at}, what)
		at, what = stop+1, rest
	}
	l.owed = l.context
	return l.pos
}

// flush shows the context that is owed, up to the line that starts at end.
func (l *lister) flush(end int) {
	for ; l.owed > 0 && l.pos < end; l.owed-- {
		_, stop := lineAround(l.text, l.pos)
		l.add(l.pos, stop, span{}, around)
	}
}

// before shows the context before the line that starts at start, and passes what
// lies before it.
func (l *lister) before(start int) {
	from := start
	for range l.context {
		if from > l.pos {
			from, _ = lineAround(l.text, from-1)
		}
	}
	from = max(from, l.pos)
	l.num += bytes.Count(l.text[l.pos:from], []byte("\n"))
	l.pos = from
	for l.pos < start {
		_, stop := lineAround(l.text, l.pos)
		l.add(l.pos, stop, span{}, around)
	}
}

// add shows the line from start to end and passes it.
func (l *lister) add(start, end int, m span, what kind) {
	skipped := 0
	if start == 0 {
		skipped = l.skipped
	}
	l.lines = append(l.lines, shown{l.num, excerpt(l.text[start:end], m, skipped), what})
	l.move(end)
}

// move passes the lines up to the one that ends at end.
func (l *lister) move(end int) {
	next := min(end+1, len(l.text))
	l.num += bytes.Count(l.text[l.pos:next], []byte("\n"))
	l.pos = next
}

// done ends a piece.
func (l *lister) done() {
	l.flush(len(l.text))
	start := bytes.LastIndexByte(l.text, '\n') + 1
	if start > 0 {
		l.skipped = 0
	}
	l.skipped += utf8.RuneCount(l.text[start:])
	l.num += bytes.Count(l.text[l.pos:], []byte("\n"))
	l.pos = len(l.text)
}
