package loop

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/model"
)

// reply is a reply on its way in. Parts are appended under run.mu; a part never
// changes once it is there.
type reply struct {
	id    string
	model string // "provider/model"
	wire  string
	parts message.Parts
	usage *message.Usage // as far as told
	done  *model.Done
	shown bool // something of it went to the screen
	over  bool // it was judged: a call that the state does not know must not begin any more
	void  bool // it was withdrawn, and what was shown of it still stands

	// held is a finished call that starts when the stream shows that more
	// follows. The last call of a reply waits for its end, which is near: if
	// the reply was cut off at the output limit, that call may look whole and
	// is not what the model meant.
	held     *message.Call
	verdict  Verdict
	tooLate  bool // a call could not start early, so no later one may
	renamed  int
	answered bool // the server began to answer
}

// sample asks the model for a reply and starts those calls that need not wait
// for its end.
func (r *run) sample(ctx context.Context, cmd Sample) Result {
	_, id := model.Split(cmd.Model)
	provider, _ := model.Split(cmd.Model)
	rep := &reply{id: r.newID(), model: cmd.Model, wire: provider}
	r.mu.Lock()
	r.reply = rep
	r.mu.Unlock()
	r.emit(Requested{
		Turn: r.state().Turn, Attempt: cmd.Attempt, Model: cmd.Model, Cause: cmd.Cause,
		Tokens: cmd.Tokens, Window: cmd.Window, Notes: cmd.Notes,
	})
	err := r.stream(ctx, cmd, rep)
	if err == nil && rep.done == nil {
		err = &model.Error{Kind: model.Cut, Message: fmt.Sprintf("the client of %s ended its stream without an end", id)}
	}
	if ctx.Err() != nil {
		r.discard() // so that what ran is recorded before the reply is closed
	}
	return rep.result(err, r)
}

// stream pulls the reply.
func (r *run) stream(ctx context.Context, cmd Sample, rep *reply) error {
	client, err := r.Deps.Client(cmd.Model)
	if err != nil {
		return err
	}
	for ev, err := range client.Stream(ctx, cmd.Request) {
		if err != nil {
			return err
		}
		r.receive(ctx, rep, ev)
	}
	return nil
}

// receive takes in one event of the stream.
func (r *run) receive(ctx context.Context, rep *reply, ev model.Event) {
	switch ev := ev.(type) {
	case model.Started:
		rep.answered = true
		rep.usage = &ev.Usage
		rep.wire = orElse(ev.Wire, rep.wire)
	case model.PartStarted:
		r.release(ctx, rep)
		rep.shown = true
		r.emit(Streamed{MessageID: rep.id, Event: ev})
	case model.Delta:
		r.emit(Streamed{MessageID: rep.id, Event: ev})
	case model.PartDone:
		r.add(ctx, rep, ev.Part)
	case model.Done:
		rep.done = &ev
		if ev.Usage != nil {
			rep.usage = ev.Usage
		}
	case model.Alive:
	default:
		panic(fmt.Sprintf("loop: unhandled model event %T", ev))
	}
}

// add appends a finished part; a call may start.
func (r *run) add(ctx context.Context, rep *reply, p message.Part) {
	call, isCall := p.(message.Call)
	if isCall {
		call = r.named(rep, call)
		p = call
	}
	r.mu.Lock()
	rep.parts = append(rep.parts, p)
	r.mu.Unlock()
	if isCall {
		r.early(ctx, rep, call)
	}
}

// named gives a call an id that no other call of the conversation has. Servers
// have been seen to leave ids out and to use one twice; the next request would
// be refused.
func (r *run) named(rep *reply, c message.Call) message.Call {
	taken := func(m *message.Message) bool { return hasCall(m.Parts, c.ID) }
	if c.ID == "" || hasCall(rep.parts, c.ID) || slices.ContainsFunc(r.state().Messages, taken) {
		rep.renamed++
		c.ID = fmt.Sprintf("call_%s_%d", rep.id, rep.renamed)
		c.Raw = nil // it holds the old id
	}
	return c
}

func hasCall(parts message.Parts, id string) bool {
	return slices.ContainsFunc(parts, func(p message.Part) bool {
		c, ok := p.(message.Call)
		return ok && c.ID == id
	})
}

// early starts a call while its reply is still streaming, if it may run without
// a question and every call before it has started.
func (r *run) early(ctx context.Context, rep *reply, c message.Call) {
	r.release(ctx, rep) // an earlier call that was held: more has come
	if r.Early == EarlyOff || rep.tooLate {
		return
	}
	v := r.judge(c)
	if v.Decision == Allow && (v.Safe || r.Early != EarlySafe) {
		rep.held, rep.verdict = &c, v
	} else {
		rep.tooLate = true
	}
}

// release starts the call that was held.
func (r *run) release(ctx context.Context, rep *reply) {
	if rep.held == nil {
		return
	}
	c := *rep.held
	rep.held = nil
	r.submit(r.executing(ctx), c, rep.verdict)
}

// upTo is the parts up to and with a call, without those that were recorded.
func (rep *reply) upTo(callID string, recorded *message.Message) message.Parts {
	end := 1 + slices.IndexFunc(rep.parts, func(p message.Part) bool {
		c, ok := p.(message.Call)
		return ok && c.ID == callID
	})
	var from int
	if recorded != nil && recorded.ID == rep.id {
		from = len(recorded.Parts)
	}
	return slices.Clone(rep.parts[min(from, end):end])
}

// judge closes the reply, now that next has kept or withdrawn it.
func (rep *reply) judge(next State) {
	rep.over = true
	rep.void = rep.shown && !holds(next.Messages, rep.id)
}

// result is what came of the request.
func (rep *reply) result(err error, r *run) Sampled {
	s := Sampled{Model: rep.model, NoAnswer: !rep.answered}
	if err != nil {
		s.Err, s.Usage = typed(err), rep.usage
		if len(rep.parts) > 0 {
			s.Reply = rep.message(r)
		}
		return s
	}
	s.Detail = rep.done.Detail
	s.Reply = rep.message(r)
	s.Reply.Stop, s.Reply.Usage = rep.done.Stop, rep.done.Usage
	return s
}

func (rep *reply) message(r *run) *message.Message {
	return &message.Message{
		ID: rep.id, Role: message.Assistant, Origin: message.FromModel, Parts: rep.parts,
		Model: rep.model, Wire: rep.wire, Time: r.now(),
	}
}

// typed is err as a *model.Error.
func typed(err error) *model.Error {
	var e *model.Error
	switch {
	case errors.As(err, &e):
		return e
	case errors.Is(err, context.Canceled):
		return &model.Error{Kind: model.Canceled, Err: err}
	default:
		return &model.Error{Kind: model.BadRequest, Message: err.Error(), Err: err}
	}
}
