package looptest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/daruma-dev/daruma/loop"
	"github.com/daruma-dev/daruma/loop/prepare"
	"github.com/daruma-dev/daruma/loop/recovery"
	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/model"
	"github.com/daruma-dev/daruma/model/modeltest"
	"github.com/daruma-dev/daruma/tool"
)

// errCrash is how a dying process looks to the code that still runs: nothing
// can be recorded any more.
var errCrash = errors.New("the process died")

// play is a script being played.
type play struct {
	world   world
	client  *modeltest.Client
	machine *loop.Machine

	mu      sync.Mutex
	trace   strings.Builder
	entries []loop.Entry
	ran     map[string]int // unsafe calls, by id
	inbox   []*message.Message
	hooks   int
	ids     int
	run     *runSpec
	cancel  context.CancelFunc
	crashed bool

	finishes int
	problems []string
}

func newPlay(s script) (*play, error) {
	replies, err := modeltest.Parse(s.model)
	if err != nil {
		return nil, err
	}
	p := &play{world: s.world, client: &modeltest.Client{Script: replies}, ran: map[string]int{}}
	p.machine, err = p.world.machine()
	return p, err
}

// machine is the machine that the world's settings describe.
func (w world) machine() (*loop.Machine, error) {
	num := func(key string) int64 { n, _ := strconv.ParseInt(w.set[key], 10, 64); return n }
	m := &loop.Machine{
		Model: "test/m1", Stages: prepare.Default(nil), Layers: recovery.Default(w.fallbacks()...),
		Limits: loop.Limits{
			MaxTurns: int(num("max_turns")), TokenBudget: num("token_budget"),
			Objections: int(num("objections")), MaxOutput: num("max_output"),
		},
		Info: func(name string) model.Info {
			provider, id := model.Split(name)
			return model.Info{Provider: provider, ID: id, Window: num("window"), MaxOutput: 64000}
		},
	}
	if name := w.set["model"]; name != "" {
		m.Model = name
	}
	for _, t := range w.tools {
		m.Tools = append(m.Tools, model.Tool{Name: t.name, Description: "a tool", Schema: json.RawMessage(`{"type":"object"}`)})
	}
	return m, nil
}

func (w world) fallbacks() []string {
	if w.set["fallback"] == "" {
		return nil
	}
	return strings.Split(w.set["fallback"], ",")
}

// all plays every run of the script, one after another on the same session.
func (p *play) all(ctx context.Context) loop.State {
	var s loop.State
	for i := range p.world.runs {
		s = p.one(ctx, s, &p.world.runs[i])
		p.check(s)
	}
	return s
}

// one plays a run. After a crash the state is what the journal holds.
func (p *play) one(ctx context.Context, s loop.State, spec *runSpec) loop.State {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	p.mu.Lock()
	p.run, p.cancel, p.finishes = spec, cancel, 0
	p.mu.Unlock()
	d := p.driver()
	if p.crashed || spec.resumes {
		s = p.resume(spec.resumes)
	}
	if spec.interrupt > 0 {
		defer time.AfterFunc(spec.interrupt, cancel).Stop()
	}
	if spec.prompt != "" {
		p.inbox = append(p.inbox, message.NewUser(p.newID(), spec.prompt))
	}
	s, _, err := loop.Run(ctx, d, s, p.event)
	switch {
	case errors.Is(err, errCrash):
		p.print("  crash\n")
	case err != nil:
		p.problem("Run: %v", err)
	case p.finishes != 1:
		p.problem("a run ended with %d Finish events", p.finishes)
	}
	return s
}

// resume is a new process: the journal is folded, and what was open is closed.
func (p *play) resume(goOn bool) loop.State {
	p.crashed = false
	s := p.machine.Fold(loop.State{}, p.entries...)
	r := loop.Resumed{Continue: goOn}
	next := p.machine.Apply(s, r)
	if err := p.record(context.Background(), loop.NewEntry(s, next, r)); err != nil {
		p.problem("resume: %v", err)
	}
	return next
}

// check compares the live state with the fold of the journal.
func (p *play) check(s loop.State) {
	if p.crashed {
		return
	}
	if diff := loop.Diff(p.machine.Fold(loop.State{}, p.entries...), s); diff != "" {
		p.problem("the fold of the journal is not the live state: %s", diff)
	}
	for id, n := range p.ran {
		if n > 1 {
			p.problem("the unsafe call %s ran %d times", id, n)
		}
	}
	for _, text := range p.client.Problems() {
		p.problem("the model refused a request: %s", text)
	}
}

func (p *play) problem(format string, args ...any) {
	p.problems = append(p.problems, fmt.Sprintf(format, args...))
}

func (p *play) print(line string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.trace.WriteString(line)
}

func (p *play) event(e loop.Event) {
	if _, ok := e.(loop.Finish); ok {
		p.finishes++
	} else if p.finishes > 0 {
		p.problem("%T came after Finish", e)
	}
	p.print(eventLine(e))
}

func (p *play) newID() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ids++
	return "id-" + strconv.Itoa(p.ids)
}

// record keeps an entry, unless the process is dead. An entry makes a round
// trip through its stored form, so that what is folded is what a journal holds.
func (p *play) record(_ context.Context, e loop.Entry) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.run != nil && p.run.crashAt == len(p.entries)+1 {
		p.run.crashAt, p.crashed = 0, true
	}
	if p.crashed {
		return errCrash
	}
	e.Seq = int64(len(p.entries) + 1)
	b, err := message.Marshal(e)
	if err != nil {
		return err
	}
	var stored loop.Entry
	if err := json.Unmarshal(b, &stored); err != nil {
		return err
	}
	p.entries = append(p.entries, stored)
	p.trace.WriteString(entryLine(e))
	return nil
}

// driver wires the scripted world.
func (p *play) driver() *loop.Driver {
	d := &loop.Driver{
		Machine: p.machine, Early: loop.Early(p.world.set["early"]),
		Deps: loop.Deps{
			Client: func(string) (model.Client, error) { return p.client, nil },
			Tools:  p.tools(), Vet: p.vet, Consult: p.consult, Record: p.record, Inbox: p.typed,
			NewID: p.newID, Rand: func() float64 { return 0.5 },
		},
	}
	if len(p.world.answers) > 0 {
		d.Deps.Ask = p.ask
	}
	if p.world.set["executor"] == "batch" {
		d.Executor = tool.Batch
	}
	return d
}
