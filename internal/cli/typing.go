package cli

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"
)

// burst is how close lines follow each other when they are pasted. Nobody
// presses Enter twice within it.
const burst = 30 * time.Millisecond

// ttyLine is the longest line that a Linux terminal hands over in its line mode,
// without the line end; what is more is lost.
const ttyLine = 4095

// The marks that terminals put around a paste where they are asked to.
const (
	pasteBegin = "\x1b[200~"
	pasteEnd   = "\x1b[201~"
)

// typing makes prompts of typed lines. A line is a prompt; a paste of several is
// one prompt, however many line ends it has (B107):
//
//   - Between the marks of a bracketed paste, everything belongs together, and
//     the Enter after it sends it. Line mode does not ask for the marks: it
//     switches on nothing that would have to be switched off again.
//   - Without marks, lines that come in one burst are taken for a paste. They
//     are held until one more Enter, because the last of them may not have had
//     its line end yet.
type typing struct {
	raw  <-chan string // lines without their ends; closed at the end of input
	out  chan string   // closed at the end of input
	drop chan struct{}
	gone chan struct{} // closed when nobody listens to drop any more
	note func(string)  // tells the user what has become of the lines
}

// newTyping reads lines until the end of input. Its goroutines live as long as
// the reader lets them.
func newTyping(r io.Reader, note func(string)) *typing {
	raw := make(chan string)
	go func() {
		defer close(raw)
		in := bufio.NewReader(r)
		for {
			line, err := in.ReadString('\n')
			if line != "" {
				raw <- strings.TrimRight(line, "\r\n")
			}
			if err != nil {
				return
			}
		}
	}()
	t := &typing{raw: raw, out: make(chan string), drop: make(chan struct{}), gone: make(chan struct{}), note: note}
	go t.run()
	return t
}

// discard throws away what was typed and not handed over yet.
func (t *typing) discard() {
	select {
	case t.drop <- struct{}{}:
	case <-t.gone:
	}
}

func (t *typing) run() {
	defer close(t.out)
	defer close(t.gone)
	var held, group []string
	for {
		var quiet <-chan time.Time
		if len(group) > 0 && !inPaste(group) {
			quiet = time.After(burst)
		}
		select {
		case line, ok := <-t.raw:
			if !ok {
				t.send(append(held, group...))
				return
			}
			group = append(group, line)
		case <-t.drop:
			held, group = nil, nil
		case <-quiet:
			held = append(held, group...)
			if len(group) == 1 || marked(group) {
				t.send(held)
				held = nil
			} else {
				t.note(fmt.Sprintf("%d lines pasted; Enter sends them, ctrl-C drops them", len(held)))
			}
			group = nil
		}
	}
}

// send hands over lines as one prompt, unless the terminal has cut one.
func (t *typing) send(lines []string) {
	if len(lines) == 0 {
		return
	}
	for _, l := range lines {
		if len(l) == ttyLine {
			t.note(fmt.Sprintf("a line was cut by the terminal at %d bytes, so nothing was sent; put long text into a file, or pipe it into daruma -p", ttyLine))
			return
		}
	}
	select {
	case t.out <- clean(strings.Join(lines, "\n")):
	case <-t.drop:
	}
}

// inPaste reports whether a bracketed paste has begun and not ended.
func inPaste(lines []string) bool {
	s := strings.Join(lines, "\n")
	return strings.LastIndex(s, pasteBegin) > strings.LastIndex(s, pasteEnd)
}

func marked(lines []string) bool {
	return strings.Contains(strings.Join(lines, "\n"), pasteEnd)
}

// clean is typed text without the keys that are no text, such as arrows.
func clean(s string) string {
	s = regexp.MustCompile(`\x1b(\[[0-?]*[ -/]*[@-~]|O[A-Z])`).ReplaceAllString(s, "")
	s = strings.Map(func(r rune) rune {
		if r < 0x20 && r != '\n' && r != '\t' || r == 0x7f {
			return -1
		}
		return r
	}, s)
	return strings.TrimSpace(strings.ToValidUTF8(s, "\uFFFD"))
}
