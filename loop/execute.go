package loop

import (
	"context"
	"fmt"
	"slices"

	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/tool"
)

// execute runs the calls of the newest reply that are not running or done
// already, and waits for all.
func (r *run) execute(ctx context.Context, cmd Execute) Result {
	x := r.executing(ctx)
	for _, c := range cmd.Calls[min(x.submitted, len(cmd.Calls)):] {
		r.submit(x, c.Call, c.Verdict)
	}
	results := x.Wait()
	x.cancel()
	r.exec = nil
	results = slices.DeleteFunc(results, func(res message.ToolResult) bool { return r.recorded(res.CallID) })
	return Executed{ID: r.newID(), Results: tool.PageOut(results, r.Deps.Blob)}
}

// executing is the executor of the newest reply.
func (r *run) executing(ctx context.Context) *execution {
	if r.exec == nil {
		ctx, cancel := context.WithCancel(ctx)
		env := tool.Env{
			Begin:    func(c message.Call) error { return r.begin(ctx, c) },
			Finished: func(res message.ToolResult) { r.finish(ctx, res) },
			Event:    func(e tool.Event) { r.emit(ToolChanged{e}) },
			Blob:     r.Deps.Blob,
		}
		r.exec = &execution{Executor: r.executor(ctx, env), cancel: cancel}
	}
	return r.exec
}

// submit hands one call to the executor.
func (r *run) submit(x *execution, c message.Call, v Verdict) {
	job := tool.Job{Call: c, Safe: v.Safe}
	if v.Decision == Allow {
		job.Tool = r.Deps.Tools.Find(c.Name)
	} else {
		res := denied(c, v)
		job.Verdict, job.Safe = &res, true
	}
	x.submitted++
	x.Submit(job)
}

// begin records that a call which changes something is about to run; while its
// reply is streaming, the reply up to it is recorded with it. It runs on the
// call's goroutine. A call whose reply was withdrawn meanwhile must not run.
func (r *run) begin(ctx context.Context, c message.Call) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	b := Began{CallID: c.ID}
	switch {
	case r.has(c.ID):
	case r.s.Phase == PhaseSample && r.reply != nil && !r.reply.over:
		b.ID, b.Model, b.Wire = r.reply.id, r.reply.model, r.reply.wire
		b.Parts = r.reply.upTo(c.ID, r.s.Partial)
	default:
		return tool.Refuse(message.StatusCancelled, "Not run: the reply it belongs to was withdrawn.")
	}
	return r.commitLocked(ctx, b)
}

// finish records the result of a call that began. A journal that cannot be
// written shows at the next commit, which will fail as well.
func (r *run) finish(ctx context.Context, res message.ToolResult) {
	paged := tool.PageOut([]message.ToolResult{res}, r.Deps.Blob)
	if err := r.commit(ctx, Finished{Result: paged[0]}); err != nil {
		r.emit(ToolChanged{tool.Event{
			Phase: tool.Progress, Call: message.Call{ID: res.CallID, Name: res.Name},
			Text: fmt.Sprintf("the result could not be recorded: %v", err),
		}})
	}
}

// has reports whether the state knows the call.
func (r *run) has(id string) bool {
	return slices.ContainsFunc(r.s.Calls, func(c CallState) bool { return c.Call.ID == id })
}

// recorded reports whether the call's result is in the state already.
func (r *run) recorded(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.ContainsFunc(r.s.Calls, func(c CallState) bool { return c.Call.ID == id && c.Result != nil })
}
