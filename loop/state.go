package loop

import (
	"slices"
	"time"

	"github.com/daruma-dev/daruma/message"
)

// Phase says what kind of command is owed next.
type Phase string

// The phases.
const (
	PhaseIdle    Phase = "idle" // nothing: the user has the word
	PhaseSample  Phase = "sample"
	PhaseVet     Phase = "vet"
	PhaseAsk     Phase = "ask"
	PhaseExecute Phase = "execute"
	PhaseAttach  Phase = "attach"
	PhaseConsult Phase = "consult"
	PhaseWait    Phase = "wait"
	PhaseRefresh Phase = "refresh"
	PhaseCompact Phase = "compact"
	PhaseStop    Phase = "stop" // the run has a Terminal that is not recorded yet
)

// State is everything the loop knows. It is a value: [Machine.Apply] makes a
// new one and leaves the old one as it was; slices and maps in it are replaced,
// never written to. It is the fold of the recorded results and of nothing else,
// and is never stored itself. The zero value is a session in which nothing has
// been said.
type State struct {
	// Messages is the record: append-only, in the order in which it was said.
	Messages []*message.Message
	// Queue holds what the user typed while the loop was busy. It joins the
	// record with the next turn.
	Queue []*message.Message

	// From is where the view of the record starts: at the newest summary, or
	// 0.
	From int

	Phase Phase // zero means PhaseIdle
	Turn  int   // of this run, from 1; 0 before the first run
	Last  Transition
	// Terminal is why the last run ended, or, once that is certain, why this
	// one will.
	Terminal *Terminal

	// Partial is the part of the reply that was recorded while it was still
	// streaming, because a call in it was about to change something.
	Partial *message.Message
	// Calls are those of the newest reply, until their results are in the
	// record.
	Calls []CallState

	// Cause names the next request in the ledger.
	Cause string
	// Model is the "provider/model" of this turn when a fallback is in force;
	// empty means the machine's own.
	Model string
	// MaxOutput is the escalated output limit of this turn; 0 means none.
	MaxOutput int64
	// Then is the phase a cure wants once the calls of the reply it kept are
	// answered; empty means PhaseSample.
	Then Phase
	// Delay is how long PhaseWait is to wait.
	Delay Delay
	// Fault is the kind a cure is under way for; empty when the last reply was
	// fine.
	Fault FaultKind

	// Spent counts what each recovery layer did in this turn, by budget name.
	Spent map[string]int
	// HookObjections counts the stop hook's objections in a row; above 0 the
	// continuation under way was caused by one.
	HookObjections int
	// Nudges is what the token budget's nudges have brought so far.
	Nudges Nudges
	// Windows holds context windows that servers told in their errors, by
	// "provider/model"; they overrule the catalogue.
	Windows map[string]int64
	// Tally is what has been spent, by cause.
	Tally Tally
	// RunBase is the tally at the start of this run.
	RunBase Tally

	// growing lets add write to the array behind Messages: nobody else has it.
	// Only a Folding sets it, and never lets such a State out.
	growing bool
}

// Nudges counts token budget continuations of a run.
type Nudges struct {
	Count  int
	Before int64 // output tokens of the run at the last nudge
	Poor   int   // nudges in a row that brought little
}

// Delay is a time to wait.
type Delay struct {
	For     time.Duration // without jitter
	Jitter  bool          // the driver waits a random share of For (full jitter)
	Attempt int           // from 1
	Why     string        // for people
}

// CallState is one call of the newest reply and how far it has come.
type CallState struct {
	Call    message.Call
	Verdict Verdict
	Started bool                // recorded as begun: it changes something and may have run
	Result  *message.ToolResult // recorded as finished
}

// Verdict is what was decided about a call.
type Verdict struct {
	CallID string `json:"call_id"`
	// Decision is Allow, Ask or Deny; Answer turns Ask into one of the others.
	Decision Decision `json:"decision"`
	// Status is the status of the result that a denied call gets; zero means
	// message.StatusDenied.
	Status message.Status `json:"status,omitempty"`
	Reason string         `json:"reason,omitempty"` // for the model and the user
	Rule   string         `json:"rule,omitempty"`   // the rule that decided
	Hint   string         `json:"hint,omitempty"`   // for the user: what would allow it
	Safe   bool           `json:"safe,omitempty"`   // may run beside other safe calls
}

// Decision is what may happen to a call.
type Decision string

// The decisions. The zero value is none: not judged yet.
const (
	Allow Decision = "allow"
	Ask   Decision = "ask"
	Deny  Decision = "deny"
)

// busy reports whether a run is under way.
func (s State) busy() bool { return s.Phase != PhaseIdle && s.Phase != "" }

// started reports whether a call of the newest reply may have changed
// something.
func (s State) started() bool {
	return slices.ContainsFunc(s.Calls, func(c CallState) bool { return c.Started })
}

// add is s with messages appended to the record.
func (s State) add(ms ...*message.Message) State {
	if !s.growing {
		s.Messages = slices.Clip(s.Messages)
	}
	s.Messages = append(s.Messages, ms...)
	return s
}

// spend is s with one more charged to a budget.
func (s State) spend(budget string) State {
	spent := make(map[string]int, len(s.Spent)+1)
	for k, v := range s.Spent {
		spent[k] = v
	}
	spent[budget]++
	s.Spent = spent
	return s
}

// fresh is s with everything reset that belongs to a turn.
func (s State) fresh() State {
	s.Spent, s.Model, s.MaxOutput, s.Then, s.Delay, s.Fault = nil, "", 0, "", Delay{}, ""
	s.Cause = CauseTurn
	return s
}

// stop is s on its way to a Terminal.
func (s State) stop(t Terminal) State {
	s.Phase, s.Terminal = PhaseStop, &t
	return s
}

// move is s with a transition recorded.
func (s State) move(t Transition) State {
	t.N, t.Turn = s.Last.N+1, s.Turn
	s.Last = t
	return s
}
