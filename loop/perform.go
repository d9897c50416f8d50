package loop

import (
	"context"
	"fmt"
	"time"

	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/tool"
)

// perform does what is owed and returns what came of it. It never fails: what
// goes wrong is part of the result.
func (r *run) perform(ctx context.Context, cmd Command) Result {
	switch cmd.(type) {
	case Vet, AskUser, Execute:
	case Sample, Attach, Consult, Wait, Refresh, Compact, Stop:
		r.discard() // the reply it belongs to was withdrawn, or is done with
	}
	if ctx.Err() != nil {
		r.discard()
		return Interrupted{}
	}
	switch cmd := cmd.(type) {
	case Sample:
		return r.sample(ctx, cmd)
	case Vet:
		return r.vet(cmd)
	case AskUser:
		return r.ask(ctx, cmd)
	case Execute:
		return r.execute(ctx, cmd)
	case Attach:
		return r.attach(ctx)
	case Consult:
		return r.consult(ctx, cmd)
	case Wait:
		return r.wait(ctx, cmd)
	case Refresh:
		return r.refresh(ctx, cmd)
	case Compact:
		return r.compact(ctx, cmd)
	default:
		panic(fmt.Sprintf("loop: unhandled command %T", cmd))
	}
}

// vet judges the calls that were not judged while the reply streamed.
func (r *run) vet(cmd Vet) Result {
	vs := make([]Verdict, len(cmd.Calls))
	for i, c := range cmd.Calls {
		vs[i] = r.judge(c)
	}
	return Vetted{Verdicts: vs}
}

// judge decides on one call. What cannot run is denied with the reason as its
// result.
func (r *run) judge(c message.Call) Verdict {
	t := r.Deps.Tools.Find(c.Name)
	if t == nil {
		return Verdict{CallID: c.ID, Decision: Deny, Status: message.StatusUnknown, Reason: unknownTool(c.Name, r.Deps.Tools)}
	}
	if c.Malformed() {
		return Verdict{CallID: c.ID, Decision: Deny, Status: message.StatusMalformed, Reason: malformedInput(c)}
	}
	access := tool.Access{Action: tool.Other}
	if a, ok := t.(tool.Accessor); ok {
		var err error
		if access, err = a.Access(c.Input); err != nil {
			res := tool.Failure(err)
			return Verdict{CallID: c.ID, Decision: Deny, Status: res.Status, Reason: res.Text}
		}
	}
	v := Verdict{Decision: Allow}
	if r.Deps.Vet != nil {
		v = r.Deps.Vet(c, access)
	}
	v.CallID = c.ID
	if ro, ok := t.(tool.ReadOnly); ok {
		v.Safe = ro.ReadOnly(c.Input)
	}
	return v
}

// ask puts the open questions before the user. Without one, or when asking
// fails, the answer is no, with the reason.
func (r *run) ask(ctx context.Context, cmd AskUser) Result {
	if r.Deps.Ask == nil {
		as := make([]Answer, len(cmd.Questions))
		for i, q := range cmd.Questions {
			as[i] = Answer{CallID: q.Call.ID, Reason: nobodyToAsk(q.Verdict)}
		}
		return Answered{Answers: as}
	}
	as, err := r.Deps.Ask(ctx, cmd.Questions)
	switch {
	case ctx.Err() != nil:
		return Interrupted{}
	case err != nil:
		as = make([]Answer, len(cmd.Questions))
		for i, q := range cmd.Questions {
			as[i] = Answer{CallID: q.Call.ID, Reason: "the question could not be put to the user: " + err.Error()}
		}
	}
	return Answered{Answers: as}
}

func (r *run) attach(ctx context.Context) Result {
	if r.Deps.Attach == nil {
		return Attached{}
	}
	return Attached{Messages: r.Deps.Attach(ctx, r.state())}
}

func (r *run) consult(ctx context.Context, cmd Consult) Result {
	if r.Deps.Consult == nil {
		return Consulted{}
	}
	res := r.Deps.Consult(ctx, cmd)
	if ctx.Err() != nil {
		return Interrupted{}
	}
	return res
}

// wait lets time pass; an interrupt ends it at once.
func (r *run) wait(ctx context.Context, cmd Wait) Result {
	d := cmd.Delay.For
	if cmd.Delay.Jitter {
		d = time.Duration(r.random() * float64(d))
	}
	r.emit(Waiting{For: d, Attempt: cmd.Delay.Attempt, Fault: cmd.Fault, Why: cmd.Delay.Why})
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return Interrupted{}
	case <-t.C:
		return Waited{}
	}
}

func (r *run) refresh(ctx context.Context, cmd Refresh) Result {
	if r.Deps.Refresh == nil {
		return Refreshed{Detail: "the credentials were refused and cannot be renewed"}
	}
	if err := r.Deps.Refresh(ctx, cmd.Model); err != nil {
		return Refreshed{Detail: err.Error()}
	}
	return Refreshed{OK: true}
}

func (r *run) compact(ctx context.Context, cmd Compact) Result {
	if r.Deps.Compact == nil {
		return Compacted{Failed: "the conversation is too long, and nothing can summarise it"}
	}
	res := r.Deps.Compact(ctx, cmd)
	if ctx.Err() != nil {
		return Interrupted{}
	}
	return res
}
