package file

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxSearched is how many bytes of a text are searched for what comes nearest to
// old_string.
const maxSearched = 8 << 20

// nearest finds the lines of a text that are most like those of old: the number
// of the first, counted from 0. ok is false when none are like them.
//
// Lines of old that are in the text but for blanks, quotes, dashes and case vote
// for the place where the whole would start; long lines, which are rare, weigh
// more. Where there is no such line, the longest line of old is compared by the
// triples of bytes that it shares with each line of the text.
func nearest(text, old []string) (start int, ok bool) {
	if start, ok := byVotes(text, old); ok {
		return start, true
	}
	return byTriples(text, old)
}

func byVotes(text, old []string) (start int, ok bool) {
	places := map[string][]int{}
	for i, l := range old {
		if l = folded(l); len(l) > 2 { // not a brace or an empty line
			places[l] = append(places[l], i)
		}
	}
	votes := map[int]int{}
	for i, l := range text {
		if len(l) <= 2 {
			continue
		}
		for _, j := range places[folded(l)] {
			votes[i-j] += len(l)
		}
	}
	best := 0
	for at, n := range votes {
		if n > best || n == best && at < start {
			start, best = at, n
		}
	}
	return max(start, 0), best > 0
}

func byTriples(text, old []string) (start int, ok bool) {
	telling := 0
	for i, l := range old {
		if len(l) > len(old[telling]) {
			telling = i
		}
	}
	want := triples(folded(old[telling]))
	if len(want) < 3 {
		return 0, false
	}
	best := len(want) / 2 // less than half in common is no likeness
	seen := make(map[string]int, len(want))
	for i, l := range text {
		l = folded(l)
		common := 0
		for k := 0; k+3 <= len(l); k++ {
			if t := l[k : k+3]; want[t] && seen[t] != i+1 {
				seen[t] = i + 1
				common++
			}
		}
		if common > best {
			start, best, ok = max(i-telling, 0), common, true
		}
	}
	return start, ok
}

func triples(s string) map[string]bool {
	set := map[string]bool{}
	for k := 0; k+3 <= len(s); k++ {
		set[s[k:k+3]] = true
	}
	return set
}

// folded is a line without what is easily got wrong: its blanks are one space
// each and none at the ends, its letters lower case, its quotes and dashes
// plain.
func folded(s string) string {
	var b strings.Builder
	blank := false
	for _, r := range s {
		if unicode.IsSpace(r) || r == '\u200b' || r == '\ufeff' {
			blank = true
			continue
		}
		if blank && b.Len() > 0 {
			b.WriteByte(' ')
		}
		blank = false
		b.WriteRune(plain(r))
	}
	return b.String()
}

// plain is the ASCII sign that r is often mistaken for, or r in lower case.
func plain(r rune) rune {
	switch r {
	case '‘', '’', '‚', '‛', '′':
		return '\''
	case '“', '”', '„', '‟', '″':
		return '"'
	case '‐', '‑', '‒', '–', '—', '―', '−':
		return '-'
	}
	if 0xff01 <= r && r <= 0xff5e { // full-width forms of ASCII
		r -= 0xfee0
	}
	return unicode.ToLower(r)
}

// difference is the first place where the lines of a text from start on are not
// those of old.
type difference struct {
	line, column int    // of the text, counted from 0
	before       string // what stands before the place in its line
	has, want    string // what follows there in the text and in old
	end          bool   // the text has no such line
}

// compareLines finds the first difference. old may start in the middle of a line
// and end in the middle of one.
func compareLines(text, old []string, start int) difference {
	for i, want := range old {
		if start+i >= len(text) {
			return difference{line: start + i, end: true, want: want}
		}
		has, shift := text[start+i], 0
		if i == 0 {
			shift = bestShift(has, want, len(old) == 1)
		}
		n := commonPrefix(has[shift:], want)
		at := shift + n
		if n == len(want) && (at == len(has) || i == len(old)-1) {
			continue
		}
		return difference{line: start + i, column: at, before: has[:at], has: has[at:], want: want[n:]}
	}
	return difference{line: start + len(old) - 1}
}

// bestShift is where in has the text want starts most likely: where the longest
// possible prefix of it is found. The first of several lines reaches to the end
// of the line it is in.
func bestShift(has, want string, alone bool) int {
	if !alone && strings.HasSuffix(has, want) {
		return len(has) - len(want)
	}
	// A prefix is there when a longer one is.
	lo, hi := 0, len(want)
	for lo < hi {
		mid := (lo + hi + 1) / 2
		if strings.Contains(has, want[:mid]) {
			lo = mid
		} else {
			hi = mid - 1
		}
	}
	return max(strings.Index(has, want[:lo]), 0)
}

// commonPrefix is how many bytes two texts have in common at the start, in whole
// characters.
func commonPrefix(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	for n > 0 && (n < len(a) && !utf8.RuneStart(a[n]) || n < len(b) && !utf8.RuneStart(b[n])) {
		n--
	}
	return n
}
