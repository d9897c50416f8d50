package search

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/daruma-dev/daruma/internal/charset"
)

// A line longer than maxLine bytes is shown in part, around its first match.
const (
	maxLine  = 400
	aroundIt = 120
)

// excerpt is a line as it is shown. Where that is a part only, it says at which
// character of the line the part starts, for read's column. skipped is how many
// characters of the line come before text.
func excerpt(text []byte, match span, skipped int) string {
	text = bytes.TrimSuffix(text, []byte("\r"))
	if len(text) <= maxLine && skipped == 0 {
		return presentable(text)
	}
	start := max(match.start-aroundIt, 0)
	end := min(max(match.end, start)+aroundIt, start+maxLine, len(text))
	for start > 0 && !utf8.RuneStart(text[start]) {
		start--
	}
	for end < len(text) && !utf8.RuneStart(text[end]) {
		end++
	}
	shown := presentable(text[start:end])
	column := skipped + utf8.RuneCount(text[:start]) + 1
	if column > 1 {
		shown = "…" + shown
	}
	if end < len(text) {
		shown += "…"
	}
	return fmt.Sprintf("%s [from character %d]", shown, column)
}

// presentable is text that can be sent to a model.
func presentable(b []byte) string {
	s := strings.ToValidUTF8(string(b), "\uFFFD")
	return strings.ReplaceAll(s, "\x00", string(charset.NUL))
}
