package loop

import (
	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/model"
)

// Command is what the loop owes next: [Sample], [Vet], [AskUser], [Execute],
// [Attach], [Consult], [Wait], [Refresh], [Compact] or [Stop]. The set is
// closed. Each but Stop is answered by one Result.
type Command interface{ isCommand() }

//sumtype:decl

// Sample asks the model for a reply. Answer: [Sampled].
type Sample struct {
	Model   string // "provider/model"
	Request *model.Request
	Tokens  int64  // input tokens, as far as known
	Window  int64  // 0 when unknown
	Cause   string // for the ledger
	Attempt int    // of this turn, from 1
	Notes   []Note // what the stages did
}

// Vet asks which calls may run. Answer: [Vetted].
type Vet struct{ Calls []message.Call }

// AskUser puts calls before the user. Answer: [Answered].
type AskUser struct{ Questions []Question }

// Question is one call the user is asked about.
type Question struct {
	Call    message.Call
	Verdict Verdict
}

// Execute runs the calls of the newest reply. Answer: [Executed].
type Execute struct{ Calls []CallState }

// Attach gathers what the model should know before its next turn. Answer:
// [Attached].
type Attach struct{}

// Consult asks the stop hooks whether the run may end. Answer: [Consulted].
type Consult struct {
	Reply  *message.Message
	Active bool // this reply answers an earlier objection
}

// Wait lets time pass. Answer: [Waited].
type Wait struct {
	Delay Delay
	Fault FaultKind
}

// Refresh renews credentials. Answer: [Refreshed].
type Refresh struct{ Model string }

// Compact asks for a summary of older messages. Answer: [Compacted].
type Compact struct {
	Model string
	View  View
	Why   string
}

// Stop ends the run.
type Stop struct{ Terminal Terminal }

func (Sample) isCommand()  {}
func (Vet) isCommand()     {}
func (AskUser) isCommand() {}
func (Execute) isCommand() {}
func (Attach) isCommand()  {}
func (Consult) isCommand() {}
func (Wait) isCommand()    {}
func (Refresh) isCommand() {}
func (Compact) isCommand() {}
func (Stop) isCommand()    {}
