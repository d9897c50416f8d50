package loop

import (
	"context"
	"fmt"
	"sync"

	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/tool"
)

// Run drives the machine from s until it stops, and returns the state it ended
// in and why. Whatever happens is told to emit, one event at a time, on
// whichever goroutine it happened; a slow emit slows the loop, and it must not
// call back into the run. Cancelling ctx ends the run with an aborted Terminal;
// the error is for what keeps the loop from doing its work, such as a journal
// that cannot be written. When Run returns, nothing that it started is running.
func Run(ctx context.Context, d *Driver, s State, emit func(Event)) (State, Terminal, error) {
	r := &run{Driver: d, s: s, out: emit}
	defer r.discard()
	for {
		res, typed := d.received() // something the user said meanwhile
		if !typed {
			cmd := d.Machine.Next(r.state())
			if stop, ok := cmd.(Stop); ok {
				return r.end(ctx, stop.Terminal)
			}
			res = r.perform(ctx, cmd) // the only line that touches the world
		}
		if err := r.commit(ctx, res); err != nil {
			return r.state(), Terminal{}, err
		}
	}
}

// run is one Run under way. Its state is written under mu, because a call that
// starts while the model is still streaming records that from its own
// goroutine.
type run struct {
	*Driver

	mu sync.Mutex
	s  State

	outMu sync.Mutex
	out   func(Event)

	reply *reply // being streamed, or streamed last
	exec  *execution
}

// state is where the run stands.
func (r *run) state() State {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.s
}

// end records why the run stops and tells it, as its last event.
func (r *run) end(ctx context.Context, t Terminal) (State, Terminal, error) {
	r.discard()
	if err := r.commit(ctx, Ended{Terminal: t}); err != nil {
		return r.state(), Terminal{}, err
	}
	r.emit(Finish{Terminal: t})
	return r.state(), t, nil
}

// commit folds a result into the state. It is recorded first: what the journal
// does not hold has not happened. A cancelled ctx does not keep it from being
// written.
func (r *run) commit(ctx context.Context, res Result) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.commitLocked(ctx, res)
}

func (r *run) commitLocked(ctx context.Context, res Result) error {
	prev := r.s
	if sam, ok := res.(Sampled); ok {
		res = r.trim(sam)
	}
	next := r.Machine.Apply(prev, res)
	if r.Deps.Record != nil {
		e := NewEntry(prev, next, res)
		e.Time = r.now()
		if err := r.Deps.Record(context.WithoutCancel(ctx), e); err != nil {
			return fmt.Errorf("loop: record %s: %w", Kind(res), err)
		}
	}
	r.s = next
	if _, ok := res.(Sampled); ok {
		r.reply.judge(next)
	}
	r.tell(prev, next, res)
	return nil
}

// trim leaves out the parts of a reply that were recorded while it streamed.
func (r *run) trim(sam Sampled) Sampled {
	p := r.s.Partial
	if p == nil || sam.Reply == nil || sam.Reply.ID != p.ID {
		return sam
	}
	sam.Reply = sam.Reply.With(sam.Reply.Parts[len(p.Parts):])
	return sam
}

// tell emits what changed between two states.
func (r *run) tell(prev, next State, res Result) {
	if sam, ok := res.(Sampled); ok {
		r.tellFault(sam)
	}
	for _, m := range next.Messages[len(prev.Messages):] {
		r.emit(Added{Message: m})
	}
	if ex, ok := res.(Executed); ok {
		r.tellSummary(next, ex)
	}
	if next.Last != prev.Last {
		r.emit(Moved{Transition: next.Last})
	}
}

// tellSummary sums up the calls whose results have just joined the record.
func (r *run) tellSummary(next State, ex Executed) {
	last := next.Messages[len(next.Messages)-1]
	if last.ID != ex.ID {
		return
	}
	var s Summarised
	for i, res := range last.Results() {
		s.CallIDs = append(s.CallIDs, res.CallID)
		if i > 0 {
			s.Text += "; "
		}
		s.Text += summary(res)
	}
	r.emit(s)
}

// tellFault says what was wrong with a reply.
func (r *run) tellFault(sam Sampled) {
	if f := diagnose(sam.Reply, sam); f != nil && f.Kind != EmptyReply {
		r.emit(Faulted{Fault: *f})
	}
}

// holds reports whether one of the last few messages has that id.
func holds(ms []*message.Message, id string) bool {
	for i := len(ms) - 1; i >= 0 && i >= len(ms)-3; i-- {
		if ms[i].ID == id {
			return true
		}
	}
	return false
}

func (r *run) emit(e Event) {
	if r.out == nil {
		return
	}
	r.outMu.Lock()
	defer r.outMu.Unlock()
	r.out(e)
}

// execution is the executor of the newest reply and how far it was fed.
type execution struct {
	tool.Executor
	cancel    context.CancelFunc
	submitted int // calls of the reply, in order
}

// discard ends what is left of a reply that is not to be gone on with: its
// tools, which it waits for, and what was shown of it, if it was withdrawn.
// Nothing of a reply is told behind its tombstone.
func (r *run) discard() {
	if r.exec != nil {
		r.exec.cancel()
		r.exec.Wait()
		r.exec = nil
	}
	if r.reply != nil && r.reply.void {
		r.reply.void = false
		r.emit(Withdrawn{MessageID: r.reply.id})
	}
}
