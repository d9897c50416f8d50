package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/daruma-dev/daruma"
	"github.com/daruma-dev/daruma/loop"
)

// print runs one prompt to its end.
func (p *program) print(ctx context.Context, args []string) (err error) {
	src, err := p.printed(args)
	if err != nil {
		return err
	}
	ctx, stop := watchSignals(ctx, os.Exit)
	defer stop()
	a, err := p.agent(p.nobody)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	prompt, err := p.read(ctx, src)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	p.out.gone = func(err error) { cancel(err) }
	o := p.execute(ctx, a, prompt)
	p.finish(ctx, o)
	return nil
}

// execute runs the prompt and tells what happens.
func (p *program) execute(ctx context.Context, a *daruma.Agent, prompt string) *outcome {
	o := &outcome{session: a.Session()}
	tellers := []func(loop.Event){o.note}
	if p.flags.verbose {
		tellers = append(tellers, (&progress{w: p.err}).event)
	} else {
		tellers = append(tellers, p.patience)
	}
	if p.flags.format == formatStream {
		s := newStream(p.out, a, p.flags.partial)
		s.begin()
		tellers = append(tellers, s.event)
	}
	for e, err := range a.Run(ctx, prompt) {
		if err != nil {
			o.err = err
			break
		}
		for _, t := range tellers {
			t(e)
		}
	}
	o.close(a)
	o.took = time.Since(p.start)
	return o
}

// patience tells of a wait that grows long: a run that says nothing for a minute
// looks as if it hung.
func (p *program) patience(e loop.Event) {
	if w, ok := e.(loop.Waiting); ok && w.Attempt >= 2 {
		_, _ = fmt.Fprintln(p.err, waitLine(w))
	}
}

// finish prints the answer and decides on the exit code.
func (p *program) finish(ctx context.Context, o *outcome) {
	p.code = codeOfOutcome(o, context.Cause(ctx))
	if p.flags.format == formatText {
		p.answer(o.text)
	} else {
		p.out.object(o.result())
		p.told = true
	}
	if p.code == exitOK && strings.TrimSpace(o.text) == "" {
		tellText(p.err, "the model gave an empty answer", "ask again, perhaps in other words")
	}
	if p.code != exitOK && p.out.err == nil { // else that is why it ended
		text, hint := o.words()
		tellText(p.err, text, hint)
	}
}

// answer prints the text of a reply: to the byte into a file or pipe, and
// harmless onto a terminal.
func (p *program) answer(text string) {
	text = strings.TrimRight(text, "\r\n")
	if text == "" {
		return
	}
	if isTerminal(p.stdout) {
		text = shown(text)
	}
	p.out.text(text + "\n")
}

func codeOfOutcome(o *outcome, cause error) int {
	if o.err != nil {
		return codeOf(o.err)
	}
	return codeOfEnd(o.terminal.Reason, cause)
}

// nobody answers questions in print mode: no. The user hears of it, for the
// model will only say that it could not do something.
func (p *program) nobody(_ context.Context, qs []loop.Question) ([]loop.Answer, error) {
	as := make([]loop.Answer, len(qs))
	for i, q := range qs {
		reason := q.Verdict.Reason + ", and nobody is there to ask"
		tellText(p.err, fmt.Sprintf("%s was denied: %s", brief(callLine(q.Call), lineWidth), q.Verdict.Reason), q.Verdict.Hint)
		if q.Verdict.Hint != "" {
			reason += "; the user can allow it by running daruma with " + q.Verdict.Hint
		}
		as[i] = loop.Answer{CallID: q.Call.ID, Reason: reason}
	}
	return as, nil
}
