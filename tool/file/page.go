package file

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// The bounds on one result of read. Together with its notes it stays below
// tool.MaxResult, so that it is never paged out.
const (
	// maxLines is how many lines are shown when the call does not say.
	maxLines = 2000
	// maxBytes is for the text, counted as UTF-8: bytes follow tokens more
	// closely than characters do.
	maxBytes = 49_000
	// maxChars is how much of one line is shown among others. No line that a
	// person wrote is longer; those that are, are seldom wanted.
	maxChars = 2000
)

// page is the part of a text that one result shows.
type page struct {
	// What was asked for, counted from 1. A column is a character of the line
	// offset, which is then shown alone, and as much of it as fits.
	offset, limit, column int

	text  strings.Builder
	last  int   // the last line shown; 0 when none is
	lines int   // lines read, shown or not
	long  []int // lines that are not shown to their end
	only  line  // the line shown alone
	crlf  int   // lines shown that end with CRLF
	lf    int   // lines shown that end with LF alone
	open  bool  // the last line shown has no line end
}

// fill reads as far as the page goes. The error is io.EOF when the text ends
// there.
func (p *page) fill(r *lineReader) error {
	for p.lines < p.offset-1 {
		if err := r.skip(); err != nil {
			return err
		}
		p.lines++
	}
	if p.column > 0 {
		return p.fillAlone(r)
	}
	for p.lines-(p.offset-1) < p.limit {
		l, err := r.next(1, maxChars, maxBytes)
		if err != nil {
			return err
		}
		p.lines++
		if !p.add(l) {
			break
		}
	}
	return nil
}

func (p *page) fillAlone(r *lineReader) error {
	l, err := r.next(p.column, maxBytes, maxBytes)
	if err != nil {
		return err
	}
	p.lines++
	p.only = l
	p.only.text = nil
	p.write(l)
	return nil
}

// add shows a line if it fits.
func (p *page) add(l line) bool {
	if p.text.Len()+len(l.text)+len("1234567\t…\n") > maxBytes+100 {
		return false
	}
	p.write(l)
	if l.cut {
		p.long = append(p.long, p.last)
	}
	return true
}

func (p *page) write(l line) {
	p.last = p.lines
	p.text.WriteString(strconv.Itoa(p.lines))
	p.text.WriteByte('\t')
	p.text.Write(l.text)
	if l.cut {
		p.text.WriteString("…")
	}
	p.text.WriteByte('\n')
	p.open = !l.ended
	switch {
	case l.crlf:
		p.crlf++
	case l.ended:
		p.lf++
	}
}

// count reads the rest of the text to know how many lines it has.
func (p *page) count(r *lineReader) error {
	for {
		if err := r.skip(); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		p.lines++
	}
}

// notes tells what the text itself does not: what is left out and how to get
// it, and what is shown in another way than it is in the file. known says that
// all lines were counted.
func (p *page) notes(known bool) []string {
	var notes []string
	if p.column > 0 {
		notes = append(notes, p.aloneNote())
	} else {
		notes = append(notes, p.longNote(), p.restNote(known))
	}
	switch {
	case p.crlf > 0 && p.lf > 0:
		notes = append(notes, "Some of these lines end in CRLF, others in LF; edit keeps each as it is.")
	case p.crlf > 0:
		notes = append(notes, "The lines end in CRLF; edit and write keep that, so give plain line ends.")
	}
	if p.open && known && p.last == p.lines && !p.only.cut {
		notes = append(notes, "The last line has no line end.")
	}
	return slices.DeleteFunc(notes, func(s string) bool { return s == "" })
}

func (p *page) aloneNote() string {
	if !p.only.cut {
		return fmt.Sprintf("Line %d from character %d to its end, %d.", p.last, p.column, p.only.chars)
	}
	end := p.column - 1 + p.only.kept
	return fmt.Sprintf("Line %d, characters %d-%d of %d. To go on, read with offset %d and column %d.",
		p.last, p.column, end, p.only.chars, p.last, end+1)
}

func (p *page) longNote() string {
	if len(p.long) == 0 {
		return ""
	}
	which := fmt.Sprintf("Line %d is", p.long[0])
	if n := len(p.long); n > 1 {
		which = fmt.Sprintf("Lines %s are", join(p.long))
	}
	return fmt.Sprintf("%s longer than the %d characters shown, up to the …. For the rest, read with offset %d and column %d.",
		which, maxChars, p.long[0], maxChars+1)
}

func (p *page) restNote(known bool) string {
	switch {
	case known && p.last == p.lines:
		if p.offset == 1 {
			return ""
		}
		return fmt.Sprintf("Lines %d-%d, the end of the file.", p.offset, p.last)
	case known:
		return fmt.Sprintf("Lines %d-%d of %d. To go on, read with offset %d.", p.offset, p.last, p.lines, p.last+1)
	default:
		return fmt.Sprintf("Lines %d-%d; there may be more, which were not counted because the file is so large. To go on, read with offset %d.",
			p.offset, p.last, p.last+1)
	}
}

// join lists a few numbers in words.
func join(numbers []int) string {
	const most = 20
	var b strings.Builder
	for i, n := range numbers[:min(len(numbers), most)] {
		switch {
		case i == 0:
		case i == len(numbers)-1:
			b.WriteString(" and ")
		default:
			b.WriteString(", ")
		}
		b.WriteString(strconv.Itoa(n))
	}
	if more := len(numbers) - most; more > 0 {
		fmt.Fprintf(&b, " and %d more", more)
	}
	return b.String()
}
