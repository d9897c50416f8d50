package file

import (
	"fmt"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/daruma-dev/daruma/internal/visible"
)

const (
	// diffContext is how many unchanged lines stand around a change.
	diffContext = 3
	// maxDiff is how many bytes of a diff are kept. People read no more, and
	// it goes into the journal.
	maxDiff = 100_000
)

// diff is what changed in a text, for people.
type diff struct {
	text           string // unified diff; empty when no line changed
	added, removed int    // lines
}

// compare makes the diff of two texts of the file of that name. Line ends count
// as equal, and control characters are shown as signs.
func compare(name string, created bool, old, now string) diff {
	old, now = presentable(old), presentable(now)
	name = visible.Line(name)
	from := "a/" + name
	if created {
		from = "/dev/null"
	}
	skipped, old, now := trim(old, now)
	u, err := udiff.ToUnifiedDiff(from, "b/"+name, old, udiff.Lines(old, now), diffContext)
	if err != nil {
		panic(fmt.Sprintf("file: the edits of a diff contradict each other: %v", err)) // they come from the same package
	}
	var d diff
	for _, h := range u.Hunks {
		h.FromLine += skipped
		h.ToLine += skipped
		for _, l := range h.Lines {
			switch l.Kind {
			case udiff.Insert:
				d.added++
			case udiff.Delete:
				d.removed++
			case udiff.Equal:
			default:
				panic(fmt.Sprintf("file: unknown kind %v of line in a diff", l.Kind))
			}
		}
	}
	d.text = capped(u.String())
	return d
}

func presentable(s string) string {
	return visible.Text(strings.ReplaceAll(s, "\r\n", "\n"))
}

// trim leaves out the lines that two texts have in common at their start and
// end, but for the context of a diff, and counts those at the start. It keeps
// the comparison of a large file with a small change fast.
func trim(a, b string) (skipped int, x, y string) {
	same := 0
	for same < min(len(a), len(b)) && a[same] == b[same] {
		same++
	}
	start := strings.LastIndexByte(a[:same], '\n') + 1
	for range diffContext {
		if start > 0 {
			start = strings.LastIndexByte(a[:start-1], '\n') + 1
		}
	}
	skipped = strings.Count(a[:start], "\n")
	a, b = a[start:], b[start:]

	same = 0
	for same < min(len(a), len(b)) && a[len(a)-1-same] == b[len(b)-1-same] {
		same++
	}
	// Keep the line where the sameness starts, and the context after it.
	tail := a[len(a)-same:]
	end := 0
	for range diffContext + 1 {
		if i := strings.IndexByte(tail[end:], '\n'); i >= 0 {
			end += i + 1
		} else {
			end = len(tail)
		}
	}
	cut := len(tail) - end
	return skipped, a[:len(a)-cut], b[:len(b)-cut]
}

// capped is a diff cut at a line end when it is too long.
func capped(s string) string {
	if len(s) <= maxDiff {
		return s
	}
	end := strings.LastIndexByte(s[:maxDiff], '\n') + 1
	if end == 0 {
		end = maxDiff
	}
	return s[:end] + fmt.Sprintf("[the diff goes on for %d lines]\n", strings.Count(s[end:], "\n"))
}
