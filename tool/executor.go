package tool

import (
	"context"

	"github.com/daruma-dev/daruma/message"
)

// MaxParallel is how many concurrency-safe calls run at a time. More gain
// little on one disk and make a failing batch hard to read.
const MaxParallel = 10

// Job is one call handed to an [Executor].
type Job struct {
	Call message.Call
	Tool Tool // nil where Verdict is set
	// Verdict answers the call without running it: denied, unknown, malformed
	// and the like. It takes its place in the order of results.
	Verdict *message.ToolResult
	// Safe says that the call may run beside other safe calls.
	Safe bool
}

// Executor runs the calls of one reply. Jobs start in the order in which they
// are submitted; a job that is not Safe runs alone; at most MaxParallel run at
// once; each gets exactly one result. Submit and Wait are called by one
// goroutine.
type Executor interface {
	// Submit hands over the next call. It does not wait for it.
	Submit(Job)
	// Wait says that no more calls come, waits until every call has ended and
	// returns one result each, in the order of Submit. When the context the
	// Executor was made with ends, running calls are cancelled and torn down,
	// waiting ones do not start, and all of them get a result that says so.
	//
	// Wait waits as long as the slowest tool: one that ignores its context
	// holds it up, though what other calls gave has been told by Finished and
	// Event by then. It must be called, also when the results are not wanted,
	// and leaves no goroutine behind.
	Wait() []message.ToolResult
}

// Env is what an Executor needs of the world. Begin, Finished and Event are
// called by any goroutine, never two of them at once, and hold up everything
// else the Executor does; they must not call it.
type Env struct {
	// Begin is called right before an unsafe call starts and must have made
	// that fact durable when it returns. An error keeps the call from running
	// and becomes its result, in its own words where it is an *Error. nil means
	// nothing to do.
	Begin func(message.Call) error
	// Finished is called with the result of each unsafe call that ran, right
	// after it ended and before anything else starts. nil means nothing to do.
	Finished func(message.ToolResult)
	// Event tells what happens to calls. nil means nobody listens.
	Event func(Event)
	// Blob opens a file in the session's folder; see Call.Blob. May be nil.
	Blob func(name string) (Blob, error)
}

// Phase is a step in the life of a call.
type Phase string

// The phases, in order. Progress may come any number of times while a call is
// executing; results are yielded in the order of the calls.
const (
	Queued    Phase = "queued"
	Executing Phase = "executing"
	Progress  Phase = "progress"
	Completed Phase = "completed"
	Yielded   Phase = "yielded"
)

// Event is one step in the life of one call.
type Event struct {
	Phase  Phase
	Call   message.Call
	Text   string              // for Progress
	Result *message.ToolResult // for Completed and Yielded
}

// NewExecutor makes executors: [Streaming], which starts a call as soon as it
// may, or [Batch], which starts none before Wait.
type NewExecutor func(ctx context.Context, env Env) Executor
