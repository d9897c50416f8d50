package loop

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/model"
)

// stubborn is a layer that always wants to try again, up to its budget.
type stubborn struct {
	name   string
	budget int
	plan   Plan
}

func (l stubborn) Name() string { return l.name }

func (l stubborn) Plan(s State, _ Fault) (Plan, bool) {
	return l.plan, s.Spent[l.name] < l.budget
}

func testMachine() *Machine {
	return &Machine{
		Model:  "p/a",
		Limits: Limits{Objections: 2, TokenBudget: 10000},
		Layers: []Layer{
			stubborn{"wait", 2, Plan{Step: PhaseWait}},
			stubborn{"resume", 2, Plan{Step: PhaseSample, Keep: true, Say: "go on", Reason: MaxOutputTokensRecovery}},
			stubborn{"refresh", 1, Plan{Step: PhaseRefresh}},
			stubborn{"fallback", 1, Plan{Step: PhaseSample, Model: "p/b", Reason: ModelFallback}},
			stubborn{"compact", 1, Plan{Step: PhaseCompact, Reason: ReactiveCompactRetry}},
		},
	}
}

// anyAnswer is some result that the world may give to a command. Calls of good
// replies are drawn only from a purse, since each makes progress possible.
func anyAnswer(t *rapid.T, cmd Command, n int, purse *int) Result {
	if rapid.IntRange(0, 60).Draw(t, "interrupt") == 0 {
		return Interrupted{}
	}
	switch cmd := cmd.(type) {
	case Sample:
		return anyReply(t, n, purse)
	case Vet:
		var vs []Verdict
		for _, c := range cmd.Calls {
			d := rapid.SampledFrom([]Decision{Allow, Ask, Deny}).Draw(t, "verdict")
			vs = append(vs, Verdict{CallID: c.ID, Decision: d})
		}
		return Vetted{Verdicts: vs}
	case AskUser:
		var as []Answer
		for _, q := range cmd.Questions {
			if rapid.Bool().Draw(t, "answered") {
				as = append(as, Answer{CallID: q.Call.ID, Allow: rapid.Bool().Draw(t, "yes")})
			}
		}
		return Answered{Answers: as}
	case Execute:
		ex := Executed{ID: fmt.Sprint("r", n)}
		for _, c := range cmd.Calls {
			if rapid.IntRange(0, 9).Draw(t, "has result") > 0 && c.Result == nil {
				ex.Results = append(ex.Results, message.ToolResult{CallID: c.Call.ID, Status: message.StatusOK})
			}
		}
		if rapid.IntRange(0, 30).Draw(t, "hook") == 0 {
			ex.Stopped = "hook"
		}
		return ex
	case Attach:
		return Attached{}
	case Consult:
		return rapid.SampledFrom([]Result{
			Consulted{}, Consulted{Objection: "no"}, Consulted{Objection: "no"}, Consulted{Prevented: "stop"},
		}).Draw(t, "hook says")
	case Wait:
		return Waited{}
	case Refresh:
		return Refreshed{OK: rapid.Bool().Draw(t, "refreshed")}
	case Compact:
		if rapid.Bool().Draw(t, "compacted") {
			return Compacted{Summary: message.NewUser(fmt.Sprint("s", n), "summary")}
		}
		return Compacted{Failed: "no"}
	default:
		panic(fmt.Sprintf("unhandled command %T", cmd))
	}
}

func anyReply(t *rapid.T, n int, purse *int) Result {
	s := Sampled{Model: "p/a", Usage: &message.Usage{Output: int64(rapid.IntRange(0, 900).Draw(t, "tokens"))}}
	reply := &message.Message{ID: fmt.Sprint("m", n), Role: message.Assistant, Model: "p/a", Stop: message.StopEnd, Usage: s.Usage}
	for i := range rapid.IntRange(0, 2).Draw(t, "parts") {
		if *purse > 0 && rapid.Bool().Draw(t, "call") {
			*purse--
			reply.Parts = append(reply.Parts, message.Call{ID: fmt.Sprint("c", n, "-", i), Name: "x", Input: []byte(`{}`)})
		} else {
			reply.Parts = append(reply.Parts, message.Text{Text: "text"})
		}
	}
	switch rapid.IntRange(0, 3).Draw(t, "ends") {
	case 0:
		s.Err = &model.Error{Kind: rapid.SampledFrom(model.Kinds()).Draw(t, "kind")}
	case 1:
		reply.Stop = rapid.SampledFrom([]message.StopReason{
			message.StopLength, message.StopPause, message.StopRefusal, message.StopWindow,
		}).Draw(t, "stop")
	}
	if len(reply.Parts) > 0 || s.Err == nil {
		s.Reply = reply
	}
	if diagnose(s.Reply, s) != nil {
		*purse += len(reply.Calls())
	}
	return s
}

// began takes some calls of a reply as begun while it was streaming. What they
// record of it is left out of the reply.
func began(t *rapid.T, res Result) ([]Result, Result) {
	s, ok := res.(Sampled)
	if !ok || s.Reply == nil {
		return nil, res
	}
	var bs []Result
	from := 0
	for i, p := range s.Reply.Parts {
		c, ok := p.(message.Call)
		if !ok || !rapid.Bool().Draw(t, "begins early") {
			continue
		}
		bs = append(bs, Began{ID: s.Reply.ID, Model: "p/a", Parts: s.Reply.Parts[from : i+1], CallID: c.ID})
		from = i + 1
		if rapid.Bool().Draw(t, "ends early") {
			bs = append(bs, Finished{Result: message.ToolResult{CallID: c.ID, Status: message.StatusOK}})
		}
	}
	s.Reply = s.Reply.With(s.Reply.Parts[from:])
	return bs, s
}

// Whatever the world answers, the machine stops within a bound, leaves its
// arguments as they were, answers every call exactly once and in its place, and
// folds to the same state.
func TestMachineAlwaysEnds(t *testing.T) {
	m := testMachine()
	rapid.Check(t, func(t *rapid.T) {
		s := m.Apply(State{}, Received{Message: message.NewUser("p", "go")})
		entries := []Entry{NewEntry(State{}, s, Received{Message: message.NewUser("p", "go")})}
		purse := 5
		// Each clean turn with calls costs from the purse; between two of them
		// a turn has at most the layers' budgets, and the hooks and nudges of
		// the whole run come on top.
		const bound = (5+3+1)*(2+2+1+1+1+3)*6 + 100
		for n := 0; ; n++ {
			cmd := m.Next(s)
			if stop, ok := cmd.(Stop); ok {
				end := m.Apply(s, Ended(stop))
				entries = append(entries, NewEntry(s, end, Ended(stop)))
				s = end
				break
			}
			if n > bound {
				t.Fatalf("no end after %d steps", n)
			}
			if sample, ok := cmd.(Sample); ok {
				if why := validFor(sample.Request.Messages, sample.Model); why != "" {
					t.Fatalf("the request is not valid: %s", why)
				}
			}
			early, last := began(t, anyAnswer(t, cmd, n, &purse))
			for _, res := range append(early, last) {
				before := show(s)
				next := m.Apply(s, res)
				if show(s) != before {
					t.Fatalf("Apply(%T) changed its argument", res)
				}
				if d := Diff(next, m.Apply(s, res)); d != "" {
					t.Fatalf("Apply(%T) is not a function: %s", res, d)
				}
				entries = append(entries, NewEntry(s, next, res))
				s = next
			}
		}
		if s.Phase != PhaseIdle || s.Terminal == nil || len(s.Calls) > 0 {
			t.Fatalf("the end is not an end: %s", show(s))
		}
		if d := Diff(m.Fold(State{}, entries...), s); d != "" {
			t.Fatalf("the fold differs: %s", d)
		}
	})
}

// Every reason of the specification is a type, and each of those that this
// machine's parts can bring about is reached by some script or by the walk
// above; here the closed sets are pinned.
func TestReasonsAreTheSpecifications(t *testing.T) {
	if got, want := fmt.Sprint(Reasons()), "[next_turn collapse_drain_retry reactive_compact_retry max_output_tokens_escalate "+
		"max_output_tokens_recovery stop_hook_blocking token_budget_continuation model_fallback]"; got != want {
		t.Errorf("Reasons() = %s, want %s", got, want)
	}
	if got, want := fmt.Sprint(Ends()), "[completed blocking_limit prompt_too_long media_error output_limit model_error "+
		"aborted_streaming aborted_tools stop_hook_prevented hook_stopped max_turns budget_exhausted]"; got != want {
		t.Errorf("Ends() = %s, want %s", got, want)
	}
}

func TestEveryFaultHasATerminalAndAHint(t *testing.T) {
	for _, k := range FaultKinds() {
		term := Fault{Kind: k}.terminal(State{})
		if term.Detail == "" || term.Reason == "" {
			t.Errorf("%s ends as %+v", k, term)
		}
		unhinted := []FaultKind{EmptyReply, Paused, FaultKind(model.Canceled), FaultKind(model.Conflict)}
		if term.Hint == "" && !slices.Contains(unhinted, k) {
			t.Errorf("%s has no hint", k)
		}
	}
}

func TestFoldTrustsTheEntry(t *testing.T) {
	m := testMachine()
	s := m.Apply(State{}, Received{Message: message.NewUser("p", "go")})
	res := Sampled{Model: "p/a", Err: &model.Error{Kind: model.Overloaded}}
	e := NewEntry(s, m.Apply(s, res), res)
	e.Made = []*message.Message{{ID: "loop-1", Role: message.User, Origin: message.FromLoop, Parts: message.Parts{message.Text{Text: "old words"}}}}
	e.Transition = &Transition{N: 1, Reason: ModelFallback, Turn: 1}
	if !m.Differs(s, e) {
		t.Error("Differs does not see that the machine would decide otherwise")
	}
	got := m.Fold(s, e)
	if got.Messages[1].Text() != "old words" || got.Last != *e.Transition {
		t.Errorf("the entry was not trusted: %s", show(got))
	}
}
