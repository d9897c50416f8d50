package modeltest

import (
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/daruma-dev/daruma/message"
)

// playWhole answers with one JSON document, for a request that asks for no
// stream.
func (x *exchange) playWhole(n int, reply Reply, a admitted) {
	content := []json.RawMessage{}
	for _, s := range reply.steps {
		switch s := s.(type) {
		case textStep:
			a.entry.text(s.text)
			content = append(content, mustMarshal(wireTextOut{"text", s.text}))
		case thinkingStep:
			sig := signature(s.signature, n, len(content))
			a.entry.thinking(s.text, sig)
			content = append(content, mustMarshal(wireThinkingOut{"thinking", s.text, sig}))
		case callStep:
			a.entry.call(s.id)
			content = append(content, encodeCall(callPart(s)))
		case blockStep:
			a.entry.block(newBlock(s.raw))
			content = append(content, json.RawMessage(s.raw))
		case waitStep:
			x.wait(s.pause)
		case stallStep:
			x.wait(-1)
		case cutStep:
			x.cut()
		case errorStep:
			x.fail(Failure{Status: statusOf(s.kind), Type: s.kind, Message: s.message})
			return
		case failureStep:
			x.fail(s.Failure)
			return
		case bodyStep:
			x.answer(s.status, s.mime, []byte(s.text))
			return
		case startStep, pingStep, rawStep: // there is no stream
		default:
			panic(fmt.Sprintf("modeltest: unhandled step %T", s))
		}
	}
	if reply.limit > 0 {
		x.cut()
	}
	stop := reply.ending()
	if stop == message.StopPause {
		a.entry.pause()
	}
	out, err := fieldsOf(mustMarshal(wireReplyOut{
		ID: replyID(n), Type: "message", Role: message.Assistant, Model: a.model,
		Stop: &stop, StopDetails: stopDetails(reply), Usage: usageOut(a.usage, reply.mute),
	}))
	if err != nil {
		panic(err) // it was made just now
	}
	x.json(http.StatusOK, out.replace("content", encodeList(content)).encode())
}
