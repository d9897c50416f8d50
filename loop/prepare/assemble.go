package prepare

import (
	"github.com/daruma-dev/daruma/loop"
	"github.com/daruma-dev/daruma/model"
)

// Assemble puts the system prompt into the view and says how large the whole
// input is. The prompt is fixed for the session, so the cached prefix holds.
func Assemble(system []model.Block) loop.Stage {
	return loop.Stage{Name: "assemble", Do: func(v loop.View) loop.View {
		v.System = system
		v.Tokens = loop.InputTokens(v.Model, v.System, v.Tools, v.Messages)
		return v
	}}
}
