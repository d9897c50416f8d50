package loop

import (
	"fmt"

	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/model"
)

// FaultKind is a [model.Kind], or one of the ways in which a reply that came
// whole is still not one to go on with.
type FaultKind string

// The faults of a reply that is no error on the wire.
const (
	OutputCut  FaultKind = "output_cut"  // cut off at the output limit, or the window was full
	EmptyReply FaultKind = "empty_reply" // neither text nor calls, though perhaps thoughts
	Paused     FaultKind = "paused"      // the provider's own tools want another request
	Refused    FaultKind = "refused"     // the model declined
)

// FaultKinds lists every FaultKind.
func FaultKinds() []FaultKind {
	var all []FaultKind
	for _, k := range model.Kinds() {
		all = append(all, FaultKind(k))
	}
	return append(all, OutputCut, EmptyReply, Paused, Refused)
}

// Transient reports whether the same request may well succeed a little later.
func (k FaultKind) Transient() bool {
	switch k {
	case OutputCut, EmptyReply, Paused, Refused:
		return false
	default:
		return model.Kind(k).Transient()
	}
}

// Fault is what was wrong with one reply.
type Fault struct {
	Kind   FaultKind
	Err    *model.Error     // nil for the faults of a whole reply
	Reply  *message.Message // its finished parts; nil when there are none
	Detail string           // the provider's explanation of a refusal
	// Output is the output limit that the request had, and OutputMax the
	// highest that the model takes, in tokens; 0 when unknown.
	Output, OutputMax int64
}

// Layer is one cure against faults. Layers are values: they have no memory but
// State.Spent. They are asked in order, and the first that has a Plan is
// followed.
type Layer interface {
	Name() string
	// Plan says how to go on after the fault, or false when this layer cannot
	// or may not help (again) in this turn. It is pure.
	Plan(s State, f Fault) (Plan, bool)
}

// Plan is what a Layer wants done. The machine does it: a layer has no hands.
type Plan struct {
	// Step is what comes next: PhaseSample, PhaseWait, PhaseRefresh or
	// PhaseCompact.
	Step Phase
	// Reason is recorded as a Transition. It is empty for what stays within
	// the same request: a plain retry, new credentials.
	Reason Reason
	// Cause names the next request in the ledger, such as "retry" or
	// "escalate"; empty means the layer's name.
	Cause string
	Delay Delay // for PhaseWait
	// MaxOutput, when not 0, is the output limit from here on in this turn.
	MaxOutput int64
	// Model, when not empty, is the model from here on in this turn.
	Model string
	// Keep keeps the finished parts of the reply in the record; otherwise the
	// reply is withdrawn, unless a call of it has changed something already.
	Keep bool
	// Say, when not empty, is a message to the model, added after what was
	// kept; Origin is its origin, message.FromLoop when empty.
	Say    string
	Origin message.Origin
	// Spend names the budget that is charged with one; empty means the
	// layer's name.
	Spend string
}

// String is one line for the trace.
func (f Fault) String() string {
	switch {
	case f.Err != nil:
		return f.Err.Error()
	case f.Detail != "":
		return string(f.Kind) + ": " + f.Detail
	default:
		return string(f.Kind)
	}
}

// terminal is how a run ends after a fault that nothing cures.
func (f Fault) terminal(s State) Terminal {
	t := Terminal{Reason: ModelError, Err: f.Err, Detail: f.String(), Hint: hints[f.Kind]}
	switch f.Kind {
	case FaultKind(model.Overflow), FaultKind(model.TooLarge):
		t.Reason = PromptTooLong
	case FaultKind(model.Media):
		t.Reason = MediaError
	case FaultKind(model.Canceled):
		t.Reason = AbortedStreaming
	case OutputCut:
		t.Reason, t.Detail = OutputLimit, "the answer was cut off at the output limit"
	case EmptyReply:
		t.Detail = "the model gave an empty answer"
	case Paused:
		t.Detail = "the model paused and was not asked to go on"
	case Refused:
		t.Detail = "the model declined to answer"
		if f.Detail != "" {
			t.Detail += ": " + f.Detail
		}
	}
	if f.Err != nil && f.Err.RetryAfter > 0 {
		t.Detail += fmt.Sprintf("; the server asks to wait %v", f.Err.RetryAfter)
	}
	if n := s.Spent["retry"]; n > 0 && f.Kind.Transient() {
		t.Detail += fmt.Sprintf(" (after %d retries)", n)
	}
	return t
}

// hints say what the user can do about a fault that ended a run.
var hints = map[FaultKind]string{
	FaultKind(model.Overflow):    "start a new session, or ask for less at once",
	FaultKind(model.TooLarge):    "start a new session, or leave out large attachments",
	FaultKind(model.Media):       "use a smaller image or document",
	FaultKind(model.RateLimited): "wait a little, then continue the session with --continue",
	FaultKind(model.Overloaded):  "wait a little, then continue the session with --continue, or name another model with --model",
	FaultKind(model.Unavailable): "wait a little, then continue the session with --continue",
	FaultKind(model.Timeout):     "continue the session with --continue",
	FaultKind(model.Network):     "check the network and the base URL, then continue the session with --continue",
	FaultKind(model.Cut):         "continue the session with --continue",
	FaultKind(model.Stalled):     "continue the session with --continue",
	FaultKind(model.BadReply):    "check the base URL: something other than the model answered, perhaps a proxy",
	FaultKind(model.Auth):        "check the API key",
	FaultKind(model.Forbidden):   "the key is valid but may not do this: check its permissions",
	FaultKind(model.NotFound):    "check the name of the model and the base URL",
	FaultKind(model.BadRequest):  "this looks like a fault of daruma or of a proxy between: please report it",
	FaultKind(model.Billing):     "check the account's billing",
	FaultKind(model.Quota):       "raise the spending limit of the account, or wait until it is renewed",
	OutputCut:                    "ask for the work in smaller parts, then continue the session with --continue",
	Refused:                      "rephrase the request, or name another model with --model",
}
