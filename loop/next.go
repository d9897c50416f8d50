package loop

import (
	"fmt"

	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/model"
)

// Next is the command that is owed now. It is pure: equal states give equal
// commands.
func (m *Machine) Next(s State) Command {
	switch s.Phase {
	case PhaseSample:
		return m.nextSample(s)
	case PhaseVet:
		return Vet{Calls: unjudged(s.Calls)}
	case PhaseAsk:
		return AskUser{Questions: questions(s.Calls)}
	case PhaseExecute:
		return Execute{Calls: s.Calls}
	case PhaseAttach:
		return Attach{}
	case PhaseConsult:
		return Consult{Reply: newestReply(s), Active: s.HookObjections > 0}
	case PhaseWait:
		return Wait{Delay: s.Delay, Fault: s.Fault}
	case PhaseRefresh:
		return Refresh{Model: m.model(s)}
	case PhaseCompact:
		v := m.view(s)
		return Compact{Model: v.Model, View: v, Why: v.Compact}
	case PhaseStop:
		return Stop{Terminal: *s.Terminal}
	case PhaseIdle, "":
		return Stop{Terminal: Terminal{Reason: Completed, Detail: "there is nothing to do"}}
	default:
		panic(fmt.Sprintf("loop: unhandled phase %q", string(s.Phase)))
	}
}

// nextSample prepares the view and asks the model, unless a stage says that the
// request cannot be sent as it is.
func (m *Machine) nextSample(s State) Command {
	v := m.view(s)
	switch {
	case v.Block != nil:
		return Stop{Terminal: *v.Block}
	case v.Compact != "":
		return Compact{Model: v.Model, View: v, Why: v.Compact}
	}
	_, id := model.Split(v.Model)
	attempt := 1
	for _, n := range s.Spent {
		attempt += n
	}
	return Sample{
		Model: v.Model, Tokens: v.Tokens, Window: v.Window, Cause: s.Cause, Attempt: attempt, Notes: v.Notes,
		Request: &model.Request{
			Model: id, System: v.System, Tools: v.Tools, Messages: Normalise(v.Messages, v.Model),
			MaxTokens: v.Output, Effort: m.Effort, CacheMarks: true,
		},
	}
}

// unjudged lists the calls without a verdict.
func unjudged(calls []CallState) []message.Call {
	var out []message.Call
	for _, c := range calls {
		if c.Verdict.Decision == "" {
			out = append(out, c.Call)
		}
	}
	return out
}

// questions lists the calls that only the user can decide on.
func questions(calls []CallState) []Question {
	var qs []Question
	for _, c := range calls {
		if c.Verdict.Decision == Ask {
			qs = append(qs, Question{Call: c.Call, Verdict: c.Verdict})
		}
	}
	return qs
}

// newestReply is the last assistant message, or nil.
func newestReply(s State) *message.Message {
	for i := len(s.Messages) - 1; i >= 0; i-- {
		if s.Messages[i].Role == message.Assistant {
			return s.Messages[i]
		}
	}
	return nil
}
