package loop

import (
	"slices"
	"strings"
	"time"

	"github.com/daruma-dev/daruma/message"
)

// Entry is one line of a session's journal: a result, and what the machine
// decided on it at the time.
type Entry struct {
	Seq    int64 // counts the session's entries, from 1
	Time   time.Time
	Result Result
	// Made holds the messages that the machine itself added, such as an
	// instruction to resume. Those a Result brings are not repeated.
	Made []*message.Message
	// Transition is set when the result made the loop go on.
	Transition *Transition
	// Sync asks that the entry be on disk, not only written, when Record
	// returns: something is about to depend on it. It is not stored.
	Sync bool
}

// NewEntry describes the step from one state to the next.
func NewEntry(prev, next State, r Result) Entry {
	e := Entry{Result: r}
	for _, m := range next.Messages[len(prev.Messages):] {
		if made(m) && m.Origin != message.FromTools {
			e.Made = append(e.Made, m)
		}
	}
	if next.Last != prev.Last {
		t := next.Last
		e.Transition = &t
	}
	switch r.(type) {
	case Began, Ended:
		e.Sync = true
	case Received, Finished, Sampled, Vetted, Answered, Executed, Attached, Consulted, Waited, Refreshed, Compacted,
		Interrupted, Resumed:
	}
	return e
}

func made(m *message.Message) bool { return strings.HasPrefix(m.ID, madePrefix) }

// Fold applies recorded entries to a state, as [Run] did when it recorded them.
// What the machine decided then is trusted, not decided anew: where this
// machine would say something else (another version, other limits), the
// entry's words stand.
func (m *Machine) Fold(s State, entries ...Entry) State {
	f := m.Folding(s)
	for _, e := range entries {
		f.Add(e)
	}
	return f.State()
}

// Folding is [Machine.Fold] one entry at a time. It takes time in proportion to
// what is added, where a Fold for each entry would copy the record each time: a
// session of 100 MB is loaded in seconds, not in minutes. It is for one
// goroutine.
type Folding struct {
	m *Machine
	s State // its record is ours alone, so that it may grow in place
}

// Folding begins a fold at a state, which stays as it is.
func (m *Machine) Folding(s State) *Folding {
	s.Messages = slices.Clone(s.Messages)
	s.growing = true
	return &Folding{m, s}
}

// Add applies the next entry.
func (f *Folding) Add(e Entry) { f.s = f.m.fold(f.s, e) }

// Apply applies a result that no entry holds, such as one that stands for
// entries that were lost.
func (f *Folding) Apply(r Result) { f.s = f.m.Apply(f.s, r) }

// State is where the fold stands. Later entries do not change it.
func (f *Folding) State() State {
	s := f.s
	s.Messages, s.growing = slices.Clip(s.Messages), false
	return s
}

func (m *Machine) fold(prev State, e Entry) State {
	s := m.Apply(prev, e.Result)
	if again := NewEntry(prev, s, e.Result); !sameDecision(again, e) {
		s = adopt(prev, s, e)
	}
	return s
}

// Differs reports whether the machine, given prev, would decide otherwise than
// the entry says.
func (m *Machine) Differs(prev State, e Entry) bool {
	return !sameDecision(NewEntry(prev, m.Apply(prev, e.Result), e.Result), e)
}

func sameDecision(a, b Entry) bool {
	sameT := a.Transition == nil && b.Transition == nil ||
		a.Transition != nil && b.Transition != nil && *a.Transition == *b.Transition
	return sameT && slices.EqualFunc(a.Made, b.Made, message.Equal)
}

// adopt replaces what this machine decided by what the entry says.
func adopt(prev, s State, e Entry) State {
	added := slices.DeleteFunc(slices.Clone(s.Messages[len(prev.Messages):]), func(m *message.Message) bool {
		return made(m) && m.Origin != message.FromTools
	})
	s.Messages = prev.Messages
	s = s.add(added...).add(e.Made...)
	s.Last = prev.Last
	if e.Transition != nil {
		s.Last, s.Turn = *e.Transition, e.Transition.Turn
	}
	return s
}
