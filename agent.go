package daruma

import (
	"context"
	"errors"
	"io"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/daruma-dev/daruma/loop"
	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/permission"
	"github.com/daruma-dev/daruma/session"
	"github.com/daruma-dev/daruma/tool"
)

// Agent is one session. It runs one prompt at a time; Send, Session and the
// other short methods may be called at any time and from any goroutine.
type Agent struct {
	driver  *loop.Driver
	ws      *tool.Workspace
	journal *session.Journal // nil with NoJournal
	notices []string

	mu      sync.Mutex
	state   loop.State
	running bool
	inbox   []*message.Message
	policy  permission.Policy
}

// errBusy is yielded by a Run while another one is under way.
var errBusy = errors.New("daruma: the session is busy with a prompt; use Send to add to it")

// Run works on a prompt until the loop ends, and yields what happens. The last
// event is a loop.Finish; an error ends the sequence early and means that the
// loop could not do its work, for example because the journal cannot be
// written. An empty prompt goes on where the session stopped.
//
// The sequence is single use. Cancelling ctx, or breaking out of the range,
// interrupts the run; the range statement ends only after every tool and
// process of the run has ended.
func (a *Agent) Run(ctx context.Context, prompt string) iter.Seq2[loop.Event, error] {
	return func(yield func(loop.Event, error) bool) {
		s, err := a.start(ctx, prompt)
		if err != nil {
			yield(nil, err)
			return
		}
		for e, err := range loop.Events(ctx, a.driver, s, a.stop) {
			if !yield(e, err) {
				return
			}
		}
	}
}

// start takes the session for a run. A turn that an earlier process left
// unfinished is closed first.
func (a *Agent) start(ctx context.Context, prompt string) (loop.State, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.running {
		return loop.State{}, errBusy
	}
	goOn := prompt == "" && len(a.inbox) == 0
	if goOn && a.state.Phase != loop.PhaseSample && !a.state.Owed() {
		return loop.State{}, &UsageError{Text: "there is nothing to go on with: the session's last run has ended", Hint: "give a prompt"}
	}
	if unfinished(a.state) || goOn && a.state.Phase != loop.PhaseSample {
		if err := a.resume(ctx, goOn); err != nil {
			return loop.State{}, err
		}
	}
	if prompt != "" {
		a.inbox = append(a.inbox, newPrompt(prompt))
	}
	a.running = true
	return a.state, nil
}

// unfinished reports whether a run was under way when its process ended. A
// state that is about to sample its first turn, with nothing open and nothing
// tried, is the start of a run.
func unfinished(s loop.State) bool {
	if s.Phase == loop.PhaseSample {
		return s.Partial != nil || len(s.Calls) > 0 || s.Turn > 1 || s.Fault != ""
	}
	return s.Phase != loop.PhaseIdle && s.Phase != ""
}

// resume closes what is open and records that.
func (a *Agent) resume(ctx context.Context, goOn bool) error {
	r := loop.Resumed{Continue: goOn}
	next := a.driver.Machine.Apply(a.state, r)
	if a.driver.Deps.Record != nil {
		e := loop.NewEntry(a.state, next, r)
		e.Time = time.Now()
		if err := a.driver.Deps.Record(ctx, e); err != nil {
			return err
		}
	}
	a.state = next
	return nil
}

// stop gives the session back after a run.
func (a *Agent) stop(s loop.State) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.state, a.running = s, false
}

// Send adds to the work under way: the text joins the next turn of the run, or
// starts the next run (see [Agent.Pending]).
func (a *Agent) Send(text string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.inbox = append(a.inbox, newPrompt(text))
}

// Pending reports whether something was sent too late for the last run, so that
// a Run with an empty prompt has work to do.
func (a *Agent) Pending() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return !a.running && (len(a.inbox) > 0 || a.state.Phase == loop.PhaseSample)
}

// received hands what was sent to the loop.
func (a *Agent) received() (*message.Message, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.inbox) == 0 {
		return nil, false
	}
	m := a.inbox[0]
	a.inbox = slices.Clone(a.inbox[1:])
	return m, true
}

func newPrompt(text string) *message.Message {
	m := message.NewUser(ulid.Make().String(), text)
	m.Time = time.Now()
	return m
}

// vet judges a call by the rules in force now.
func (a *Agent) vet(c message.Call, access tool.Access) loop.Verdict {
	a.mu.Lock()
	p := a.policy
	a.mu.Unlock()
	return vet(p, a.ws.Dir(), c, access)
}

// hides reports whether the rules in force forbid reading a file.
func (a *Agent) hides(path string) bool {
	a.mu.Lock()
	p := a.policy
	a.mu.Unlock()
	return p.Hides(path)
}

// SetMode changes the permission mode from the next call on.
func (a *Agent) SetMode(mode string) error {
	m, err := permission.ParseMode(mode)
	if err != nil {
		return usage(err)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.policy.Mode = m
	return nil
}

// Allow adds a rule for the rest of the session.
func (a *Agent) Allow(rule string) error {
	r, err := permission.ParseRule(rule)
	if err != nil {
		return usage(err)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.policy.Allow = append(slices.Clip(a.policy.Allow), r)
	return nil
}

// Session is the session's id; it is empty with NoJournal.
func (a *Agent) Session() string {
	if a.journal == nil {
		return ""
	}
	return a.journal.ID()
}

// State is where the session stands between two runs.
func (a *Agent) State() loop.State {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.state
}

// Mode is the permission mode.
func (a *Agent) Mode() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return string(a.policy.Mode)
}

// Model is the session's model, as "provider/model".
func (a *Agent) Model() string { return a.driver.Machine.Model }

// Machine is what the session decides by.
func (a *Agent) Machine() *loop.Machine { return a.driver.Machine }

// Tools names the tools on offer.
func (a *Agent) Tools() []string { return a.driver.Deps.Tools.Names() }

// Dir is the directory the session works in.
func (a *Agent) Dir() string { return a.ws.Root() }

// Notices are things the user should be told once, such as a repaired journal.
func (a *Agent) Notices() []string { return a.notices }

// Close ends what tools have left running, such as commands in the background,
// and releases the session. It must not be called during a run.
func (a *Agent) Close() error {
	var errs []error
	for _, t := range a.driver.Deps.Tools.All() {
		if c, ok := t.(io.Closer); ok {
			errs = append(errs, c.Close())
		}
	}
	if a.journal != nil {
		errs = append(errs, a.journal.Close())
	}
	return errors.Join(errs...)
}
