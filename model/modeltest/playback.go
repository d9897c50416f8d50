package modeltest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/model"
)

// playback plays one reply as events. It ends by setting over, and counts the
// events of the wire, not its own, so that a reply is cut at the same place
// here and on a [Server].
type playback struct {
	ctx   context.Context //nolint:containedctx // lives for one call of Stream
	yield func(model.Event, error) bool
	idle  time.Duration
	admitted
	reply Reply
	n     int // which reply this is, from 1

	quiet  time.Time // since when nothing came
	opened bool
	parts  int // parts sent
	events int // wire events sent
	over   bool
}

func (p *playback) play() {
	for _, s := range p.reply.steps {
		if opens(s) {
			p.open()
		}
		if p.over {
			return
		}
		p.step(s)
	}
	p.open()
	p.finish()
}

func (p *playback) step(s step) {
	switch s := s.(type) {
	case startStep:
	case textStep:
		p.entry.text(s.text)
		p.part(model.DeltaText, s.text, message.Text{Text: s.text})
	case thinkingStep:
		t := message.Thinking{Text: s.text, Signature: signature(s.signature, p.n, p.parts)}
		p.entry.thinking(t.Text, t.Signature)
		p.part(model.DeltaThinking, s.text, t)
	case callStep:
		p.entry.call(s.id)
		p.part(model.DeltaInput, s.input, callPart(s))
	case blockStep:
		b := newBlock(s.raw)
		p.entry.block(b)
		p.part(b.kind(), b.input, b.part())
	case pingStep, rawStep:
		p.emit(model.Alive{})
	case waitStep:
		p.pause(s.pause, false)
	case stallStep:
		p.pause(0, true)
	case cutStep:
		p.cut()
	case errorStep:
		e := &model.Error{Provider: provider, Status: http.StatusOK, Type: s.kind, Message: s.message}
		classify(e)
		p.fail(e)
	case failureStep:
		p.fail(s.asError())
	case bodyStep:
		p.fail(s.asError())
	default:
		panic(fmt.Sprintf("modeltest: unhandled step %T", s))
	}
}

// open sends the start of the reply once.
func (p *playback) open() {
	if p.opened || p.over {
		return
	}
	p.opened = true
	if p.reply.limit == 1 {
		p.fail(cutOff())
		return
	}
	u := p.usage
	u.Output = min(u.Output, 1)
	p.emit(model.Started{ID: replyID(p.n), Model: p.model, Wire: wireName, Usage: u})
}

// part sends a whole part, streamed as its text.
func (p *playback) part(kind model.DeltaKind, text string, part message.Part) {
	i := p.parts
	started := model.PartStarted{Index: i, Kind: kind}
	if c, ok := part.(message.Call); ok {
		started.CallID, started.Name = c.ID, c.Name
	}
	p.emit(started)
	if kind == model.DeltaInput && text != "" {
		p.count() // the wire's first piece of an input is empty
	}
	for _, piece := range pieces(text) {
		p.emit(model.Delta{Index: i, Kind: kind, Text: piece})
	}
	if t, ok := part.(message.Thinking); ok && t.Raw == nil {
		p.count() // the signature is an event of its own on the wire
	}
	p.emit(model.PartDone{Index: i, Part: part})
	p.parts++
}

// finish sends Done, which is two events on the wire.
func (p *playback) finish() {
	p.count()
	if p.reply.ending() == message.StopPause {
		p.entry.pause()
	}
	u := p.usage
	done := model.Done{Stop: p.reply.ending(), Detail: p.reply.detail, Usage: &u}
	if p.reply.mute {
		done.Usage = nil
	}
	p.reply.limit = 0 // nothing is left to cut
	p.emit(done)
	p.over = true
}

// emit yields an event unless the reply is over or its context is.
func (p *playback) emit(e model.Event) {
	if p.over {
		return
	}
	if p.ctx.Err() != nil {
		p.fail(canceled(p.ctx))
		return
	}
	if !p.yield(e, nil) {
		p.over = true
		return
	}
	p.quiet = time.Now()
	p.count()
}

// count counts one event of the wire and cuts after the last that is allowed.
func (p *playback) count() {
	p.events++
	if p.reply.limit > 0 && p.events >= p.reply.limit-1 {
		p.fail(cutOff())
	}
}

func (p *playback) fail(e *model.Error) {
	if !p.over {
		p.over = true
		p.yield(nil, e)
	}
}

func (p *playback) cut() {
	if p.opened {
		p.fail(cutOff())
		return
	}
	p.fail(&model.Error{Kind: model.Network, Provider: provider, Message: "the connection was closed", Err: io.EOF})
}

func cutOff() *model.Error {
	return &model.Error{
		Kind: model.Cut, Provider: provider, Status: http.StatusOK,
		Message: "the stream ended early", Err: io.ErrUnexpectedEOF,
	}
}

func canceled(ctx context.Context) *model.Error {
	return &model.Error{Kind: model.Canceled, Provider: provider, Err: context.Cause(ctx)}
}

var errIdle = errors.New("the stream went silent")

// pause waits, for ever if it is a stall, but not beyond the idle timeout and
// the context.
func (p *playback) pause(d time.Duration, stall bool) {
	var wake, idle <-chan time.Time
	if !stall {
		t := time.NewTimer(d)
		defer t.Stop()
		wake = t.C
	}
	if p.idle > 0 {
		t := time.NewTimer(time.Until(p.quiet.Add(p.idle)))
		defer t.Stop()
		idle = t.C
	}
	select {
	case <-wake:
	case <-idle:
		p.fail(&model.Error{
			Kind: model.Stalled, Provider: provider, Status: http.StatusOK,
			Message: fmt.Sprintf("nothing came for %s", p.idle), Err: errIdle,
		})
	case <-p.ctx.Done():
		p.fail(canceled(p.ctx))
	}
}

func replyID(n int) string { return fmt.Sprintf("msg_%06d", n) }

// signature is the given one, or one that is unique for the part.
func signature(given string, n, part int) string {
	if given != "" {
		return given
	}
	return fmt.Sprintf("sig_%06d_%d", n, part)
}

// callPart is the call as a client reports it: input that never came is the
// empty object.
func callPart(s callStep) message.Call {
	c := message.Call{ID: s.id, Name: s.name, Input: []byte(s.input)}
	if s.input == "" {
		c.Input = []byte("{}")
	}
	return c
}
