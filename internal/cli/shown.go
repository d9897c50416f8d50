package cli

import (
	"strings"

	"github.com/daruma-dev/daruma/internal/visible"
)

// shown is text from elsewhere as it may be put on a terminal. The line ends of
// other systems are line ends.
func shown(s string) string { return visible.Text(strings.ReplaceAll(s, "\r\n", "\n")) }

// brief is text from elsewhere on one line of at most so many characters.
func brief(s string, most int) string {
	s = visible.Line(strings.Join(strings.Fields(s), " "))
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}
