package loop

import (
	"time"

	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/model"
	"github.com/daruma-dev/daruma/tool"
)

// Event is what a run tells its caller, in the order in which it happened:
// [Requested], [Streamed], [Added], [ToolChanged], [Withdrawn], [Waiting],
// [Summarised], [Faulted], [Moved] or [Finish]. The set is closed.
type Event interface{ isEvent() }

//sumtype:decl

// Requested says that a request goes out.
type Requested struct {
	Turn    int
	Attempt int // of this turn, from 1
	Model   string
	Cause   string // what made the request necessary, as in the ledger
	Tokens  int64  // of the input, as far as known
	Window  int64  // 0 when unknown
	Notes   []Note // what the stages did
}

// Streamed is a piece of the reply as it arrives, for display. Event is a
// [model.PartStarted] or a [model.Delta].
type Streamed struct {
	MessageID string
	Event     model.Event
}

// Added says that a message has joined the record.
type Added struct{ Message *message.Message }

// ToolChanged is a step in the life of a call.
type ToolChanged struct{ tool.Event }

// Summarised is one line for the finished calls of a reply, so that a screen can
// fold them.
type Summarised struct {
	CallIDs []string
	Text    string
}

// Withdrawn is a tombstone: what was streamed of this message is void and must
// vanish from the screen.
type Withdrawn struct{ MessageID string }

// Waiting says that the loop pauses before it tries again.
type Waiting struct {
	For     time.Duration
	Attempt int
	Fault   FaultKind
	Why     string
}

// Faulted says what was wrong with a reply. It is for traces: most faults are
// cured without the user's noticing.
type Faulted struct{ Fault Fault }

// Moved says why the loop goes on.
type Moved struct{ Transition Transition }

// Finish is the last event of a run that returned no error.
type Finish struct{ Terminal Terminal }

func (Requested) isEvent()   {}
func (Streamed) isEvent()    {}
func (Added) isEvent()       {}
func (ToolChanged) isEvent() {}
func (Summarised) isEvent()  {}
func (Withdrawn) isEvent()   {}
func (Waiting) isEvent()     {}
func (Faulted) isEvent()     {}
func (Moved) isEvent()       {}
func (Finish) isEvent()      {}
