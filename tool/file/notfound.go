package file

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/daruma-dev/daruma/internal/charset"
	"github.com/daruma-dev/daruma/tool"
)

// The bounds on what is shown of the lines that come nearest.
const (
	maxShown     = 12  // lines
	shownOfALine = 200 // characters
)

// notFound tells the model that old_string is not in the text, and what is
// there that comes nearest.
func (in editInput) notFound(t target, text []byte) error {
	var b strings.Builder
	fmt.Fprintf(&b, "old_string is not in %s, so nothing was changed.", t.name)
	sought, numbered := unnumbered(in.OldString)
	if numbered {
		b.WriteString(" It starts with line numbers, which read shows but the file does not have: leave them out.")
	}
	if p := newPattern(in.NewString); len(in.NewString) >= 10 {
		if s, ok := p.next(text, 0); ok {
			fmt.Fprintf(&b, " new_string is there already, at line %d: this edit may have been made before.", lineNumbers(text, []span{s})[0])
		}
	}
	lines, old := displayed(text), strings.Split(plainEnds(sought), "\n")
	if start, ok := nearest(lines, old); ok {
		writeNearest(&b, lines, old, start)
	} else {
		b.WriteString(" Nothing in the file comes near it: read the file again, or find the text with grep.")
	}
	return tool.Errorf("%s", b.String())
}

// displayed is the start of a text as read shows it, line by line.
func displayed(text []byte) []string {
	shown, _ := charset.Form{}.Decode(text[:min(len(text), maxSearched)])
	return strings.Split(plainEnds(shown), "\n")
}

// unnumbered is a text without the line numbers of read's result; ok is false
// where one of its lines has none.
func unnumbered(s string) (text string, ok bool) {
	var b strings.Builder
	for l := range strings.Lines(s) {
		rest := strings.TrimLeft(strings.TrimLeft(l, " "), "0123456789")
		if !strings.HasPrefix(rest, "\t") || rest == strings.TrimLeft(l, " ") {
			return s, false
		}
		b.WriteString(rest[1:])
	}
	return b.String(), true
}

func writeNearest(b *strings.Builder, text, old []string, start int) {
	d := compareLines(text, old, start)
	first, last := start, min(start+len(old), len(text))-1
	if last-first >= maxShown { // the lines around the difference tell most
		first = min(max(d.line-maxShown/2, first), last-maxShown+1)
		last = first + maxShown - 1
	}
	b.WriteString(" The nearest is")
	for i := first; i <= last; i++ {
		column := 0
		if i == d.line {
			column = d.column
		}
		fmt.Fprintf(b, "\n%d\t%s", i+1, around(text[i], column))
	}
	fmt.Fprintf(b, "\n%s Read the place again and send the edit with the text as it is.", d)
}

// around is a part of a line with the place of that byte in it.
func around(line string, at int) string {
	if utf8.RuneCountInString(line) <= shownOfALine {
		return line
	}
	runes := []rune(line)
	at = utf8.RuneCountInString(line[:at])
	from := max(at-shownOfALine/2, 0)
	to := min(from+shownOfALine, len(runes))
	s := string(runes[from:to])
	if from > 0 {
		s = "…" + s
	}
	if to < len(runes) {
		s += "…"
	}
	return s
}

// String says where the difference is.
func (d difference) String() string {
	switch {
	case d.end:
		return fmt.Sprintf("The file ends before the line of old_string that starts with %q.", clip(d.want))
	case d.has == d.want:
		return "It differs in a way that is not shown, such as bytes that are not UTF-8."
	}
	where := fmt.Sprintf("At the start of line %d", d.line+1)
	if d.before != "" {
		where = fmt.Sprintf("In line %d, after %q,", d.line+1, clipTail(d.before))
	}
	return fmt.Sprintf("%s the file has %s where old_string has %s.", where, sign(d.has), sign(d.want))
}

// clip is the start of a line.
func clip(s string) string {
	if r := []rune(s); len(r) > 40 {
		return string(r[:40]) + "…"
	}
	return s
}

// clipTail is the end of a line.
func clipTail(s string) string {
	if r := []rune(s); len(r) > 40 {
		return "…" + string(r[len(r)-40:])
	}
	return s
}

// sign names the first character of s, so that one is told from another that
// looks like it.
func sign(s string) string {
	r, _ := utf8.DecodeRuneInString(s)
	switch {
	case s == "":
		return "the end of the line"
	case r == ' ':
		return "a space"
	case r == '\t':
		return "a tab"
	case r == '\u00a0':
		return "a no-break space (U+00A0)"
	case r == utf8.RuneError:
		return "a byte that is not UTF-8 (shown as \uFFFD)"
	case r < utf8.RuneSelf && unicode.IsPrint(r):
		return fmt.Sprintf("%q", clip(s))
	case unicode.IsPrint(r):
		return fmt.Sprintf("%q (which starts with U+%04X)", clip(s), r)
	default:
		return fmt.Sprintf("the character U+%04X", r)
	}
}
