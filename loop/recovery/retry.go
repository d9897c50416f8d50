package recovery

import (
	"fmt"
	"time"

	"github.com/daruma-dev/daruma/loop"
	"github.com/daruma-dev/daruma/model"
)

// Retry is the cure for what passes by itself: it waits and sends the same
// request again.
type Retry struct {
	Max int // retries a turn
	// Few holds the kinds that get fewer: an answer that is not the protocol,
	// or a stream that went silent, is seldom cured by asking often.
	Few       map[loop.FaultKind]int
	Base, Cap time.Duration // of the back-off
	// Longest is the longest wait a server may ask for; one that asks for more
	// is given up on, with its wish in the message.
	Longest time.Duration
}

// DefaultRetry waits up to half a minute between ten tries, about three minutes
// in all with the average of full jitter: an overload that lasts longer is a
// matter for the user or a fallback model.
func DefaultRetry() Retry {
	return Retry{
		Max: 10, Base: time.Second, Cap: 30 * time.Second, Longest: 5 * time.Minute,
		Few: map[loop.FaultKind]int{
			loop.FaultKind(model.Stalled):  1,
			loop.FaultKind(model.BadReply): 2,
		},
	}
}

// Name implements [loop.Layer].
func (Retry) Name() string { return "retry" }

// Plan implements [loop.Layer].
func (r Retry) Plan(s loop.State, f loop.Fault) (loop.Plan, bool) {
	spent := s.Spent[r.Name()]
	if !f.Kind.Transient() || spent >= r.limit(f) {
		return loop.Plan{}, false
	}
	d := loop.Delay{For: Backoff(spent+1, r.Base, r.Cap), Jitter: true, Attempt: spent + 1, Why: f.String()}
	if f.Err != nil {
		if f.Err.ShouldRetry != nil && !*f.Err.ShouldRetry || f.Err.RetryAfter > r.Longest {
			return loop.Plan{}, false
		}
		if f.Err.RetryAfter > 0 {
			d.For, d.Jitter = f.Err.RetryAfter, false
			d.Why = fmt.Sprintf("%s; the server asks to wait %v", f, f.Err.RetryAfter)
		}
	}
	return loop.Plan{Step: loop.PhaseWait, Delay: d, Cause: loop.CauseRetry}, true
}

// limit is how many retries a fault gets. A server that did not begin to answer
// was as silent as a stream that stalls, and has taken even more of our time.
func (r Retry) limit(f loop.Fault) int {
	kind := f.Kind
	if kind == loop.FaultKind(model.Timeout) && f.Err != nil && f.Err.Status == 0 {
		kind = loop.FaultKind(model.Stalled)
	}
	if few, ok := r.Few[kind]; ok {
		return min(few, r.Max)
	}
	return r.Max
}

// Backoff is how long to wait before attempt n, counted from 1: base doubled
// n-1 times, at most longest. It is 0 for n < 1. A server's Retry-After
// (RFC 9110, 10.2.3) takes precedence. It has no jitter: plans are pure, so the
// driver adds that.
func Backoff(n int, base, longest time.Duration) time.Duration {
	if n < 1 {
		return 0
	}
	d := base
	for range n - 1 {
		if d >= longest/2 {
			return longest
		}
		d *= 2
	}
	return min(d, longest)
}
