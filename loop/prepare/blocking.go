package prepare

import (
	"fmt"

	"github.com/daruma-dev/daruma/loop"
)

// reserve is the least room a reply needs to be worth asking for, in tokens.
const reserve = 1000

// Blocking ends the run instead of sending a request that cannot fit: nothing
// before it could make the view small enough.
func Blocking() loop.Stage {
	return loop.Stage{Name: "blocking", Do: func(v loop.View) loop.View {
		if v.Window <= 0 || v.Tokens+min(reserve, v.Output) <= v.Window {
			return v
		}
		v.Block = &loop.Terminal{
			Reason: loop.BlockingLimit,
			Detail: fmt.Sprintf("the conversation takes about %d of the %d tokens that %s can hold, and nothing can be left out", v.Tokens, v.Window, v.Model),
			Hint:   "start a new session, or name a model with a larger window with --model",
		}
		return v
	}}
}
