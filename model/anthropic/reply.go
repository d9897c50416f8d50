package anthropic

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/daruma-dev/daruma/internal/sse"
	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/model"
)

// reply turns the events of the wire into those of the contract.
//
// The wire may send deltas of several blocks in turn; the contract has one part
// at a time. So the blocks that are open wait in order, only the first is
// reported as it grows, and the others when those before them are done.
type reply struct {
	req  *model.Request
	emit func(model.Event) bool

	started bool
	done    bool
	silent  bool // the event at hand led to no event of ours so far
	open    []*block
	parts   int      // parts announced so far: the Index of the next
	ids     []string // of this reply's calls
	stop    message.StopReason
	detail  string
	usage   usage
}

func newReply(req *model.Request, emit func(model.Event) bool) *reply {
	return &reply{req: req, emit: emit}
}

// event is the union of the wire's events.
type event struct {
	Type    string `json:"type"`
	Index   *int   `json:"index"`
	Message struct {
		ID    string    `json:"id"`
		Model string    `json:"model"`
		Usage wireUsage `json:"usage"`
	} `json:"message"`
	ContentBlock json.RawMessage `json:"content_block"`
	Delta        json.RawMessage `json:"delta"`
	Usage        wireUsage       `json:"usage"`
	Error        json.RawMessage `json:"error"`
}

// errorEvent is an error object that came inside the stream.
type errorEvent struct{ body []byte }

func (errorEvent) Error() string { return "anthropic: the server reports an error" }

// take handles one event of the wire. It returns errStopped when the consumer
// has enough; other errors say what is wrong with the event.
func (r *reply) take(in sse.Event) error {
	r.silent = true
	if err := r.handle(in); err != nil {
		return err
	}
	if r.silent {
		return r.send(model.Alive{})
	}
	return nil
}

func (r *reply) handle(in sse.Event) error {
	if in.Comment || string(in.Data) == "[DONE]" {
		return nil
	}
	var e event
	err := json.Unmarshal(in.Data, &e)
	var mistyped *json.UnmarshalTypeError
	if err != nil && !errors.As(err, &mistyped) {
		if in.Name == "error" { // some servers send bare text
			return errorEvent{append([]byte(nil), in.Data...)}
		}
		return fmt.Errorf("an event is not JSON: %s", plain(in.Data))
	}
	if e.Type == "" {
		e.Type = in.Name
	}
	if e.Type == "error" || len(e.Error) > 0 && string(e.Error) != "null" {
		return errorEvent{append([]byte(nil), in.Data...)}
	}
	var step func(*reply, *event) error
	switch e.Type {
	case "message_start":
		step = (*reply).messageStart
	case "content_block_start":
		step = (*reply).blockStart
	case "content_block_delta":
		step = (*reply).blockDelta
	case "content_block_stop":
		step = (*reply).blockStop
	case "message_delta":
		step = (*reply).messageDelta
	case "message_stop":
		step = (*reply).messageStop
	default: // ping, and what later versions may bring
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: field %s has the wrong type", e.Type, mistyped.Field)
	}
	return step(r, &e)
}

func (r *reply) messageStart(e *event) error {
	if r.started {
		return errors.New("a second reply began inside this one")
	}
	r.usage.add(e.Message.Usage)
	return r.start(model.Started{ID: e.Message.ID, Model: e.Message.Model, Wire: wire, Usage: r.usage.tokens})
}

// start reports the start of the reply, once.
func (r *reply) start(s model.Started) error {
	if r.started {
		return nil
	}
	r.started = true
	return r.send(s)
}

func (r *reply) blockStart(e *event) error {
	if err := r.start(model.Started{Model: r.req.Model, Wire: wire}); err != nil {
		return err
	}
	index := r.parts + len(r.open)
	if e.Index != nil {
		index = *e.Index
	}
	if old := r.find(&index); old != nil {
		old.close() // its end got lost
	}
	b, err := newBlock(index, e.ContentBlock)
	if err != nil {
		return err
	}
	if b.kind == model.DeltaInput {
		b.callID, b.name = r.uniqueID(b.callID), r.toolName(b.name)
		r.ids = append(r.ids, b.callID)
	}
	r.open = append(r.open, b)
	return r.report()
}

func (r *reply) blockDelta(e *event) error {
	var d delta
	if err := json.Unmarshal(e.Delta, &d); err != nil {
		return errors.New("content_block_delta: the delta is no object with a type")
	}
	b := r.find(e.Index)
	if b == nil {
		if new(block).add(&d) {
			return fmt.Errorf("%s for a block that is not open", d.Type)
		}
		return nil // of a kind we do not know
	}
	b.add(&d)
	return r.report()
}

func (r *reply) blockStop(e *event) error {
	if b := r.find(e.Index); b != nil {
		b.close()
	}
	return r.report()
}

// find is the open block of a wire index, or the latest one when there is no
// index, or nil.
func (r *reply) find(index *int) *block {
	for i := len(r.open) - 1; i >= 0; i-- {
		if b := r.open[i]; !b.closed && (index == nil || b.index == *index) {
			return b
		}
	}
	return nil
}

// report sends what is new about the blocks, as far as their order allows.
func (r *reply) report() error {
	for len(r.open) > 0 {
		b := r.open[0]
		if b.kind == model.DeltaText && !b.announced && len(b.show) == 0 {
			if !b.closed {
				return nil
			}
			r.open = r.open[1:] // an empty text is no part
			continue
		}
		if err := r.reportBlock(b); err != nil {
			return err
		}
		if !b.closed {
			return nil
		}
		if err := r.send(model.PartDone{Index: r.parts, Part: b.part()}); err != nil {
			return err
		}
		r.parts++
		r.open = r.open[1:]
	}
	return nil
}

// reportBlock sends the start of the first open block and what it has to show.
func (r *reply) reportBlock(b *block) error {
	if !b.announced {
		b.announced = true
		s := model.PartStarted{Index: r.parts, Kind: b.kind, CallID: b.callID, Name: b.name}
		if err := r.send(s); err != nil {
			return err
		}
	}
	if len(b.show) == 0 {
		return nil
	}
	d := model.Delta{Index: r.parts, Kind: b.kind, Text: string(b.show)}
	b.show = b.show[:0]
	return r.send(d)
}

func (r *reply) messageDelta(e *event) error {
	r.usage.add(e.Usage)
	var d struct {
		Stop     message.StopReason `json:"stop_reason"`
		Sequence string             `json:"stop_sequence"`
		Details  struct {
			Category    string `json:"category"`
			Explanation string `json:"explanation"`
		} `json:"stop_details"`
	}
	if len(e.Delta) > 0 && json.Unmarshal(e.Delta, &d) != nil {
		return errors.New("message_delta: the delta has a field of the wrong type")
	}
	if d.Stop != "" {
		r.stop = d.Stop
	}
	if detail := strings.Trim(d.Details.Category+": "+d.Details.Explanation, ": "); detail != "" {
		r.detail = detail
	} else if d.Sequence != "" {
		r.detail = d.Sequence
	}
	return nil
}

func (r *reply) messageStop(*event) error {
	if err := r.start(model.Started{Model: r.req.Model, Wire: wire}); err != nil {
		return err
	}
	for _, b := range r.open {
		if !b.closed {
			b.close()
		}
	}
	if err := r.report(); err != nil {
		return err
	}
	if r.stop == "" { // the reply is whole, so it must have had a reason
		r.stop = message.StopEnd
		if len(r.ids) > 0 {
			r.stop = message.StopTool
		}
	}
	r.done = true
	return r.send(model.Done{Stop: r.stop, Detail: r.detail, Usage: r.usage.whole()})
}

// send gives an event to the consumer.
func (r *reply) send(e model.Event) error {
	r.silent = false
	if !r.emit(e) {
		return errStopped
	}
	return nil
}
