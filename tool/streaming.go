package tool

import (
	"context"

	"github.com/daruma-dev/daruma/message"
)

// Streaming is the default [Executor]: a call starts as soon as it is
// submitted and its turn has come, while the model is still talking. Wait must
// be called, also when ctx has ended.
func Streaming(ctx context.Context, env Env) Executor {
	return streaming{newSchedule(ctx, env)}
}

type streaming struct{ *schedule }

// Submit implements [Executor].
func (s streaming) Submit(job Job) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.enqueue(job)
	s.advance()
}

// Wait implements [Executor].
func (s streaming) Wait() []message.ToolResult { return s.wait() }
