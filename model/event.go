package model

import "github.com/daruma-dev/daruma/message"

// Event is one step of a reply: [Started], [PartStarted], [Delta], [PartDone],
// [Done] or [Alive]. The set is closed.
type Event interface{ isEvent() }

//sumtype:decl

// Started opens the reply. Usage holds what is known so far, usually the input
// alone.
type Started struct {
	ID    string // the provider's id of the reply
	Model string // the model that answers, as the provider names it
	// Wire is the protocol that the Raw fields of the parts belong to; it
	// becomes message.Message.Wire. Empty means the provider's name.
	Wire  string
	Usage message.Usage
}

// DeltaKind says what a [PartStarted] or [Delta] belongs to.
type DeltaKind string

// The kinds of streamed content.
const (
	DeltaText     DeltaKind = "text"
	DeltaThinking DeltaKind = "thinking"
	DeltaInput    DeltaKind = "input" // JSON text of a call's input
	DeltaOpaque   DeltaKind = "opaque"
)

// PartStarted says that a part has begun. CallID and Name are set for calls.
type PartStarted struct {
	Index  int
	Kind   DeltaKind
	CallID string
	Name   string
}

// Delta is a piece of the part that is open, for display only: what counts is
// PartDone.
type Delta struct {
	Index int
	Kind  DeltaKind
	Text  string
}

// PartDone is a finished part. It is final: nothing that happens later changes
// or withdraws it, though the loop may drop the whole reply.
type PartDone struct {
	Index int
	Part  message.Part
}

// Done ends the reply.
type Done struct {
	Stop   message.StopReason
	Detail string         // the provider's explanation, as for a refusal; often empty
	Usage  *message.Usage // the whole reply; nil when the provider reported none
}

// Alive is a sign of life that carries nothing, such as a ping. Watchdogs count
// it.
type Alive struct{}

func (Started) isEvent()     {}
func (PartStarted) isEvent() {}
func (Delta) isEvent()       {}
func (PartDone) isEvent()    {}
func (Done) isEvent()        {}
func (Alive) isEvent()       {}
