package loop

import (
	"fmt"

	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/model"
)

// Apply folds one result into the state and leaves s as it was. It is pure:
// equal arguments give equal states. Each kind of result has one method.
func (m *Machine) Apply(s State, r Result) State {
	switch r := r.(type) {
	case Received:
		return m.received(s, r)
	case Began:
		return m.began(s, r)
	case Finished:
		return m.finished(s, r)
	case Sampled:
		return m.sampled(s, r)
	case Vetted:
		return m.vetted(s, r)
	case Answered:
		return m.answered(s, r)
	case Executed:
		return m.executed(s, r)
	case Attached:
		return m.attached(s, r)
	case Consulted:
		return m.consulted(s, r)
	case Waited:
		s.Phase, s.Delay = PhaseSample, Delay{}
		return s
	case Refreshed:
		return m.refreshed(s, r)
	case Compacted:
		return m.compacted(s, r)
	case Interrupted:
		return m.interrupted(s)
	case Resumed:
		return m.resumed(s, r)
	case Ended:
		return m.ended(s, r)
	default:
		panic(fmt.Sprintf("loop: unhandled result %T", r))
	}
}

// received starts a run, or keeps the message until the run under way can take
// it in. A turn that was not asked for yet can: the message is in its request.
// A turn that is tried again cannot, because a retry is the same request.
func (m *Machine) received(s State, r Received) State {
	switch {
	case !s.busy():
		return s.begin(r.Message)
	case s.Phase == PhaseSample && s.Fault == "" && s.Partial == nil:
		return s.add(r.Message)
	default:
		s.Queue = append(s.Queue[:len(s.Queue):len(s.Queue)], r.Message)
		return s
	}
}

// begin starts a run with what the user said.
func (s State) begin(ms ...*message.Message) State {
	s = s.add(ms...).fresh()
	s.Phase, s.Turn, s.Terminal = PhaseSample, 1, nil
	s.HookObjections, s.Nudges, s.RunBase = 0, Nudges{}, s.Tally
	return s
}

// attached closes the turn: what was gathered and what the user typed meanwhile
// joins the record, and the results go to the model. The budgets of the turn
// are reset, unless its reply was itself damaged: a model that is cut off in
// turn after turn must not get new attempts each time. Such a turn may also owe
// what a layer planned.
func (m *Machine) attached(s State, r Attached) State {
	s = s.add(r.Messages...).add(s.Queue...)
	s.Queue = nil
	s.Turn++
	if s.Fault == "" {
		s = s.fresh()
	}
	s.Phase, s.Cause = PhaseSample, CauseTurn
	if s.Then != "" {
		s.Phase, s.Then = s.Then, ""
	}
	return s.move(Transition{Reason: NextTurn})
}

// refreshed tries again with new credentials, or gives up with the failure
// that asked for them.
func (m *Machine) refreshed(s State, r Refreshed) State {
	if r.OK {
		s.Phase = PhaseSample
		return s
	}
	return s.stop(Terminal{Reason: ModelError, Detail: r.Detail, Hint: hints[s.Fault]})
}

// compacted lets the view start at the summary. Without one the request cannot
// be made to fit.
func (m *Machine) compacted(s State, r Compacted) State {
	if r.Summary == nil {
		return s.stop(Terminal{Reason: PromptTooLong, Detail: r.Failed, Hint: hints[FaultKind(model.Overflow)]})
	}
	s.From = len(s.Messages)
	s = s.add(r.Summary)
	s.Phase = PhaseSample
	return s
}

// interrupted ends the run at the user's wish. Calls that have no result get
// one that says so.
func (m *Machine) interrupted(s State) State {
	switch s.Phase {
	case PhaseVet, PhaseAsk, PhaseExecute, PhaseAttach:
		return s.close(message.StatusCancelled, interruptedText).stop(Terminal{Reason: AbortedTools})
	case PhaseStop, PhaseIdle, "":
		return s
	case PhaseSample, PhaseConsult, PhaseWait, PhaseRefresh, PhaseCompact:
		return s.close(message.StatusCancelled, interruptedText).stop(Terminal{Reason: AbortedStreaming})
	default:
		panic(fmt.Sprintf("loop: unhandled phase %q", string(s.Phase)))
	}
}

// The texts of results that calls get without having run to their end.
const (
	interruptedText = "Not run to its end: the user interrupted. If it matters what it did so far, check before repeating it."
	notStartedText  = "Not run: the session ended before this call started."
	unknownText     = "Interrupted, outcome unknown: the process ended while this call ran. Check what it did before repeating it."
	goOnText        = "The user interrupted your answer and now wants you to go on with it."
	cutOffText      = "Not run: the call was cut off at the output limit. Send it again in smaller parts."
)

// resumed mends what a dead process left: a reply that was being streamed is
// kept as far as it was recorded, and every open call is answered. The user
// has the word, unless the run is to go on and a reply is owed: one that came
// whole is not asked for again.
func (m *Machine) resumed(s State, r Resumed) State {
	owed := s.Owed()
	if s.Partial != nil {
		s = s.add(s.Partial)
		s.Partial = nil
	}
	for i, c := range s.Calls {
		if c.Result == nil && c.Started {
			s = s.setCall(i, func(c *CallState) { c.Result = ptr(answer(c.Call, message.StatusInterrupted, unknownText)) })
		}
	}
	s = s.close(message.StatusCancelled, notStartedText)
	s = s.add(s.Queue...)
	s.Queue, s.Terminal = nil, nil
	s.Phase = PhaseIdle
	if !r.Continue || !owed {
		return s
	}
	if s.Messages[len(s.Messages)-1].Role == message.Assistant { // interrupted in the middle of an answer
		s = s.say(goOnText, message.FromLoop)
	}
	return s.begin()
}

// Owed reports whether the session stopped before its work was done, so that a
// Resumed with Continue goes on.
func (s State) Owed() bool {
	n := len(s.Messages)
	switch {
	case n == 0:
		return false
	case len(s.Calls) > 0 || s.Messages[n-1].Role == message.User:
		return true
	default:
		return s.Terminal != nil && !s.Terminal.OK()
	}
}

// ended closes the run. What the user typed during its last moments starts the
// next one.
func (m *Machine) ended(s State, r Ended) State {
	s = s.close(message.StatusCancelled, notStartedText)
	s.Phase, s.Terminal = PhaseIdle, &r.Terminal
	if len(s.Queue) > 0 {
		queue := s.Queue
		s.Queue = nil
		return s.begin(queue...)
	}
	return s
}

// say is s with a message from the loop, which the user does not see.
func (s State) say(text string, origin message.Origin) State {
	return s.add(&message.Message{
		ID: s.madeID(), Role: message.User, Origin: origin, Parts: message.Parts{message.Text{Text: text}},
	})
}

// madeID names a message that Apply makes. It is unique in the session because
// the record only grows.
func (s State) madeID() string { return fmt.Sprintf("%s%d", madePrefix, len(s.Messages)) }

const madePrefix = "loop-"

func ptr[T any](v T) *T { return &v }
