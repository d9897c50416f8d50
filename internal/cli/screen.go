package cli

import (
	"fmt"
	"strings"
	"sync"

	"github.com/daruma-dev/daruma/loop"
	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/model"
)

// screen shows a conversation, line by line: nothing that stands is ever
// changed, so any terminal will do. It may be used by many goroutines.
type screen struct {
	out   *output
	plain bool // no escape codes

	mu     sync.Mutex
	inLine bool   // the cursor is behind something
	reply  string // id of the reply that is being shown
	texts  int    // characters shown of it
}

const (
	promptSign = "› "
	dim        = "\x1b[2m"
	reset      = "\x1b[0m"
)

// event shows what there is to see of an event of the run.
func (s *screen) event(e loop.Event) {
	switch e := e.(type) {
	case loop.Streamed:
		s.streamed(e)
	case loop.Added:
		s.added(e.Message)
	case loop.Finish:
		s.finished(e.Terminal)
	case loop.Moved:
		if e.Transition.Reason != loop.NextTurn { // that is seen anyhow
			s.line(transitionLine(e.Transition))
		}
	case loop.ToolChanged, loop.Waiting, loop.Withdrawn:
		s.line(progressLine(e))
	case loop.Requested, loop.Summarised, loop.Faulted:
	default:
		panic(fmt.Sprintf("cli: unhandled event %T", e))
	}
}

// streamed shows text as it arrives.
func (s *screen) streamed(e loop.Streamed) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e.MessageID != s.reply {
		s.reply, s.texts = e.MessageID, 0
	}
	switch ev := e.Event.(type) {
	case model.PartStarted:
		s.endLine()
	case model.Delta:
		if ev.Kind == model.DeltaText {
			s.texts += len(ev.Text)
			s.write(shown(ev.Text))
		}
	case model.Started, model.PartDone, model.Done, model.Alive: // the loop streams the other two alone
	default:
		panic(fmt.Sprintf("cli: unhandled model event %T", ev))
	}
}

// added shows a reply of which nothing was streamed.
func (s *screen) added(m *message.Message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if m.Role == message.Assistant && (m.ID != s.reply || s.texts == 0) {
		s.endLine()
		s.write(shown(m.Text()))
	}
}

// finished says why a run has ended, unless it has reached its goal.
func (s *screen) finished(t loop.Terminal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.endLine()
	switch {
	case t.OK():
	case aborted(t.Reason): // by the user, who can just go on
		s.write(s.dimmed("(interrupted)"))
	default:
		o := outcome{terminal: t}
		text, hint := o.words()
		tellText(writer(s.write), text, hint)
	}
}

// line shows one line of ours. The empty one is none.
func (s *screen) line(text string) {
	if text == "" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.endLine()
	s.write(s.dimmed(text))
}

// dimmed is a line that is less important than what the model says.
func (s *screen) dimmed(text string) string {
	if s.plain {
		return text + "\n"
	}
	return dim + text + reset + "\n"
}

// text shows text of ours as it stands.
func (s *screen) text(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.endLine()
	s.write(text)
}

// prompt asks for the next prompt, or for an answer.
func (s *screen) prompt(words string) {
	s.text(words + promptSign)
	s.entered()
}

// entered says that the user has pressed Enter, so that the cursor stands at
// the beginning of a line.
func (s *screen) entered() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inLine = false
}

// endLine goes to the beginning of a line. It needs the lock, like write.
func (s *screen) endLine() {
	if s.inLine {
		s.write("\n")
	}
}

func (s *screen) write(text string) {
	if text == "" {
		return
	}
	s.out.text(text)
	s.inLine = !strings.HasSuffix(text, "\n")
}

// writer is a function that shows text as an io.Writer.
type writer func(string)

func (w writer) Write(b []byte) (int, error) {
	w(string(b))
	return len(b), nil
}
