package modeltest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/daruma-dev/daruma/message"
)

// stream writes one reply to the wire.
type stream struct {
	*exchange
	admitted
	reply  Reply
	n      int // which reply this is, from 1
	out    *http.ResponseController
	opened bool
	parts  int // blocks sent
	events int // events sent
}

// play answers with a stream.
func (x *exchange) play(n int, reply Reply, a admitted) {
	st := &stream{exchange: x, admitted: a, reply: reply, n: n, out: http.NewResponseController(x.w)}
	for _, s := range reply.steps {
		if opens(s) {
			st.open()
		}
		if !st.step(s) {
			return
		}
	}
	st.open()
	st.finish()
}

// step does one step and reports whether the reply goes on.
func (st *stream) step(s step) bool {
	switch s := s.(type) {
	case startStep:
	case textStep:
		st.entry.text(s.text)
		st.block([]byte(`{"type":"text","text":""}`), textDelta, s.text)
	case thinkingStep:
		st.thinking(s.text, signature(s.signature, st.n, st.parts))
	case callStep:
		st.entry.call(s.id)
		st.input(mustMarshal(wireCallOut{"tool_use", s.id, s.name, []byte("{}")}), s.input)
	case blockStep:
		b := newBlock(s.raw)
		st.entry.block(b)
		st.input(b.start, b.input)
	case pingStep:
		st.event("ping", `{"type":"ping"}`)
	case waitStep:
		st.wait(s.pause)
	case stallStep:
		st.wait(-1)
	case cutStep:
		st.cut()
	case errorStep:
		f := Failure{Type: s.kind, Message: s.message}
		st.event("error", string(errorBody(f, st.requestID())))
		return false
	case failureStep:
		st.fail(s.Failure)
		return false
	case bodyStep:
		st.answer(s.status, s.mime, []byte(s.text))
		return false
	case rawStep:
		st.write(s.text)
	default:
		panic(fmt.Sprintf("modeltest: unhandled step %T", s))
	}
	return true
}

// open sends the headers and the start of the reply once.
func (st *stream) open() {
	if st.opened {
		return
	}
	st.opened = true
	st.w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	st.w.Header().Set("Cache-Control", "no-cache")
	st.head(http.StatusOK)
	st.flush()
	if st.reply.limit == 1 {
		st.cut()
	}
	u := st.usage
	u.Output = min(u.Output, 1)
	start := wireStartOut{Type: "message_start", Message: wireReplyOut{
		ID: replyID(st.n), Type: "message", Role: message.Assistant, Model: st.model,
		Content: []json.RawMessage{}, Usage: usageOut(u, st.reply.mute),
	}}
	st.event(start.Type, string(mustMarshal(start)))
}

func (st *stream) thinking(text, signature string) {
	st.entry.thinking(text, signature)
	st.blockStart([]byte(`{"type":"thinking","thinking":"","signature":""}`))
	st.deltas(thinkingDelta, text)
	st.delta(signatureDelta(signature))
	st.blockStop()
}

// input sends a block whose input comes in pieces, of which the first is
// empty, as it is from the service.
func (st *stream) input(start []byte, input string) {
	st.blockStart(start)
	if input != "" {
		st.delta(inputDelta(""))
	}
	st.deltas(inputDelta, input)
	st.blockStop()
}

func (st *stream) block(start []byte, delta func(string) any, text string) {
	st.blockStart(start)
	st.deltas(delta, text)
	st.blockStop()
}

func (st *stream) blockStart(block []byte) {
	// Put together by hand, as json.Marshal would change the block's bytes.
	st.event("content_block_start", fmt.Sprintf(`{"type":"content_block_start","index":%d,"content_block":%s}`, st.parts, block))
}

func (st *stream) deltas(delta func(string) any, text string) {
	for _, piece := range pieces(text) {
		if st.server.options.Pace > 0 {
			st.wait(st.server.options.Pace)
		}
		st.delta(delta(piece))
	}
}

func (st *stream) delta(delta any) {
	ev := wireDeltaOut{Type: "content_block_delta", Index: st.parts, Delta: delta}
	st.event(ev.Type, string(mustMarshal(ev)))
}

func (st *stream) blockStop() {
	st.event("content_block_stop", fmt.Sprintf(`{"type":"content_block_stop","index":%d}`, st.parts))
	st.parts++
}

func (st *stream) finish() {
	end := wireEndOut{Type: "message_delta", Usage: usageOut(st.usage, st.reply.mute)}
	end.Delta.Stop, end.Delta.Details = st.reply.ending(), stopDetails(st.reply)
	if end.Delta.Stop == message.StopPause {
		st.entry.pause()
	}
	st.event(end.Type, string(mustMarshal(end)))
	st.event("message_stop", `{"type":"message_stop"}`)
}

// event sends one event, and cuts the connection if it is the last allowed.
func (st *stream) event(name, data string) {
	st.write("event: " + name + "\ndata: " + strings.ReplaceAll(data, "\n", "\ndata: ") + "\n\n")
	st.events++
	if st.reply.limit > 0 && st.events >= st.reply.limit-1 {
		st.cut()
	}
}

// write sends bytes at once, or a few at a time where the reply wants that.
func (st *stream) write(text string) {
	size := len(text)
	if st.reply.chunk > 0 {
		size = st.reply.chunk
	}
	for len(text) > 0 {
		n := min(size, len(text))
		if _, err := st.w.Write([]byte(text[:n])); err != nil {
			st.left()
		}
		st.flush()
		text = text[n:]
	}
	if st.r.Context().Err() != nil {
		st.left()
	}
}

func (st *stream) flush() {
	if err := st.out.Flush(); err != nil {
		st.left()
	}
}
