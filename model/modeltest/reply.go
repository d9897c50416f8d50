package modeltest

import (
	"regexp"
	"strings"
	"time"

	"github.com/daruma-dev/daruma/message"
)

// Reply is one scripted reply: its parts and faults in order, how it ends and
// what it costs. It is a value: the methods return a longer copy and leave
// their receiver alone. The zero Reply has no content and ends well.
//
// The stream opens at the first step that belongs into it. What stands before
// it, such as a wait, comes before the first byte of the answer.
type Reply struct {
	steps  []step
	stop   message.StopReason // empty: follows from the steps
	detail string
	usage  *message.Usage // nil: counted
	mute   bool           // report no usage
	limit  int            // events after which the connection is cut, plus one; 0: never
	chunk  int            // bytes written at once; 0: a whole event
	guard  guard
	repeat int // 0 counts as 1
}

// guard says which requests a reply is for. The zero guard lets all pass.
type guard struct {
	text string         // has to occur in the request
	re   *regexp.Regexp // has to match it
}

func (g guard) admits(req Request) bool {
	switch {
	case g.re != nil:
		return g.re.Match(req.Body())
	case g.text != "":
		return strings.Contains(string(req.Body()), g.text)
	default:
		return true
	}
}

// Say is a reply with one text.
func Say(text string) Reply { return Reply{}.Text(text) }

// Call is a reply with one call; add more with [Reply.Call].
func Call(id, name, input string) Reply { return Reply{}.Call(id, name, input) }

// Think is a reply that starts with thinking.
func Think(text, signature string) Reply { return Reply{}.Thinking(text, signature) }

// HTTP is a status answer with the error type and the message that usually go
// with it. For other details use [Failure].
func HTTP(status int) Reply { return Failure{Status: status}.Reply() }

// Body is an answer that is not the protocol's, such as a proxy's web page.
func Body(status int, mime, text string) Reply {
	return Reply{}.with(bodyStep{status, mime, text})
}

func (r Reply) with(s step) Reply {
	r.steps = append(r.steps[:len(r.steps):len(r.steps)], s)
	return r
}

// Then adds the steps of next, and takes over how next ends.
func (r Reply) Then(next Reply) Reply {
	for _, s := range next.steps {
		r = r.with(s)
	}
	if next.stop != "" {
		r.stop, r.detail = next.stop, next.detail
	}
	if next.usage != nil || next.mute {
		r.usage, r.mute = next.usage, next.mute
	}
	return r
}

// Start opens the stream, for a fault right after it.
func (r Reply) Start() Reply { return r.with(startStep{}) }

// Text adds a text part.
func (r Reply) Text(text string) Reply { return r.with(textStep{text: text}) }

// CutText adds a text part that the output limit cut off.
func (r Reply) CutText(text string) Reply { return r.with(textStep{text: text, cut: true}) }

// Thinking adds a thinking part. An empty signature stands for a unique one.
func (r Reply) Thinking(text, signature string) Reply {
	return r.with(thinkingStep{text, signature})
}

// Call adds a call. Its input is sent to the byte, also when it is not JSON;
// empty means that no input is sent at all, as for a call without parameters.
func (r Reply) Call(id, name, input string) Reply {
	return r.with(callStep{id: id, name: name, input: input})
}

// CutCall adds a call whose input the output limit cut off.
func (r Reply) CutCall(id, name, input string) Reply {
	return r.with(callStep{id: id, name: name, input: input, cut: true})
}

// Block adds a content block given as JSON, which must be an object with a
// "type".
func (r Reply) Block(raw string) Reply { return r.with(blockStep{raw}) }

// Ping adds a sign of life.
func (r Reply) Ping() Reply { return r.with(pingStep{}) }

// Wait pauses.
func (r Reply) Wait(pause time.Duration) Reply { return r.with(waitStep{pause}) }

// Stall stays open and silent until the other side goes.
func (r Reply) Stall() Reply { return r.with(stallStep{}) }

// Cut closes the connection.
func (r Reply) Cut() Reply { return r.with(cutStep{}) }

// CutAfter closes the connection after n events of the stream in all. With 0
// the answer's headers are all that comes.
func (r Reply) CutAfter(n int) Reply {
	r.limit = n + 1
	return r
}

// Error sends an error event inside the stream and ends it.
func (r Reply) Error(kind, message string) Reply { return r.with(errorStep{kind, message}) }

// Raw writes bytes into the stream. A [Client], which has no bytes, takes them
// for a sign of life.
func (r Reply) Raw(text string) Reply { return r.with(rawStep{text}) }

// Usage sets what the reply reports to have cost. Without it the tokens are
// counted (see [CountTokens]).
func (r Reply) Usage(u message.Usage) Reply {
	r.usage, r.mute = &u, false
	return r
}

// NoUsage makes the reply report no usage.
func (r Reply) NoUsage() Reply {
	r.usage, r.mute = nil, true
	return r
}

// End sets the stop reason. Without it, a part that was cut off makes it
// [message.StopLength], a call [message.StopTool], and all else
// [message.StopEnd].
func (r Reply) End(stop message.StopReason) Reply {
	r.stop = stop
	return r
}

// Refuse ends the reply as a refusal with an explanation.
func (r Reply) Refuse(explanation string) Reply {
	r.stop, r.detail = message.StopRefusal, explanation
	return r
}

// Bytes makes a [Server] write n bytes at a time, which splits characters and
// events.
func (r Reply) Bytes(n int) Reply {
	r.chunk = n
	return r
}

// When keeps the reply for a request that contains the text. See [Replies].
func (r Reply) When(text string) Reply {
	r.guard = guard{text: text}
	return r
}

// WhenMatch keeps the reply for a request that matches the regular
// expression. See [Replies].
func (r Reply) WhenMatch(re *regexp.Regexp) Reply {
	r.guard = guard{re: re}
	return r
}

// Repeat makes the reply stand for n equal ones.
func (r Reply) Repeat(n int) Reply {
	r.repeat = n
	return r
}

// ending is the stop reason, from the steps where none was set.
func (r Reply) ending() message.StopReason {
	if r.stop != "" {
		return r.stop
	}
	stop := message.StopEnd
	for _, s := range r.steps {
		switch s := s.(type) {
		case textStep:
			if s.cut {
				return message.StopLength
			}
		case callStep:
			if s.cut {
				return message.StopLength
			}
			stop = message.StopTool
		}
	}
	return stop
}

// output estimates the tokens of the reply's own content.
func (r Reply) output() int64 {
	var n int64
	for _, s := range r.steps {
		switch s := s.(type) {
		case textStep:
			n += tokens(len(s.text))
		case thinkingStep:
			n += tokens(len(s.text))
		case callStep:
			n += tokens(len(s.name)+len(s.input)) + callOverhead
		case blockStep:
			n += tokens(len(s.raw))
		}
	}
	return n
}
