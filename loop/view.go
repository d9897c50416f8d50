package loop

import (
	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/model"
)

// View is what the model would get to see, on its way through the stages. It
// starts as the whole record, or as what follows its newest summary; a stage may leave out or shorten, never change
// the record itself. It is a value: a stage that changes Messages makes a new
// slice.
type View struct {
	Messages []*message.Message
	System   []model.Block
	Tools    []model.Tool

	Model  string // "provider/model"
	Window int64  // tokens; 0 when unknown
	Output int64  // tokens the reply may take
	// Tokens is the size of the whole input: what the provider last reported,
	// plus an estimate of what was added since.
	Tokens int64

	Notes []Note
	// Block, when set, ends the run instead of sending the request.
	Block *Terminal
	// Compact, when not empty, says why older messages must be summarised
	// before the request can be sent.
	Compact string
}

// Stage is one step of the preparation. Do is pure and idempotent.
type Stage struct {
	Name string
	Do   func(View) View
}

// note is v with one more note.
func (v View) note(n Note) View {
	v.Notes = append(v.Notes[:len(v.Notes):len(v.Notes)], n)
	return v
}

// Note is v with a stage's note added.
func (v View) Note(stage, text string, freed int64) View {
	return v.note(Note{Stage: stage, Text: text, Freed: freed})
}

// view is the record as the model would see it, before and after the stages.
func (m *Machine) view(s State) View {
	name := m.model(s)
	in := m.info(s, name)
	v := View{
		Messages: s.Messages[s.From:], Tools: m.Tools, Model: name,
		Window: in.Window, Output: m.maxOutput(s, in),
	}
	for _, st := range m.Stages {
		v = st.Do(v)
	}
	return v
}
