package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/daruma-dev/daruma/loop"
	"github.com/daruma-dev/daruma/loop/prepare"
	"github.com/daruma-dev/daruma/loop/recovery"
	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/model"
	"github.com/daruma-dev/daruma/model/modeltest"
	"github.com/daruma-dev/daruma/tool"
)

// plan is a session to play: the runs, what the model answers, and when the
// process dies.
type plan struct {
	runs    []planned
	replies []int
}

type planned struct {
	room      int           // bytes that can be written before the process dies; negative: it lives
	interrupt time.Duration // 0: never
	typed     bool          // the user types meanwhile
	goOn      bool          // after a death the run goes on, and no prompt is given
}

func anyPlan(t *rapid.T) plan {
	run := rapid.Custom(func(t *rapid.T) planned {
		p := planned{room: -1, typed: rapid.Bool().Draw(t, "typed"), goOn: rapid.Bool().Draw(t, "go on")}
		if rapid.Bool().Draw(t, "dies") {
			p.room = rapid.IntRange(0, 6000).Draw(t, "room")
		}
		if rapid.IntRange(0, 3).Draw(t, "interrupted") == 0 {
			p.interrupt = time.Duration(rapid.IntRange(1, 4000).Draw(t, "after")) * time.Millisecond
		}
		return p
	})
	return plan{
		runs:    rapid.SliceOfN(run, 1, 5).Draw(t, "runs"),
		replies: rapid.SliceOfN(rapid.IntRange(0, 14), 1, 30).Draw(t, "replies"),
	}
}

// reply is the n-th reply; kind chooses among what models send.
func reply(n, kind int) modeltest.Reply {
	id := func(k int) string { return fmt.Sprintf("t%d-%d", n, k) }
	odd := "{ \"b\" : 1.0e5,\n\t\"a\":\"<&>\\u00e9\u2028\" }"
	switch kind {
	case 0:
		return modeltest.Say("text <b>&</b> \u2028 é")
	case 1:
		return modeltest.Call(id(1), "read", odd)
	case 2:
		return modeltest.Call(id(1), "write", `{}`)
	case 3:
		return modeltest.Say("now").Call(id(1), "write", odd).Call(id(2), "read", `{}`).Call(id(3), "write", `{}`)
	case 4:
		return modeltest.Call(id(1), "write", `{"a": oops`)
	case 5:
		return modeltest.HTTP(529)
	case 6:
		return modeltest.Say("half a sen").Cut()
	case 7:
		return modeltest.Call(id(1), "write", `{}`).Text("and then").Cut()
	case 8:
		return modeltest.Reply{}.CutText("half of it")
	case 9:
		return modeltest.Say("so").CutCall(id(1), "write", `{"path":"a`)
	case 10:
		return modeltest.Reply{}
	case 11:
		return modeltest.Say("").Call(id(1), "read", `{}`).Text("")
	case 12:
		return modeltest.Say("no").Refuse("I will not.")
	case 13:
		return modeltest.Call(id(1), "nothing", `{}`).Wait(time.Second).Call(id(2), "write", `{}`)
	default:
		return modeltest.Think("let me see", "").Call(id(1), "read", `{}`).NoUsage()
	}
}

// tools are one that changes something and one that does not.
func tools() tool.Set {
	slow := func(ctx context.Context) (tool.Result, error) {
		select {
		case <-ctx.Done():
			return tool.Result{}, ctx.Err()
		case <-time.After(time.Second):
			return tool.Result{Text: "did it", Title: "title", Diff: "-a\n+b\n"}, nil
		}
	}
	set, err := tool.NewSet(scripted{"read", slow}, scripted{"write", slow})
	if err != nil {
		panic(err)
	}
	return set
}

type scripted struct {
	name string
	run  func(context.Context) (tool.Result, error)
}

func (s scripted) Spec() tool.Spec {
	return tool.Spec{Name: s.name, Description: "a tool", Schema: json.RawMessage(`{"type":"object"}`)}
}
func (s scripted) ReadOnly(json.RawMessage) bool { return s.name == "read" }

func (s scripted) Run(ctx context.Context, _ tool.Call) (tool.Result, error) { return s.run(ctx) }

var errDeath = errors.New("the process died")

// player plays a plan against a journal and checks, at every end of a run and of
// a process, that what is on the disk is what was going on.
type player struct {
	plan
	client *modeltest.Client
	m      *loop.Machine
	j      *Journal
	disk   file // the journal's, when the process lives
	s      loop.State

	mu    sync.Mutex
	inbox []*message.Message

	// Of the run under way:
	recorded []loop.Entry
	failed   *loop.Entry // the first that could not be recorded
}

func newPlayer(state string, p plan) (*player, error) {
	j, err := Create(Options{StateDir: state, Dir: "/x"})
	if err == nil {
		err = j.create()
	}
	if err != nil {
		return nil, err
	}
	schema := json.RawMessage(`{"type":"object"}`)
	return &player{
		plan: p, j: j, disk: j.f,
		client: &modeltest.Client{Script: modeltest.Func(func(n int, _ modeltest.Request) modeltest.Reply {
			return reply(n, p.replies[(n-1)%len(p.replies)])
		})},
		m: &loop.Machine{
			Model: "test/m", Stages: prepare.Default(nil), Layers: recovery.Default("test/other"), Limits: loop.Limits{MaxTurns: 6},
			Tools: []model.Tool{{Name: "read", Description: "a tool", Schema: schema}, {Name: "write", Description: "a tool", Schema: schema}},
		},
	}, nil
}

// all plays every run and returns the first thing that is wrong.
func (p *player) all(ctx context.Context) error {
	for i, r := range p.runs {
		if err := p.run(ctx, r, fmt.Sprint(i)); err != nil {
			return fmt.Errorf("run %d: %w", i, err)
		}
		if err := p.restart(); err != nil {
			return fmt.Errorf("after run %d: %w", i, err)
		}
	}
	if problems := p.client.Problems(); len(problems) > 0 {
		return fmt.Errorf("the model was sent what it must refuse: %s", strings.Join(problems, "; "))
	}
	return nil
}

// run plays one run. The process dies when it has written what there is room
// for.
func (p *player) run(ctx context.Context, r planned, name string) error {
	f := &faulty{file: p.disk, left: r.room, write: errDeath}
	if r.room >= 0 {
		f.truncation = errDeath
	}
	p.j.f, p.inbox, p.recorded, p.failed = f, nil, nil, nil // nothing else runs now
	before := p.s
	p.resume(ctx, r.goOn)
	if !r.goOn || p.s.Phase != loop.PhaseSample {
		p.typed(message.NewUser("u"+name, "prompt"))
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if r.interrupt > 0 {
		defer time.AfterFunc(r.interrupt, cancel).Stop()
	}
	if r.typed {
		defer time.AfterFunc(1500*time.Millisecond, func() { p.typed(message.NewUser("typed"+name, "and this")) }).Stop()
	}
	if p.failed == nil {
		var err error
		if p.s, _, err = loop.Run(ctx, p.driver(), p.s, nil); err != nil && !errors.Is(err, errDeath) {
			return err
		}
	}
	if diff := loop.Diff(p.m.Fold(before, p.recorded...), p.s); diff != "" {
		return fmt.Errorf("the live state is not the fold of what was recorded: %s", diff)
	}
	return nil
}

func (p *player) typed(m *message.Message) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.inbox = append(p.inbox, m)
}

// resume closes what a dead process left open.
func (p *player) resume(ctx context.Context, goOn bool) {
	if p.s.Phase == loop.PhaseIdle || p.s.Phase == "" {
		return
	}
	r := loop.Resumed{Continue: goOn}
	next := p.m.Apply(p.s, r)
	if p.record(ctx, loop.NewEntry(p.s, next, r)) == nil {
		p.s = next
	}
}

func (p *player) record(ctx context.Context, e loop.Entry) error {
	err := p.j.Record(ctx, e)
	switch {
	case err == nil:
		p.recorded = append(p.recorded, e)
	case p.failed == nil:
		p.failed = &e
	}
	return err
}

func (p *player) driver() *loop.Driver {
	return &loop.Driver{Machine: p.m, Deps: loop.Deps{
		Client: func(string) (model.Client, error) { return p.client, nil },
		Tools:  tools(), Blob: p.j.Blob, Record: p.record,
		Inbox: func() (*message.Message, bool) {
			p.mu.Lock()
			defer p.mu.Unlock()
			if len(p.inbox) == 0 {
				return nil, false
			}
			m := p.inbox[0]
			p.inbox = p.inbox[1:]
			return m, true
		},
	}}
}

// restart is the next process: it loads what the last one has left.
func (p *player) restart() error {
	_ = p.disk.Close() // as the system does for a dead process
	j, err := Open(p.j.Path())
	if err != nil {
		return err
	}
	loaded, err := j.Load(p.m)
	if err != nil {
		return err
	}
	// An entry of which the line end alone is missing was written, though
	// nobody was told.
	if diff := loop.Diff(loaded, p.s); diff != "" && (p.failed == nil || loop.Diff(loaded, p.m.Fold(p.s, *p.failed)) != "") {
		return fmt.Errorf("what was loaded is not the live state: %s", diff)
	}
	p.j, p.disk, p.s = j, j.f, loaded
	return checkJournal(j.Path(), p.m, loaded)
}

// checkJournal checks what holds for any whole journal.
func checkJournal(path string, m *loop.Machine, s loop.State) error {
	var c Contents
	f := m.Folding(loop.State{})
	n := int64(0)
	for e, err := range Read(path, &c) {
		if err != nil {
			return err
		}
		if n++; e.Seq != n || e.Time.IsZero() {
			return fmt.Errorf("entry %d has the number %d and the time %v", n, e.Seq, e.Time)
		}
		bridge(f, e.Result)
		f.Add(e)
	}
	if diff := loop.Diff(f.State(), s); diff != "" {
		return fmt.Errorf("a bridge was built where there is no gap: %s", diff)
	}
	if c.Damaged > 0 || c.Headless && c.Entries > 0 {
		return fmt.Errorf("damage that nobody did: %+v", c)
	}
	return nil
}

// Whatever the model sends, whenever the user interrupts or types, and at
// whatever byte the process dies: the journal holds the state of the session,
// and the next process goes on with it (B001, B003, B005).
func TestJournalIsTheSession(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := anyPlan(rt)
		play, err := newPlayer(t.TempDir(), p)
		if err != nil {
			rt.Fatal(err)
		}
		synctest.Test(t, func(t *testing.T) { err = play.all(t.Context()) })
		if err != nil {
			rt.Fatalf("%+v: %v", p, err)
		}
		if err := play.j.Close(); err != nil {
			rt.Fatal(err)
		}
	})
}
