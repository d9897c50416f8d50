package loop

import (
	"fmt"

	"github.com/daruma-dev/daruma/message"
)

// The rules of the token budget (specification, 3.5).
const (
	budgetShare    = 90  // nudge below this percentage
	poorNudge      = 500 // tokens; a nudge that brought fewer was of little use
	nudgesAtLeast  = 3   // before returns may be called diminishing
	poorNudgesStop = 2   // so many poor ones in a row end it
)

// consulted is the end of a run that has nothing left to do, or a reason to go
// on after all. The order is the specification's, 3.5.
func (m *Machine) consulted(s State, r Consulted) State {
	switch {
	case r.Prevented != "":
		return s.stop(Terminal{Reason: StopHookPrevented, Detail: r.Prevented})
	case r.Objection != "":
		return m.objected(s, r.Objection)
	case len(s.Queue) > 0:
		return s.stop(Terminal{Reason: Completed}) // what the user typed starts the next run
	}
	if t, over := m.overBudget(s); over {
		return s.stop(t)
	}
	if next, ok := m.nudge(s); ok {
		return next
	}
	return s.stop(Terminal{Reason: Completed})
}

// objected goes on with the stop hook's words, up to the cap on objections.
func (m *Machine) objected(s State, words string) State {
	if s.HookObjections >= m.objections() {
		return s.stop(Terminal{
			Reason: Completed,
			Detail: fmt.Sprintf("a stop hook still objected after %d tries: %s", s.HookObjections, words),
		})
	}
	s.HookObjections++
	return m.goOn(s, words, message.FromHook, CauseHook, Transition{
		Reason: StopHookBlocking, Attempt: s.HookObjections, Cause: words,
	})
}

// nudge asks for more while the token budget is not used up and asking helps.
func (m *Machine) nudge(s State) (State, bool) {
	budget := m.Limits.TokenBudget
	if budget <= 0 {
		return s, false
	}
	used := s.Tally.Since(s.RunBase).Usage().Output
	n := s.Nudges
	if n.Count > 0 {
		n.Poor++
		if used-n.Before >= poorNudge {
			n.Poor = 0
		}
	}
	percent := used * 100 / budget
	if percent >= budgetShare || n.Count >= nudgesAtLeast && n.Poor >= poorNudgesStop {
		return s, false
	}
	n.Count++
	n.Before = used
	s.Nudges = n
	text := fmt.Sprintf("%d%% of the token budget is used. Keep working on the task; do not summarise.", percent)
	return m.goOn(s, text, message.FromLoop, CauseBudget, Transition{
		Reason: TokenBudgetContinuation, Attempt: n.Count, Cause: fmt.Sprintf("%d%% of %d tokens used", percent, budget),
	}), true
}

// goOn starts another turn with a message that is not the user's. A turn that
// an emergency compaction was spent on keeps that on its account, so that hook
// and compaction cannot take turns for ever.
func (m *Machine) goOn(s State, text string, origin message.Origin, cause string, t Transition) State {
	if m.Limits.MaxTurns > 0 && s.Turn >= m.Limits.MaxTurns {
		return s.stop(m.tooManyTurns())
	}
	s = s.say(text, origin)
	compacted := s.Spent[ReactiveCompact]
	s.Turn++
	s = s.fresh()
	if compacted > 0 {
		s.Spent = map[string]int{ReactiveCompact: compacted}
	}
	s.Phase, s.Cause = PhaseSample, cause
	return s.move(t)
}

// ReactiveCompact is the name of the layer, and of its budget, that survives a
// stop hook's objection.
const ReactiveCompact = "reactive_compact"

func (m *Machine) tooManyTurns() Terminal {
	return Terminal{
		Reason: MaxTurns, Detail: fmt.Sprintf("the limit of %d turns was reached", m.Limits.MaxTurns),
		Hint: "raise --max-turns, or continue the session with --continue",
	}
}

// overBudget reports whether the run has used what it may.
func (m *Machine) overBudget(s State) (Terminal, bool) {
	run := s.Tally.Since(s.RunBase)
	if b := m.Limits.TokenBudget; b > 0 && run.Usage().Output >= b {
		return Terminal{
			Reason: BudgetExhausted, Detail: fmt.Sprintf("%d of %d output tokens are used", run.Usage().Output, b),
			Hint: "raise --token-budget, or continue the session with --continue",
		}, true
	}
	if limit := m.Limits.MaxCost; limit > 0 {
		if usd, _ := run.Cost(m.lookup()); usd >= limit {
			return Terminal{
				Reason: BudgetExhausted, Detail: fmt.Sprintf("$%.4f of $%.4f are spent", usd, limit),
				Hint: "raise --max-cost, or continue the session with --continue",
			}, true
		}
	}
	return Terminal{}, false
}
