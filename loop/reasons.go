package loop

import (
	"fmt"

	"github.com/daruma-dev/daruma/model"
)

// Reason says why the loop went on. The set is closed (specification, 1).
type Reason string

// The reasons to go on.
const (
	NextTurn                Reason = "next_turn"                  // tools ran; their results go to the model
	CollapseDrainRetry      Reason = "collapse_drain_retry"       // input too long; staged folds were committed
	ReactiveCompactRetry    Reason = "reactive_compact_retry"     // input too long; emergency compaction was done
	MaxOutputTokensEscalate Reason = "max_output_tokens_escalate" // output cut off; same input, higher limit
	MaxOutputTokensRecovery Reason = "max_output_tokens_recovery" // still cut off; the model was told to go on
	StopHookBlocking        Reason = "stop_hook_blocking"         // a stop hook objected
	TokenBudgetContinuation Reason = "token_budget_continuation"  // the token budget is not used up
	ModelFallback           Reason = "model_fallback"             // same turn on the next model
)

// Reasons lists every Reason.
func Reasons() []Reason {
	return []Reason{
		NextTurn, CollapseDrainRetry, ReactiveCompactRetry, MaxOutputTokensEscalate,
		MaxOutputTokensRecovery, StopHookBlocking, TokenBudgetContinuation, ModelFallback,
	}
}

// Transition records one going-on.
type Transition struct {
	N       int    `json:"n"` // counts the session's transitions, from 1; 0 means none yet
	Reason  Reason `json:"reason"`
	Turn    int    `json:"turn"`              // the turn it leads to
	Layer   string `json:"layer,omitempty"`   // the recovery layer behind it
	Attempt int    `json:"attempt,omitempty"` // which try of that layer in this turn, from 1
	Cause   string `json:"cause,omitempty"`   // what happened, in one line
}

// End says why the loop stopped. The set is closed (specification, 1).
type End string

// The reasons to stop.
const (
	Completed         End = "completed"
	BlockingLimit     End = "blocking_limit"
	PromptTooLong     End = "prompt_too_long"
	MediaError        End = "media_error"
	OutputLimit       End = "output_limit"
	ModelError        End = "model_error"
	AbortedStreaming  End = "aborted_streaming"
	AbortedTools      End = "aborted_tools"
	StopHookPrevented End = "stop_hook_prevented"
	HookStopped       End = "hook_stopped"
	MaxTurns          End = "max_turns"
	BudgetExhausted   End = "budget_exhausted"
)

// Ends lists every End.
func Ends() []End {
	return []End{
		Completed, BlockingLimit, PromptTooLong, MediaError, OutputLimit, ModelError, AbortedStreaming,
		AbortedTools, StopHookPrevented, HookStopped, MaxTurns, BudgetExhausted,
	}
}

// Terminal is the value a run ends with.
type Terminal struct {
	Reason End          `json:"reason"`
	Detail string       `json:"detail,omitempty"` // what exactly: the error, the hook, the limit
	Hint   string       `json:"hint,omitempty"`   // what the user can do next
	Err    *model.Error `json:"error,omitempty"`  // the failure behind it, where there is one
}

// OK reports whether the run reached its goal.
func (t Terminal) OK() bool { return t.Reason == Completed }

// String is one line for people.
func (t Terminal) String() string {
	switch {
	case t.Detail != "":
		return fmt.Sprintf("%s: %s", t.Reason, t.Detail)
	case t.Err != nil:
		return fmt.Sprintf("%s: %v", t.Reason, t.Err)
	default:
		return string(t.Reason)
	}
}
