package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"github.com/daruma-dev/daruma"
	"github.com/daruma-dev/daruma/loop"
)

// twice is how close two ctrl-C must be to quit.
const twice = 2 * time.Second

// conversation is line mode. The terminal stays in its own line mode all the
// time, so there is nothing to restore, however the program ends (B105, B106).
//
// One goroutine, that of run, owns what is typed: it is a prompt, an addition
// to the run under way, or the answer to a question.
type conversation struct {
	agent     *daruma.Agent
	screen    *screen
	typed     *typing
	signals   <-chan os.Signal
	continued <-chan os.Signal // the program goes on after ctrl-Z; nil where there is no such thing

	questions chan asked
	stopped   time.Time // when the user last pressed ctrl-C
	ended     bool      // nothing more will be typed
}

// asked is a question and where its answer goes.
type asked struct {
	loop.Question
	answer chan loop.Answer // holds one
}

// quit ends a conversation with an exit code.
type quit struct{ code int }

func (q quit) Error() string { return fmt.Sprintf("cli: quit with %d", q.code) }

// converse talks with the user until one of them has enough.
func (p *program) converse(ctx context.Context, args []string) (err error) {
	if !isTerminal(p.in) || !isTerminal(p.stdout) {
		return usage("use -p to run without one", "a conversation needs a terminal, and stdin or stdout is none")
	}
	src, err := sourceOf(args)
	if err == nil && len(args) > 0 && src.stdin {
		err = usage("leave the - out, or add -p", "- reads a piped prompt, which needs -p")
	}
	if err != nil {
		return err
	}
	signals, stop := listen()
	defer stop()
	continued, stopContinued := continues()
	defer stopContinued()
	c := &conversation{
		screen:  &screen{out: p.out, plain: plain(os.Getenv)},
		signals: signals, continued: continued, questions: make(chan asked),
	}
	if c.agent, err = p.agent(c.ask); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.agent.Close()) }()
	c.typed = newTyping(p.in, func(text string) { c.screen.line("(" + text + ")") })
	var q quit
	if errors.As(c.run(ctx, src.text), &q) {
		p.code = q.code
	}
	return nil
}

// run is the conversation: a prompt, its run, the next prompt. It always ends
// with a quit.
func (c *conversation) run(ctx context.Context, prompt string) error {
	c.greet()
	for {
		if prompt == "" && !c.agent.Pending() {
			var err error
			if prompt, err = c.next(); err != nil {
				return err
			}
		}
		if err := c.turn(ctx, prompt); err != nil {
			return err
		}
		prompt = ""
	}
}

func (c *conversation) greet() {
	line := fmt.Sprintf("daruma · %s · %s · /help", c.agent.Model(), c.agent.Dir())
	if n := len(c.agent.State().Messages); n > 0 {
		line += fmt.Sprintf(" · going on after %d messages", n)
	}
	c.screen.line(shown(line))
}

// next waits for a prompt.
func (c *conversation) next() (string, error) {
	if c.ended {
		return "", quit{exitOK}
	}
	c.screen.prompt("\n")
	for {
		select {
		case text, ok := <-c.typed.out:
			switch {
			case !ok:
				c.screen.text("\n")
				return "", quit{exitOK}
			case text == "":
			default:
				isCommand, err := c.command(text)
				if err != nil || !isCommand {
					return text, err
				}
			}
			c.screen.prompt("")
		case <-c.continued:
			c.screen.prompt("")
		case s := <-c.signals:
			c.typed.discard()
			if err := c.interrupted(s); err != nil {
				return "", err
			}
			c.screen.text("\n")
			c.screen.line("(ctrl-C again, or ctrl-D, quits)")
			c.screen.prompt("")
		}
	}
}

// interrupted is a quit when the signal is one to quit by.
func (c *conversation) interrupted(s os.Signal) error {
	cause := asError(s)
	again := time.Since(c.stopped) < twice
	c.stopped = time.Now()
	if cause.Signal != syscall.SIGINT || again {
		return quit{cause.code()}
	}
	return nil
}

// turn runs one prompt. Its error is a quit.
func (c *conversation) turn(ctx context.Context, prompt string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- c.follow(ctx, prompt) }()
	t := talk{conversation: c, cancel: cancel}
	for {
		select {
		case err := <-done:
			if err != nil {
				tell(writer(c.screen.text), err)
			}
			return t.leave
		case q := <-c.questions:
			t.put(q)
		case text, ok := <-t.lines():
			t.hear(text, ok)
		case <-c.continued:
			t.again()
		case s := <-c.signals:
			t.interrupt(s)
		}
	}
}

// follow shows a run to its end.
func (c *conversation) follow(ctx context.Context, prompt string) error {
	for e, err := range c.agent.Run(ctx, prompt) {
		if err != nil {
			return err
		}
		c.screen.event(e)
	}
	return nil
}
