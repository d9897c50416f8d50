package shell

import (
	"regexp"
	"strings"
	"sync"

	"github.com/daruma-dev/daruma/internal/visible"
)

// drawing matches what programs print to draw on a terminal (ECMA-48): colours
// and movements of the cursor, the choice of a character set, links.
var drawing = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("\x1b" + `\[[0-?]*[ -/]*[@-~]` + "|\x1b" + `[()][0-9A-Z]` + "|\x1b[=>78M]|\x1b" + `\]8;[^\x1b\x07]*(\x07|` + "\x1b" + `\\)`)
})

// readable is output as the model and people can take it. What only draws is
// left out; of a line that was written over by carriage returns, as progress
// bars do, the last state stays; any other control character becomes a visible
// sign, and what is not UTF-8 becomes U+FFFD.
func readable(b []byte) string {
	s := string(b)
	if strings.IndexByte(s, '\x1b') >= 0 {
		s = drawing().ReplaceAllString(s, "")
	}
	if strings.IndexByte(s, '\b') >= 0 {
		s = rubOut(s)
	}
	if strings.IndexByte(s, '\r') >= 0 {
		lines := strings.Split(s, "\n")
		for i, line := range lines {
			line = strings.TrimRight(line, "\r")
			lines[i] = line[strings.LastIndexByte(line, '\r')+1:]
		}
		s = strings.Join(lines, "\n")
	}
	return visible.Text(s)
}

// rubOut applies backspaces, with which manual pages print bold letters and
// spinners turn.
func rubOut(s string) string {
	var out []rune
	for _, r := range s {
		switch {
		case r != '\b':
			out = append(out, r)
		case len(out) > 0 && out[len(out)-1] != '\n':
			out = out[:len(out)-1]
		}
	}
	return string(out)
}
