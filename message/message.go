package message

import (
	"sync/atomic"
	"time"
)

// Role says whose turn a message is. There are only two on every wire we speak;
// system text is not a message but part of the request.
type Role string

// The two roles.
const (
	User      Role = "user"
	Assistant Role = "assistant"
)

// Origin says who put a message into the conversation. The model sees only
// the role; people and traces see the origin.
type Origin string

// The origins. The zero value counts as FromUser for user messages and
// FromModel for assistant messages.
const (
	FromUser       Origin = "user"       // typed or piped in by the user
	FromModel      Origin = "model"      // a reply
	FromTools      Origin = "tools"      // results of calls
	FromAttachment Origin = "attachment" // gathered between turns: changed files, skills, memory
	FromHook       Origin = "hook"       // a stop hook's objection
	FromLoop       Origin = "loop"       // written by the loop: repair or budget notes
	FromResume     Origin = "resume"     // tells the model to go on where its output was cut off
	FromSummary    Origin = "summary"    // stands for older messages after a compaction
	ForDisplay     Origin = "display"    // shown to people, never sent to a model
)

// StopReason says why the model ended its reply. The names follow the
// Anthropic wire; other wires are mapped onto them.
type StopReason string

// The stop reasons. The zero value means that the reply has not ended.
const (
	StopEnd      StopReason = "end_turn"
	StopTool     StopReason = "tool_use"
	StopLength   StopReason = "max_tokens" // cut off at the output limit
	StopSequence StopReason = "stop_sequence"
	StopPause    StopReason = "pause_turn" // the provider's own tools want another request
	StopRefusal  StopReason = "refusal"
	StopWindow   StopReason = "model_context_window_exceeded" // output filled the window
	StopCompact  StopReason = "compaction"
)

// Message is one entry of a conversation. Make it, fill it, then share its
// pointer and leave it alone: it may be read by many goroutines.
type Message struct {
	ID     string     `json:"id"`
	Role   Role       `json:"role"`
	Origin Origin     `json:"origin,omitempty"`
	Parts  Parts      `json:"parts"`
	Model  string     `json:"model,omitempty"` // who wrote an assistant message, as "provider/model"
	Wire   string     `json:"wire,omitempty"`  // protocol the Raw fields of its parts belong to, such as "anthropic"
	Stop   StopReason `json:"stop,omitempty"`
	Usage  *Usage     `json:"usage,omitempty"` // what the reply cost; nil when the provider did not say
	Pinned bool       `json:"pinned,omitempty"`
	Time   time.Time  `json:"time,omitzero"`

	memo atomic.Pointer[memo] // forms derived from the message; never part of its value
}

// NewUser is a user message with one text part.
func NewUser(id, text string) *Message {
	return &Message{ID: id, Role: User, Origin: FromUser, Parts: Parts{Text{Text: text}}}
}

// Text is the message's text parts, joined without separator.
func (m *Message) Text() string {
	var n int
	for _, p := range m.Parts {
		if t, ok := p.(Text); ok {
			n += len(t.Text)
		}
	}
	if n == 0 {
		return ""
	}
	b := make([]byte, 0, n)
	for _, p := range m.Parts {
		if t, ok := p.(Text); ok {
			b = append(b, t.Text...)
		}
	}
	return string(b)
}

// Calls lists the message's tool calls in order. It is nil when there are none.
func (m *Message) Calls() []Call {
	var calls []Call
	for _, p := range m.Parts {
		if c, ok := p.(Call); ok {
			calls = append(calls, c)
		}
	}
	return calls
}

// Results lists the message's tool results in order. It is nil when there are
// none.
func (m *Message) Results() []ToolResult {
	var rs []ToolResult
	for _, p := range m.Parts {
		if r, ok := p.(ToolResult); ok {
			rs = append(rs, r)
		}
	}
	return rs
}

// With is a copy of m with other parts and no memo. The copy has m's ID: it is
// another view of the same message.
func (m *Message) With(parts Parts) *Message {
	return &Message{
		ID: m.ID, Role: m.Role, Origin: m.Origin, Parts: parts, Model: m.Model, Wire: m.Wire,
		Stop: m.Stop, Usage: m.Usage, Pinned: m.Pinned, Time: m.Time,
	}
}

// memo is one derived form in a short list; there are as many as there are
// wires and models in use, so one or two.
type memo struct {
	key   string
	value any
	next  *memo
}

// Memo returns the value that make gave for key the first time, and calls make
// only then. It is for forms that depend on the message and the key alone, such
// as its bytes on one wire. Two goroutines that ask at once may both call make;
// one result is kept.
func (m *Message) Memo(key string, make func() any) any {
	head := m.memo.Load()
	for e := head; e != nil; e = e.next {
		if e.key == key {
			return e.value
		}
	}
	v := make()
	m.memo.Store(&memo{key: key, value: v, next: head})
	return v
}
