// Package prepare holds the stages that shape what the model gets to see, one
// file each, from the cheapest to the most drastic. A stage is a pure,
// idempotent function of a view; the record itself is never changed.
package prepare

import (
	"github.com/daruma-dev/daruma/loop"
	"github.com/daruma-dev/daruma/model"
)

// Default is the order of the stages (specification, 3.1). system is the
// session's prompt, static part first.
func Default(system []model.Block) []loop.Stage {
	return []loop.Stage{
		Budget(),
		Assemble(system),
		Blocking(),
	}
}
