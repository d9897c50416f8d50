package tool

import (
	"context"

	"github.com/daruma-dev/daruma/message"
)

// Batch is the [Executor] that starts nothing before Wait, so that no call runs
// before the whole reply is there.
func Batch(ctx context.Context, env Env) Executor {
	return batch{newSchedule(ctx, env)}
}

type batch struct{ *schedule }

// Submit implements [Executor].
func (b batch) Submit(job Job) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.enqueue(job)
}

// Wait implements [Executor].
func (b batch) Wait() []message.ToolResult {
	b.mu.Lock()
	b.advance()
	b.mu.Unlock()
	return b.wait()
}
