package modeltest

import "time"

// step is one thing a reply does, in order: send a part, or misbehave. The set
// is closed; [Client] and [Server] each have one switch over it.
type step interface{ isStep() }

type (
	// startStep opens the stream without sending a part.
	startStep struct{}
	// textStep sends a text part. cut marks it as ended by the output limit.
	textStep struct {
		text string
		cut  bool
	}
	// thinkingStep sends a thinking part. An empty signature stands for one
	// that is made up, unique for the reply and the part.
	thinkingStep struct{ text, signature string }
	// callStep sends a call; input is sent as it is, whether it is JSON or not.
	callStep struct {
		id, name, input string
		cut             bool
	}
	// blockStep sends a content block as raw JSON.
	blockStep struct{ raw string }
	// pingStep is a sign of life.
	pingStep struct{}
	// waitStep pauses, then goes on.
	waitStep struct{ pause time.Duration }
	// stallStep is silent until the other side goes.
	stallStep struct{}
	// cutStep closes the connection.
	cutStep struct{}
	// errorStep is an error event inside the stream.
	errorStep struct{ kind, message string }
	// failureStep answers with a status instead of a stream.
	failureStep struct{ Failure }
	// bodyStep answers with some other body instead of a stream.
	bodyStep struct {
		status     int
		mime, text string
	}
	// rawStep writes bytes into the stream.
	rawStep struct{ text string }
)

func (startStep) isStep()    {}
func (textStep) isStep()     {}
func (thinkingStep) isStep() {}
func (callStep) isStep()     {}
func (blockStep) isStep()    {}
func (pingStep) isStep()     {}
func (waitStep) isStep()     {}
func (stallStep) isStep()    {}
func (cutStep) isStep()      {}
func (errorStep) isStep()    {}
func (failureStep) isStep()  {}
func (bodyStep) isStep()     {}
func (rawStep) isStep()      {}

// opens reports whether a step is part of a stream, so that the stream has to
// be open before it. What comes before the stream decides its own answer.
func opens(s step) bool {
	switch s.(type) {
	case waitStep, stallStep, cutStep, failureStep, bodyStep:
		return false
	default:
		return true
	}
}

// minPiece and maxPieces bound how a part is split into deltas: small parts
// come in a few pieces, so that readers have to join them, and large ones do
// not turn into thousands of events.
const (
	minPiece  = 24 // bytes
	maxPieces = 64
)

// pieces splits a part's text into the deltas it is streamed as. The pieces
// break at characters, as those of the real service do, but anywhere in a JSON
// escape.
func pieces(text string) []string {
	size := max(minPiece, (len(text)+maxPieces-1)/maxPieces)
	var out []string
	for len(text) > size {
		n := size
		for n < len(text) && text[n]&0xC0 == 0x80 {
			n++
		}
		out, text = append(out, text[:n]), text[n:]
	}
	if text != "" {
		out = append(out, text)
	}
	return out
}
