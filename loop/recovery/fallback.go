package recovery

import (
	"slices"

	"github.com/daruma-dev/daruma/loop"
	"github.com/daruma-dev/daruma/model"
)

// OverloadsBeforeFallback is how many overload answers in a row a model gets
// before the next one is asked. Fewer would leave it for a hiccup.
const OverloadsBeforeFallback = 3

// Fallback is the cure for a model that is overloaded or unavailable and stays
// so: the same turn goes to the next model of the chain. The next turn starts
// with the first model again. It does nothing about keys, bills and requests
// that are wrong: another model would only hide them.
type Fallback struct {
	Chain []string // "provider/model", in the order in which they are tried
	After int      // overload answers in a row that a model gets first; 0 asks the next one at once
}

// atOnce is the budget of a Fallback that does not wait. It is not that of one
// that does, which counts by its own how many answers a model has had.
const atOnce = "fallback_at_once"

// Name implements [loop.Layer].
func (Fallback) Name() string { return "fallback" }

// Plan implements [loop.Layer].
func (l Fallback) Plan(s loop.State, f loop.Fault) (loop.Plan, bool) {
	if f.Kind != loop.FaultKind(model.Overloaded) && f.Kind != loop.FaultKind(model.Unavailable) {
		return loop.Plan{}, false
	}
	next := slices.Index(l.Chain, s.Model) + 1
	tries := s.Spent["retry"] + 1 - (l.After-1)*s.Spent[l.Name()]
	if next >= len(l.Chain) || tries < l.After {
		return loop.Plan{}, false
	}
	p := loop.Plan{Step: loop.PhaseSample, Model: l.Chain[next], Reason: loop.ModelFallback}
	if l.After == 0 {
		p.Spend = atOnce
	}
	return p, true
}
