package tool

import (
	"context"
	"sync"

	"github.com/daruma-dev/daruma/message"
)

// schedule decides when each call starts and in which order results are
// yielded. Both executors are one: they differ only in when they first call
// advance.
type schedule struct {
	ctx    context.Context // of the calls; its cause says why they were cancelled
	cancel context.CancelCauseFunc
	env    Env
	wg     sync.WaitGroup // running calls

	mu      sync.Mutex // also held during every callback of env, so that they never overlap
	calls   []*entry   // in the order of Submit
	next    int        // index of the first call whose turn has not come
	yielded int        // how many results have been yielded
	running int
	alone   bool // the call that started last is not Safe
}

// entry is the place of one call in a schedule.
type entry struct {
	job    Job
	result *message.ToolResult // nil until the call has ended
}

func newSchedule(ctx context.Context, env Env) *schedule {
	s := &schedule{env: env}
	s.ctx, s.cancel = context.WithCancelCause(ctx)
	return s
}

// enqueue puts a call at the end. One that needs no running ends at once. The
// caller holds mu.
func (s *schedule) enqueue(job Job) {
	e := &entry{job: job}
	s.calls = append(s.calls, e)
	s.emit(Event{Phase: Queued, Call: job.Call})
	if job.Verdict != nil {
		s.settle(e, *job.Verdict)
	}
}

// advance starts the calls whose turn has come, in order, and ends those that
// must not start any more. The caller holds mu.
func (s *schedule) advance() {
	for ; s.next < len(s.calls); s.next++ {
		e := s.calls[s.next]
		switch cause := context.Cause(s.ctx); {
		case e.result != nil: // it had a verdict
		case cause != nil:
			s.settle(e, notStarted(cause).message(e.job.Call))
		case s.mayStart(e):
			s.start(e)
		default:
			return
		}
	}
}

func (s *schedule) mayStart(e *entry) bool {
	return s.running == 0 || e.job.Safe && !s.alone && s.running < MaxParallel
}

// start runs a call in its own goroutine. Begin is called here, not there, so
// that calls begin in order even for one who only sees the callbacks.
func (s *schedule) start(e *entry) {
	call := e.job.Call
	if !e.job.Safe && s.env.Begin != nil {
		if err := s.env.Begin(call); err != nil {
			s.settle(e, notBegun(err).message(call))
			return
		}
	}
	s.running++
	s.alone = !e.job.Safe
	s.emit(Event{Phase: Executing, Call: call})
	s.wg.Go(func() { s.run(e) })
}

// run takes a call from its start to its end, and then starts those that
// waited for it.
func (s *schedule) run(e *entry) {
	r := perform(s.ctx, e.job, s.progress(e), s.env.Blob)

	s.mu.Lock()
	defer s.mu.Unlock()
	s.running--
	if r.CancelSiblings {
		s.cancel(siblingFailed{e.job.Call}) // the first cause stands
	}
	result := r.message(e.job.Call)
	if !e.job.Safe && s.env.Finished != nil {
		s.env.Finished(result)
	}
	s.settle(e, result)
	s.advance()
}

// progress makes the call's Progress. What comes after the call has ended is
// dropped: a tool may have left a goroutine behind.
func (s *schedule) progress(e *entry) func(text string) {
	return func(text string) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if e.result == nil {
			s.emit(Event{Phase: Progress, Call: e.job.Call, Text: text})
		}
	}
}

// settle gives a call its only result, and yields every result that has no
// unfinished call before it. The caller holds mu.
func (s *schedule) settle(e *entry, r message.ToolResult) {
	r.CallID, r.Name = e.job.Call.ID, e.job.Call.Name
	e.result = &r
	s.emit(Event{Phase: Completed, Call: e.job.Call, Result: e.result})
	for s.yielded < len(s.calls) && s.calls[s.yielded].result != nil {
		y := s.calls[s.yielded]
		s.yielded++
		s.emit(Event{Phase: Yielded, Call: y.job.Call, Result: y.result})
	}
}

func (s *schedule) emit(e Event) {
	if s.env.Event != nil {
		s.env.Event(e)
	}
}

// wait returns when every call has ended. A running call starts those behind it
// before it counts as ended, so that nothing is left when none runs.
func (s *schedule) wait() []message.ToolResult {
	s.wg.Wait()
	s.cancel(nil) // frees what the context holds
	s.mu.Lock()
	defer s.mu.Unlock()
	results := make([]message.ToolResult, len(s.calls))
	for i, e := range s.calls {
		results[i] = *e.result
	}
	return results
}
