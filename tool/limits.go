package tool

import (
	"crypto/sha256"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/daruma-dev/daruma/message"
)

// The limits on what the results of calls put into the conversation, in
// characters (loop specification, 3.1). What is over them is paged out, like
// virtual memory: not lost, only not at hand.
const (
	// MaxResult is for one result. It is a long source file; what is longer
	// was seldom wanted whole.
	MaxResult = 50_000
	// MaxResults is for the results of one message together, so that ten
	// results that fit by themselves do not fill a small window at once.
	MaxResults = 200_000
	// KeptResult is what stays of a result that is paged out, note and all:
	// enough to see what it is and how it ended.
	KeptResult = 8_000
	// minKept is what stays of it even when a message has so many results
	// that MaxResults cannot be met.
	minKept = 1_000
)

// Keep decides how much of each of one message's results stays in the
// conversation, given and told in characters: all of it, or fewer and the
// result is to be paged out. Results over MaxResult go first, then the biggest
// one at a time, the earlier of two equals, until MaxResults is met.
func Keep(sizes []int) []int {
	kept := slices.Clone(sizes)
	total := 0
	for i, n := range sizes {
		if n > MaxResult {
			kept[i] = KeptResult
		}
		total += kept[i]
	}
	for limit := KeptResult; total > MaxResults && limit >= minKept; limit /= 2 {
		for total > MaxResults {
			biggest := 0
			for i, n := range kept {
				if n > kept[biggest] {
					biggest = i
				}
			}
			if kept[biggest] <= limit {
				break
			}
			total -= kept[biggest] - limit
			kept[biggest] = limit
		}
	}
	return kept
}

// PageOut replaces the text of each result that [Keep] says is too long by its
// head, its tail, its size and the path of a file with the whole text. blob
// opens that file; where it is nil or fails, the text is cut with a note that
// says so. The results given are left as they are; each message's results are
// to be paged out once and recorded so, because text that changes later costs
// the prompt cache.
func PageOut(results []message.ToolResult, blob func(name string) (Blob, error)) []message.ToolResult {
	sizes := make([]int, len(results))
	for i, r := range results {
		sizes[i] = utf8.RuneCountInString(r.Text)
	}
	kept := Keep(sizes)
	if slices.Equal(kept, sizes) {
		return results
	}
	paged := slices.Clone(results)
	for i, r := range results {
		if kept[i] < sizes[i] {
			paged[i] = pageOut(r, sizes[i], kept[i], blob)
		}
	}
	return paged
}

func pageOut(r message.ToolResult, size, keep int, blob func(name string) (Blob, error)) message.ToolResult {
	where := ""
	if r.Blob == nil { // else the tool has kept the whole text itself
		var err error
		if r.Blob, err = store(r, blob); err != nil {
			where = fmt.Sprintf("The rest could not be kept (%v), so ask for less at once.", err)
		}
	}
	if r.Blob != nil {
		where = fmt.Sprintf("The whole text is in %s (%d bytes): `read` that file with an offset, or `grep` it for what you need.",
			r.Blob.Path, r.Blob.Size)
	}
	note := fmt.Sprintf("[Cut here: the result has %d characters in %d lines, too many to show at once. %s]",
		size, lines(r.Text), where)
	r.Text = excerpt(r.Text, keep, note)
	return r
}

// store writes a result's text to a file of its own. The name holds a hash of
// the text, because models use the id of a call again.
func store(r message.ToolResult, open func(name string) (Blob, error)) (*message.Blob, error) {
	if open == nil {
		return nil, fmt.Errorf("the session has no folder")
	}
	name := fmt.Sprintf("result-%s-%.4x.txt", fileName(r.CallID), sha256.Sum256([]byte(r.Text)))
	b, err := open(name)
	if err != nil {
		return nil, err
	}
	_, err = io.WriteString(b, r.Text)
	if closeErr := b.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return nil, err
	}
	return &message.Blob{Path: b.Path(), Size: int64(len(r.Text))}, nil
}

// fileName makes an id fit for a file name: an id is the provider's to choose,
// and "../x" is one.
func fileName(id string) string {
	id = strings.Map(func(c rune) rune {
		switch {
		case '0' <= c && c <= '9', 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', c == '-', c == '_':
			return c
		default:
			return '_'
		}
	}, id)
	return id[:min(len(id), 48)]
}

// excerpt is the head and the tail of a text with a note between them, at most
// n characters together unless the note alone has more.
func excerpt(text string, n int, note string) string {
	n = max(0, n-utf8.RuneCountInString(note)-2) // two line ends
	h, t := head(text, n/2), tail(text, n-n/2)
	if h != "" && !strings.HasSuffix(h, "\n") {
		h += "\n"
	}
	return h + note + "\n" + t
}

// lines counts lines, the last one also where it has no line end.
func lines(text string) int {
	n := strings.Count(text, "\n")
	if !strings.HasSuffix(text, "\n") {
		n++
	}
	return n
}

// head is the first n characters of a text, or fewer that end with a line
// where there is a line end in the second half.
func head(text string, n int) string {
	end := 0
	for ; n > 0 && end < len(text); n-- {
		_, size := utf8.DecodeRuneInString(text[end:])
		end += size
	}
	if nl := strings.LastIndexByte(text[:end], '\n') + 1; nl > end/2 {
		end = nl
	}
	return text[:end]
}

// tail is the last n characters of a text, or fewer that start with a line
// where there is a line start in the first half.
func tail(text string, n int) string {
	start := len(text)
	for ; n > 0 && start > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(text[:start])
		start -= size
	}
	if start == 0 || text[start-1] == '\n' {
		return text[start:]
	}
	if nl := strings.IndexByte(text[start:], '\n') + 1; nl > 0 && nl < (len(text)-start)/2 {
		start += nl
	}
	return text[start:]
}
