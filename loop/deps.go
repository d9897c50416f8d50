package loop

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/model"
	"github.com/daruma-dev/daruma/tool"
)

// Deps are all the ways in which the loop reaches the outside world. With
// scripted or recorded ones a run is deterministic. Client is required; the
// zero value of each other field means what its comment says.
type Deps struct {
	// Client finds the client of a "provider/model"; an error, best a
	// *model.Error, fails the request.
	Client func(name string) (model.Client, error)
	Tools  tool.Set
	// Vet judges one call whose tool exists and whose input is well-formed.
	// It is fast and may be called at any time, by one goroutine. nil allows
	// everything.
	Vet func(call message.Call, access tool.Access) Verdict
	// Ask puts questions before the user and waits. nil means that nobody is
	// there: every question is answered with no.
	Ask func(ctx context.Context, qs []Question) ([]Answer, error)
	// Attach gathers what the model should know before its next turn. nil
	// means nothing.
	Attach func(ctx context.Context, s State) []*message.Message
	// Consult runs the stop hooks. nil means that there are none.
	Consult func(ctx context.Context, c Consult) Consulted
	// Compact summarises older messages. nil fails every compaction.
	Compact func(ctx context.Context, c Compact) Compacted
	// Refresh renews credentials. nil means that it cannot be done.
	Refresh func(ctx context.Context, name string) error
	// Record writes an entry to the journal and returns when it is there; see
	// Entry.Sync. Nothing is acted upon before. nil keeps no journal.
	Record func(ctx context.Context, e Entry) error
	// Blob opens a file in the session's folder for output too large for the
	// conversation. nil means that there is no folder.
	Blob func(name string) (tool.Blob, error)
	// Inbox yields what the user typed since the last call, without waiting.
	// nil means that nothing is ever typed.
	Inbox func() (*message.Message, bool)

	Now   func() time.Time // nil means time.Now
	NewID func() string    // unique in the session; nil means a ULID
	Rand  func() float64   // in [0,1), for jitter; nil means math/rand/v2
}

// Early says which calls may start while their reply is still streaming.
type Early string

// The settings. The zero value means EarlyAll.
const (
	EarlyAll  Early = "all"  // every call that may run without a question
	EarlySafe Early = "safe" // only those that change nothing
	EarlyOff  Early = "off"
)

// Driver performs what a machine asks for. It is not changed after its first
// use; one Driver serves one session, one run at a time.
type Driver struct {
	Machine *Machine
	Deps    Deps
	Early   Early
	// Executor makes the executor of each reply; nil means tool.Streaming.
	Executor tool.NewExecutor
}

func (d *Driver) now() time.Time {
	if d.Deps.Now != nil {
		return d.Deps.Now()
	}
	return time.Now()
}

func (d *Driver) newID() string {
	if d.Deps.NewID != nil {
		return d.Deps.NewID()
	}
	return ulid.Make().String()
}

func (d *Driver) random() float64 {
	if d.Deps.Rand != nil {
		return d.Deps.Rand()
	}
	return rand.Float64()
}

func (d *Driver) executor(ctx context.Context, env tool.Env) tool.Executor {
	if d.Executor != nil {
		return d.Executor(ctx, env)
	}
	return tool.Streaming(ctx, env)
}

// received is what the user typed meanwhile.
func (d *Driver) received() (Result, bool) {
	if d.Deps.Inbox == nil {
		return nil, false
	}
	m, ok := d.Deps.Inbox()
	if !ok {
		return nil, false
	}
	return Received{Message: m}, true
}
