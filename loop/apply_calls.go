package loop

import (
	"slices"

	"github.com/daruma-dev/daruma/message"
)

// began notes that a call which changes something is about to run. While its
// reply is streaming this also records the reply so far.
func (m *Machine) began(s State, r Began) State {
	if len(r.Parts) > 0 {
		var parts message.Parts
		if s.Partial != nil && s.Partial.ID == r.ID {
			parts = s.Partial.Parts
		}
		s.Partial = &message.Message{
			ID: r.ID, Role: message.Assistant, Origin: message.FromModel, Model: r.Model, Wire: r.Wire,
			Parts: append(parts[:len(parts):len(parts)], r.Parts...),
		}
		s.Calls = callStates(s.Partial.Calls(), s.Calls)
	}
	return s.onCall(r.CallID, func(c *CallState) { c.Started = true })
}

// finished keeps the result of a call that began.
func (m *Machine) finished(s State, r Finished) State {
	return s.onCall(r.Result.CallID, func(c *CallState) { c.Result = &r.Result })
}

// vetted takes in the verdicts.
func (m *Machine) vetted(s State, r Vetted) State {
	for _, v := range r.Verdicts {
		s = s.onCall(v.CallID, func(c *CallState) { c.Verdict = v })
	}
	s.Phase = PhaseExecute
	if len(questions(s.Calls)) > 0 {
		s.Phase = PhaseAsk
	}
	return s
}

// answered takes in the user's answers. A question without an answer is a no.
func (m *Machine) answered(s State, r Answered) State {
	for _, q := range questions(s.Calls) {
		v := q.Verdict
		v.Decision = Deny
		for _, a := range r.Answers {
			if a.CallID != q.Call.ID {
				continue
			}
			if a.Allow {
				v.Decision = Allow
			} else if a.Reason != "" {
				v.Reason = a.Reason
			}
		}
		s = s.onCall(v.CallID, func(c *CallState) { c.Verdict = v })
	}
	s.Phase = PhaseExecute
	return s
}

// executed puts the results into the record, in the order of the calls, and
// checks what bounds the run.
func (m *Machine) executed(s State, r Executed) State {
	for _, res := range r.Results {
		s = s.onCall(res.CallID, func(c *CallState) { c.Result = &res })
	}
	s = s.answerCalls(r.ID, func(c message.Call) message.ToolResult {
		return answer(c, message.StatusError, "The tool gave no result. This is a fault of the program, not of the call.")
	})
	switch {
	case r.Stopped != "":
		return s.stop(Terminal{Reason: HookStopped, Detail: r.Stopped})
	case s.Terminal != nil: // only what had begun was left to do
		return s.stop(*s.Terminal)
	case m.Limits.MaxTurns > 0 && s.Turn >= m.Limits.MaxTurns:
		return s.stop(m.tooManyTurns())
	}
	if t, over := m.overBudget(s); over {
		return s.stop(t)
	}
	s.Phase = PhaseAttach
	return s
}

// close is s with a result of that status for every call that has none.
func (s State) close(status message.Status, text string) State {
	return s.answerCalls(s.madeID(), func(c message.Call) message.ToolResult { return answer(c, status, text) })
}

// answerCalls moves the results of all calls into the record as one message;
// missing makes those that are not there.
func (s State) answerCalls(id string, missing func(message.Call) message.ToolResult) State {
	if len(s.Calls) == 0 {
		return s
	}
	parts := make(message.Parts, len(s.Calls))
	for i, c := range s.Calls {
		if c.Result != nil {
			parts[i] = *c.Result
		} else {
			parts[i] = missing(c.Call)
		}
	}
	s.Calls = nil
	return s.add(&message.Message{ID: id, Role: message.User, Origin: message.FromTools, Parts: parts})
}

func answer(c message.Call, status message.Status, text string) message.ToolResult {
	return message.ToolResult{CallID: c.ID, Name: c.Name, Status: status, Text: text}
}

// onCall is s with one call changed; a call it does not have changes nothing.
func (s State) onCall(id string, change func(*CallState)) State {
	i := slices.IndexFunc(s.Calls, func(c CallState) bool { return c.Call.ID == id })
	if i < 0 {
		return s
	}
	return s.setCall(i, change)
}

func (s State) setCall(i int, change func(*CallState)) State {
	s.Calls = slices.Clone(s.Calls)
	change(&s.Calls[i])
	return s
}

// callStates makes the states of a reply's calls and keeps what is known of
// those that were recorded while it was streaming.
func callStates(calls []message.Call, known []CallState) []CallState {
	out := make([]CallState, len(calls))
	for i, c := range calls {
		out[i] = CallState{Call: c}
		if j := slices.IndexFunc(known, func(k CallState) bool { return k.Call.ID == c.ID }); j >= 0 {
			out[i] = known[j]
		}
	}
	return out
}
