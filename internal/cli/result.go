package cli

import (
	"errors"

	"github.com/daruma-dev/daruma/loop"
	"github.com/daruma-dev/daruma/message"
)

// result is the object that a run in json and stream-json ends with. Scripts
// read it: members are added, never changed or removed.
type result struct {
	Type     string `json:"type"` // "result"
	Subtype  string `json:"subtype"`
	IsError  bool   `json:"is_error"`
	Terminal string `json:"terminal_reason"`
	Result   string `json:"result"` // the answer, as far as there is one
	Session  string `json:"session_id"`
	Turns    int    `json:"num_turns"`

	Transitions []loop.Reason `json:"transitions"`
	Usage       usageJSON     `json:"usage"`
	Cost        *float64      `json:"total_cost_usd"` // null when a price or a usage is not known
	Ledger      []charge      `json:"ledger"`         // what the cost is made of
	Duration    int64         `json:"duration_ms"`
	Denials     []denial      `json:"permission_denials"`
	Errors      []string      `json:"errors"`
	Hint        string        `json:"hint,omitempty"` // what to do about the errors
}

// usageJSON is a usage with the names that scripts know.
type usageJSON struct {
	Input      int64 `json:"input_tokens"`
	Output     int64 `json:"output_tokens"`
	CacheRead  int64 `json:"cache_read_input_tokens"`
	CacheWrite int64 `json:"cache_creation_input_tokens"`
}

func usageOf(u message.Usage) usageJSON {
	return usageJSON{Input: u.Input, Output: u.Output, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite}
}

// charge is one line of the ledger.
type charge struct {
	Cause      string    `json:"cause"`
	Model      string    `json:"model"`
	Requests   int       `json:"requests"`
	Usage      usageJSON `json:"usage"`
	Wasted     int64     `json:"wasted_output_tokens,omitempty"`
	Unreported int       `json:"unreported_requests,omitempty"`
}

// The subtypes of a result.
const (
	subtypeSuccess = "success"
	subtypeTurns   = "error_max_turns"
	subtypeBudget  = "error_max_budget_usd"
	subtypeError   = "error_during_execution"
)

// Terminal reasons where there is no loop.Terminal.
const (
	reasonUsage = "usage_error"    // nothing was begun
	reasonOwn   = "internal_error" // the program could not do its own part
)

// result is the outcome as scripts get it.
func (o *outcome) result() result {
	r := result{
		Type: "result", Subtype: subtype(o.terminal.Reason), Terminal: string(o.terminal.Reason),
		Result: o.text, Session: o.session, Turns: o.turns,
		Transitions: append([]loop.Reason{}, o.transitions...), // a list, never null
		Usage:       usageOf(o.tally.Usage()),
		Ledger:      []charge{},
		Duration:    o.took.Milliseconds(),
		Denials:     append([]denial{}, o.denials...),
		Errors:      []string{},
	}
	for _, c := range o.tally {
		r.Ledger = append(r.Ledger, charge{
			Cause: c.Cause, Model: c.Model, Requests: c.Requests, Usage: usageOf(c.Usage), Wasted: c.Waste, Unreported: c.Unreported,
		})
	}
	if o.priced {
		r.Cost = &o.usd
	}
	if o.err != nil {
		r.Subtype, r.Terminal = subtypeError, reasonOf(o.err)
	}
	if r.Subtype != subtypeSuccess {
		r.IsError = true
		text, hint := o.words()
		r.Errors, r.Hint = append(r.Errors, text), hint
	}
	return r
}

func subtype(end loop.End) string {
	switch end {
	case loop.Completed:
		return subtypeSuccess
	case loop.MaxTurns:
		return subtypeTurns
	case loop.BudgetExhausted:
		return subtypeBudget
	case loop.BlockingLimit, loop.PromptTooLong, loop.MediaError, loop.OutputLimit, loop.ModelError, loop.AbortedStreaming,
		loop.AbortedTools, loop.StopHookPrevented, loop.HookStopped:
		return subtypeError
	default: // an outcome without a run
		return subtypeError
	}
}

// reasonOf names the reason of an error that no run ended with.
func reasonOf(err error) string {
	var s signalError
	switch code := codeOf(err); {
	case errors.As(err, &s):
		return string(loop.AbortedStreaming)
	case code == exitUsage:
		return reasonUsage
	default:
		return reasonOwn
	}
}
