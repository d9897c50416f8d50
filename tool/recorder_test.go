package tool_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/tool"
)

// fake is a tool whose calls do what each job's function says.
type fake struct {
	run func(ctx context.Context, call tool.Call) (tool.Result, error)
}

func (fake) Spec() tool.Spec { return tool.Spec{Name: "fake"} }

func (f fake) Run(ctx context.Context, call tool.Call) (tool.Result, error) { return f.run(ctx, call) }

// job is a call of a fake tool.
func job(id string, safe bool, run func(ctx context.Context, call tool.Call) (tool.Result, error)) tool.Job {
	return tool.Job{Call: message.Call{ID: id, Name: "fake"}, Tool: fake{run}, Safe: safe}
}

// takes is a tool that answers r, err after d, or err's own way out when its
// context ends before.
func takes(d time.Duration, r tool.Result, err error) func(context.Context, tool.Call) (tool.Result, error) {
	return func(ctx context.Context, _ tool.Call) (tool.Result, error) {
		select {
		case <-time.After(d):
			return r, err
		case <-ctx.Done():
			return tool.Result{}, ctx.Err()
		}
	}
}

// recorder writes down what an executor tells, with the time since the start,
// and fails the test when two callbacks overlap.
type recorder struct {
	t     *testing.T
	start time.Time
	busy  atomic.Bool
	trace []string
}

func record(t *testing.T) *recorder { return &recorder{t: t, start: time.Now()} }

func (r *recorder) env() tool.Env {
	return tool.Env{
		Begin:    func(c message.Call) error { r.add("begin %s", c.ID); return nil },
		Finished: func(res message.ToolResult) { r.add("finished %s %s", res.CallID, res.Status) },
		Event:    r.event,
	}
}

func (r *recorder) event(e tool.Event) {
	switch {
	case e.Result != nil:
		r.add("%s %s %s", e.Phase, e.Call.ID, e.Result.Status)
	case e.Text != "":
		r.add("%s %s %s", e.Phase, e.Call.ID, e.Text)
	default:
		r.add("%s %s", e.Phase, e.Call.ID)
	}
}

func (r *recorder) add(format string, args ...any) {
	if !r.busy.CompareAndSwap(false, true) {
		r.t.Error("two callbacks at once")
	}
	r.trace = append(r.trace, fmt.Sprintf("%v ", time.Since(r.start))+fmt.Sprintf(format, args...))
	r.busy.Store(false)
}

// executors are the two implementations, by name.
var executors = map[string]tool.NewExecutor{"streaming": tool.Streaming, "batch": tool.Batch}

// each runs a test with both executors.
func each(t *testing.T, test func(t *testing.T, newExecutor tool.NewExecutor)) {
	for name, n := range executors {
		t.Run(name, func(t *testing.T) { test(t, n) })
	}
}

// statuses lists the results as "id status".
func statuses(results []message.ToolResult) []string {
	out := make([]string, len(results))
	for i, r := range results {
		out[i] = r.CallID + " " + string(r.Status)
	}
	return out
}
