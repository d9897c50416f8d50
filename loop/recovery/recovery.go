// Package recovery holds the cures of the loop, one file each. A [Layer] is a
// value that looks at the state and at what went wrong and answers with a plan;
// it has no memory but what the state says was spent in this turn.
package recovery

import "github.com/daruma-dev/daruma/loop"

// Layer is one cure; see [loop.Layer] for the contract.
type Layer = loop.Layer

// Default is the order in which the cures are tried: from the cheapest and
// least lossy to the most drastic. The golden table in testdata/policy.golden
// prints what it comes to.
func Default() []Layer {
	return []Layer{
		DefaultRetry(),
	}
}
