package loop

import (
	"maps"
	"strings"

	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/model"
)

// sampled judges a reply. A good one joins the record and its calls are due; a
// damaged one goes to the recovery layers, unless something in it has already
// run: then it is kept as far as it came, and the loop goes on from there.
func (m *Machine) sampled(s State, r Sampled) State {
	reply := s.whole(r)
	s.Partial = nil
	f := m.diagnose(s, reply, r)
	s = m.charge(s, r, f)
	switch {
	case f == nil:
		s.Fault = ""
		return s.accept(reply)
	case f.Kind == FaultKind(model.Canceled):
		return s.keep(reply).close(message.StatusCancelled, interruptedText).stop(Terminal{Reason: AbortedStreaming})
	}
	s = m.learn(s, *f)
	if s.started() {
		return m.salvage(s, *f)
	}
	s.Calls = nil
	return m.recover(s, *f)
}

// whole is the reply with the parts that were recorded while it streamed. It is
// nil when there is nothing.
func (s State) whole(r Sampled) *message.Message {
	switch {
	case r.Reply == nil:
		return s.Partial
	case s.Partial == nil || s.Partial.ID != r.Reply.ID:
		return r.Reply
	default:
		p := s.Partial.Parts
		return r.Reply.With(append(p[:len(p):len(p)], r.Reply.Parts...))
	}
}

// diagnose is what is wrong with a reply, and the limits it was asked for with.
func (m *Machine) diagnose(s State, reply *message.Message, r Sampled) *Fault {
	f := diagnose(reply, r)
	if f != nil {
		in := m.info(s, m.model(s))
		f.Output, f.OutputMax = m.maxOutput(s, in), in.MaxOutput
	}
	return f
}

// diagnose says what is wrong with a reply; nil means nothing.
func diagnose(reply *message.Message, r Sampled) *Fault {
	f := &Fault{Err: r.Err, Reply: reply, Detail: r.Detail}
	switch {
	case r.Err != nil:
		f.Kind = FaultKind(r.Err.Kind)
	case reply == nil:
		f.Kind = EmptyReply
	case reply.Stop == message.StopLength || reply.Stop == message.StopWindow:
		f.Kind = OutputCut
	case reply.Stop == message.StopRefusal:
		f.Kind = Refused
	case reply.Stop == message.StopPause:
		f.Kind = Paused
	case len(reply.Calls()) == 0 && strings.TrimSpace(reply.Text()) == "":
		f.Kind = EmptyReply
	default:
		return nil
	}
	return f
}

// charge enters the request in the tally.
func (m *Machine) charge(s State, r Sampled, f *Fault) State {
	if r.NoAnswer {
		return s
	}
	wasted := f != nil && !s.started() && f.Kind != Paused
	usage := r.Usage
	if usage == nil && r.Reply != nil {
		usage = r.Reply.Usage
	}
	s.Tally = s.Tally.Charge(s.Cause, r.Model, usage, wasted)
	return s
}

// learn keeps the window that a server told in its error.
func (m *Machine) learn(s State, f Fault) State {
	if f.Kind != FaultKind(model.Overflow) || f.Err == nil || f.Err.Limit <= 0 {
		return s
	}
	w := maps.Clone(s.Windows)
	if w == nil {
		w = map[string]int64{}
	}
	w[m.model(s)] = f.Err.Limit
	s.Windows = w
	return s
}

// accept puts a good reply into the record; its calls are due, or the stop
// hooks.
func (s State) accept(reply *message.Message) State {
	s = s.keep(reply)
	if len(s.Calls) > 0 {
		return s.due()
	}
	s.Phase = PhaseConsult
	return s
}

// keep puts the reply into the record, as far as there is one.
func (s State) keep(reply *message.Message) State {
	if reply == nil || len(reply.Parts) == 0 {
		s.Calls = nil
		return s
	}
	s.Calls = callStates(reply.Calls(), s.Calls)
	return s.add(reply)
}

// due asks for verdicts on the newest reply's calls.
func (s State) due() State {
	s.Phase = PhaseVet
	return s
}

// cutOff denies the call at the end of a reply that was cut off at the output
// limit: what it would do is not what the model meant, even where its JSON
// happens to be whole.
func (s State) cutOff(f Fault) State {
	if f.Kind != OutputCut || f.Reply == nil || len(s.Calls) == 0 {
		return s
	}
	parts := f.Reply.Parts
	last, ok := parts[len(parts)-1].(message.Call)
	if !ok {
		return s
	}
	return s.onCall(last.ID, func(c *CallState) {
		if !c.Started {
			c.Verdict = Verdict{CallID: last.ID, Decision: Deny, Status: message.StatusCutOff, Reason: cutOffText}
		}
	})
}

// recover follows the first layer that has a plan. Without one the run ends.
func (m *Machine) recover(s State, f Fault) State {
	plan, layer, ok := m.plan(s, f)
	if !ok {
		return m.giveUp(s, f)
	}
	return s.follow(plan, layer, f)
}

// salvage is recover for a reply in which something has run already: it is kept
// as far as it came, and its calls are brought to their end first. It costs the
// same budgets, so a stream that breaks in turn after turn ends the run like
// any other.
func (m *Machine) salvage(s State, f Fault) State {
	plan, layer, ok := m.plan(s, f)
	if !ok {
		s.Fault, s.Terminal = f.Kind, ptr(f.terminal(s))
		return s.keep(f.Reply).cutOff(f).due()
	}
	plan.Keep = true
	return s.follow(plan, layer, f)
}

// plan is that of the first layer which has one.
func (m *Machine) plan(s State, f Fault) (p Plan, layer string, ok bool) {
	for _, l := range m.Layers {
		if p, ok = l.Plan(s, f); ok {
			return p, l.Name(), true
		}
	}
	return Plan{}, "", false
}

// follow does what a layer planned.
func (s State) follow(p Plan, layer string, f Fault) State {
	budget := orElse(p.Spend, layer)
	s = s.spend(budget)
	s.Fault, s.Phase, s.Delay = f.Kind, p.Step, p.Delay
	s.Cause = orElse(p.Cause, layer)
	if p.MaxOutput > 0 {
		s.MaxOutput = p.MaxOutput
	}
	s.Model = orElse(p.Model, s.Model)
	if p.Keep {
		s = s.keep(f.Reply).cutOff(f)
	}
	if p.Say != "" && len(s.Calls) == 0 { // results come first; a cut-off call's result says it too
		s = s.say(p.Say, message.Origin(orElse(string(p.Origin), string(message.FromLoop))))
	}
	if p.Reason != "" {
		s = s.move(Transition{Reason: p.Reason, Layer: layer, Attempt: s.Spent[budget], Cause: f.String()})
	}
	if len(s.Calls) > 0 {
		s.Then = p.Step
		return s.due() // a kept reply's calls are answered before anything else
	}
	return s
}

// giveUp ends the run after a fault that no layer cures. What the user has seen
// of a cut-off answer stays; an empty reply is an answer, if a poor one.
func (m *Machine) giveUp(s State, f Fault) State {
	if f.Kind == EmptyReply {
		return s.accept(f.Reply)
	}
	if f.Kind == OutputCut {
		s = s.keep(f.Reply).cutOff(f).close(message.StatusCancelled, notStartedText)
	}
	return s.stop(f.terminal(s))
}

func orElse(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
