package recovery

import (
	"github.com/daruma-dev/daruma/loop"
	"github.com/daruma-dev/daruma/message"
)

// EscalatedOutput is the output limit of the second try, in tokens. Providers
// reserve what is asked for, so it is not the first.
const EscalatedOutput = 64_000

// Escalate is the first cure for a reply that was cut off at the output limit:
// the same request again, with a higher limit. The cut reply is withdrawn.
type Escalate struct{ To int64 }

// Name implements [loop.Layer].
func (Escalate) Name() string { return "escalate" }

// Plan implements [loop.Layer].
func (l Escalate) Plan(s loop.State, f loop.Fault) (loop.Plan, bool) {
	to := l.To
	if f.OutputMax > 0 {
		to = min(to, f.OutputMax)
	}
	full := f.Reply != nil && f.Reply.Stop == message.StopWindow // more output would not fit
	if f.Kind != loop.OutputCut || full || s.Spent[l.Name()] > 0 || to <= f.Output {
		return loop.Plan{}, false
	}
	return loop.Plan{Step: loop.PhaseSample, MaxOutput: to, Reason: loop.MaxOutputTokensEscalate}, true
}
