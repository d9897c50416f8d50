// Package recovery holds the cures of the loop, one file each. A [Layer] is a
// value that looks at the state and at what went wrong and answers with a plan;
// it has no memory but what the state says was spent in this turn.
package recovery

import "github.com/daruma-dev/daruma/loop"

// Layer is one cure; see [loop.Layer] for the contract.
type Layer = loop.Layer

// Default is the order in which the cures are tried: from the cheapest and
// least lossy to the most drastic. The golden table in testdata/policy.golden
// prints what it comes to. fallbacks are the models to turn to, as
// "provider/model", in order.
func Default(fallbacks ...string) []Layer {
	return []Layer{
		Fallback{Chain: fallbacks, After: OverloadsBeforeFallback}, // before Retry, which would go on waiting
		DefaultRetry(),
		Fallback{Chain: fallbacks},    // behind Retry: for what the server says not to repeat, or not soon
		Escalate{To: EscalatedOutput}, // before Resume: one whole reply is better than two halves
		Resume{Max: ResumesPerTurn},
	}
}
