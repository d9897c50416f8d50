package cli

import (
	"fmt"

	"github.com/daruma-dev/daruma/loop"
	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/model"
)

// pieces tells replies as they arrive, as the events of the Anthropic API's
// stream.
type pieces struct {
	send func(event object)

	model string // that was asked
	reply string // id of the reply that is open; empty when none is
	index int    // of its open part; -1 when none is
}

func (p *pieces) event(e loop.Event) {
	switch e := e.(type) {
	case loop.Requested:
		p.model = e.Model
	case loop.Streamed:
		p.open(e.MessageID)
		p.streamed(e.Event)
	case loop.Added:
		if e.Message.ID == p.reply {
			p.close(e.Message)
		}
	case loop.Withdrawn:
		p.reply = "" // the tombstone says the rest
	case loop.ToolChanged, loop.Summarised, loop.Waiting, loop.Faulted, loop.Moved, loop.Finish:
	default:
		panic(fmt.Sprintf("cli: unhandled event %T", e))
	}
}

func (p *pieces) open(id string) {
	if id == p.reply {
		return
	}
	p.reply, p.index = id, -1
	p.send(object{{"type", "message_start"}, {"message", reply(&message.Message{ID: id, Model: p.model})}})
}

func (p *pieces) streamed(e model.Event) {
	switch e := e.(type) {
	case model.PartStarted:
		p.closePart()
		p.index = e.Index
		p.send(object{{"type", "content_block_start"}, {"index", e.Index}, {"content_block", emptyBlock(e)}})
	case model.Delta:
		if kind, member := deltaWords(e.Kind); kind != "" {
			p.send(object{{"type", "content_block_delta"}, {"index", e.Index}, {"delta", object{{"type", kind}, {member, e.Text}}}})
		}
	case model.Started, model.PartDone, model.Done, model.Alive: // the loop streams the other two alone
	default:
		panic(fmt.Sprintf("cli: unhandled model event %T", e))
	}
}

func (p *pieces) closePart() {
	if p.index >= 0 {
		p.send(object{{"type", "content_block_stop"}, {"index", p.index}})
	}
	p.index = -1
}

// close ends the reply, which is whole now.
func (p *pieces) close(m *message.Message) {
	p.closePart()
	delta := object{{"stop_reason", stopReason(m)}, {"stop_sequence", nil}}
	p.send(object{{"type", "message_delta"}, {"delta", delta}, {"usage", messageUsage(m)}})
	p.send(object{{"type", "message_stop"}})
	p.reply = ""
}

// emptyBlock is a part that has just begun.
func emptyBlock(e model.PartStarted) object {
	switch e.Kind {
	case model.DeltaThinking:
		return object{{"type", "thinking"}, {"thinking", ""}, {"signature", ""}}
	case model.DeltaInput:
		return object{{"type", "tool_use"}, {"id", e.CallID}, {"name", e.Name}, {"input", object{}}}
	case model.DeltaText:
		return object{{"type", "text"}, {"text", ""}}
	case model.DeltaOpaque:
		return object{{"type", "opaque"}}
	default:
		panic(fmt.Sprintf("cli: unhandled kind %q", string(e.Kind)))
	}
}

// deltaWords are the type of a delta and the member that holds its text. What
// only the provider understands has none.
func deltaWords(k model.DeltaKind) (kind, member string) {
	switch k {
	case model.DeltaText:
		return "text_delta", "text"
	case model.DeltaThinking:
		return "thinking_delta", "thinking"
	case model.DeltaInput:
		return "input_json_delta", "partial_json"
	case model.DeltaOpaque:
		return "", ""
	default:
		panic(fmt.Sprintf("cli: unhandled kind %q", string(k)))
	}
}
