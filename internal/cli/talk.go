package cli

import (
	"context"
	"os"
	"syscall"

	"github.com/daruma-dev/daruma/loop"
)

// talk is what goes on beside one run: the user types, is asked, interrupts.
type talk struct {
	*conversation
	cancel context.CancelFunc

	open  *asked // the question that waits for its answer
	stops int    // how often the user wanted the run to end
	leave error  // a quit, once the run has ended
}

// lines is what is typed; nil at the end of input.
func (t *talk) lines() <-chan string {
	if t.ended {
		return nil
	}
	return t.typed.out
}

// hear takes in what the user typed.
func (t *talk) hear(text string, ok bool) {
	t.screen.entered()
	switch {
	case !ok:
		t.ended = true
		if t.open != nil {
			t.reply(loop.Answer{CallID: t.open.Call.ID, Reason: "the user has left"})
		}
	case t.open != nil:
		t.answer(text)
	case text == "":
	default:
		isCommand, err := t.command(text)
		switch {
		case err != nil:
			t.leave = err
			t.cancel()
		case !isCommand:
			t.agent.Send(text)
			t.screen.line("(the model gets that with its next turn)")
		}
	}
}

// put asks the user, unless the mode that was granted meanwhile allows the call.
// A rule that was granted says less: the hint of a chain of commands names what
// would allow its first part, not all of it.
func (t *talk) put(q asked) {
	t.open = &q
	if g := grantOf(q.Verdict.Hint); g.mode != "" && g.mode == t.agent.Mode() {
		t.reply(loop.Answer{CallID: q.Call.ID, Allow: true})
		return
	}
	if t.ended {
		t.reply(loop.Answer{CallID: q.Call.ID, Reason: "the user has left"})
		return
	}
	t.screen.prompt(questionText(q.Question))
}

// again asks the open question once more: the shell has written over it.
func (t *talk) again() {
	if t.open != nil {
		t.screen.prompt(questionText(t.open.Question))
	}
}

// answer is the user's word on the open question.
func (t *talk) answer(words string) {
	a, always, ok := replyTo(t.open.Question, words)
	if !ok {
		t.screen.prompt("y or n? ")
		return
	}
	if always {
		t.grant(grantOf(t.open.Verdict.Hint))
	}
	t.reply(a)
}

// grant allows for the rest of the session what was asked about.
func (t *talk) grant(g grant) {
	var err error
	if g.rule != "" {
		err = t.agent.Allow(g.rule)
	} else {
		err = t.agent.SetMode(g.mode)
	}
	if err != nil {
		tell(writer(t.screen.text), err)
	}
}

func (t *talk) reply(a loop.Answer) {
	t.open.answer <- a
	t.open = nil
}

// interrupt ends the run; a second time, or by a signal that is no ctrl-C, the
// program with it.
func (t *talk) interrupt(s os.Signal) {
	cause := asError(s)
	quits := t.interrupted(s)
	if t.stops > 0 && cause.Signal != syscall.SIGHUP {
		t.screen.text("\n")
		os.Exit(cause.code()) // at once: the run may hang
	}
	t.stops++
	if quits != nil {
		t.leave = quits
	}
	t.open = nil // the run does not wait for it any more
	t.typed.discard()
	t.screen.text("\n")
	t.cancel()
}

// ask puts calls before the user, one after the other. It is called by the run.
func (c *conversation) ask(ctx context.Context, qs []loop.Question) ([]loop.Answer, error) {
	var as []loop.Answer
	for _, q := range qs {
		a := asked{Question: q, answer: make(chan loop.Answer, 1)}
		select {
		case c.questions <- a:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		select {
		case answer := <-a.answer:
			as = append(as, answer)
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	return as, nil
}
