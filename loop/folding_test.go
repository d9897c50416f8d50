package loop

import (
	"fmt"
	"runtime"
	"slices"
	"testing"

	"github.com/daruma-dev/daruma/message"
)

// chat is a session of n prompts, each with a reply.
func chat(n int) []Entry {
	m := &Machine{Model: "p/a"}
	var s State
	var es []Entry
	add := func(r Result) {
		next := m.Apply(s, r)
		es, s = append(es, NewEntry(s, next, r)), next
	}
	for i := range n {
		add(Received{Message: message.NewUser(fmt.Sprint("u", i), "hi")})
		add(Sampled{Model: "p/a", Reply: &message.Message{
			ID: fmt.Sprint("a", i), Role: message.Assistant, Stop: message.StopEnd, Parts: message.Parts{message.Text{Text: "ho"}},
		}})
		add(Consulted{})
		add(Ended{Terminal: Terminal{Reason: Completed}})
	}
	return es
}

// A folding grows its record in place, but nobody can see that: the states it
// began with and gave out stay as they are.
func TestFoldingChangesNoState(t *testing.T) {
	m := &Machine{Model: "p/a"}
	es := chat(4)
	begin := m.Fold(State{}, es[:4]...)
	begin.Messages = slices.Grow(begin.Messages, 10)
	was := show(begin)
	f := m.Folding(begin)
	var states []State
	var shown []string
	for _, e := range es[4:] {
		f.Add(e)
		states, shown = append(states, f.State()), append(shown, show(f.State()))
	}
	other := m.Folding(states[1])
	other.Apply(Received{Message: message.NewUser("x", "another way")})
	m.Apply(states[1], Received{Message: message.NewUser("y", "a third")})
	for i, s := range states {
		if show(s) != shown[i] {
			t.Errorf("state %d was changed by what came later", i)
		}
	}
	if show(begin) != was || begin.Messages[:cap(begin.Messages)][len(begin.Messages)] != nil {
		t.Error("the state it began with was changed")
	}
	if d := Diff(f.State(), m.Fold(State{}, es...)); d != "" {
		t.Error(d)
	}
}

// Twice as many entries take twice as many allocated bytes, not four times.
func TestFoldingIsLinear(t *testing.T) {
	m := &Machine{Model: "p/a"}
	bytes := func(n int) float64 {
		es := chat(n)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f := m.Folding(State{})
		for _, e := range es {
			f.Add(e)
		}
		runtime.ReadMemStats(&after)
		return float64(after.TotalAlloc - before.TotalAlloc)
	}
	if small, large := bytes(250), bytes(1000); large > 6*small {
		t.Errorf("four times the entries take %.1f times the memory", large/small)
	}
}
