package loop

import (
	"fmt"
	"slices"
	"strings"

	"github.com/daruma-dev/daruma/message"
)

// Normalise turns a view into what may be sent to a model (specification, 6):
//
//   - it starts with a user message;
//   - every call is answered, in order, by results that lead the next message;
//   - there is no result without its call, no empty or blank text, no message
//     without parts, nothing that is for display only;
//   - thinking goes only to the model that wrote it;
//   - users and assistants take turns: neighbours of one role are joined.
//
// Messages that are fine as they are keep their pointer, and one that must be
// changed is changed once and remembered, so its bytes on the wire are stable.
// It is pure.
func Normalise(ms []*message.Message, model string) []*message.Message {
	n := normaliser{out: make([]*message.Message, 0, len(ms)+1)}
	for _, m := range ms {
		if m = clean(m, model); m == nil {
			continue
		}
		if len(n.out) == 0 && m.Role != message.User {
			n.add(leftOut)
		}
		m = pair(m, n.open)
		if n.open != nil && (m == nil || m.Role != message.User || !leads(m)) {
			n.answerLast()
		}
		if m != nil {
			n.add(m)
		}
	}
	if n.open != nil {
		n.answerLast()
	}
	return n.out
}

// normaliser is the request so far.
type normaliser struct {
	out  []*message.Message
	open []message.Call // calls of the last message, still without results
}

// add appends a message, or joins it to its neighbour of the same role.
func (n *normaliser) add(m *message.Message) {
	if last := len(n.out) - 1; last >= 0 && n.out[last].Role == m.Role {
		if m.Role == message.User {
			n.out[last] = join(n.out[last], m)
			return
		}
		n.out = append(n.out, goOn)
	}
	n.out = append(n.out, m)
	n.open = nil
	if m.Role == message.Assistant {
		n.open = m.Calls()
	}
}

// answerLast answers the calls of the last message, whose results are nowhere
// in the record.
func (n *normaliser) answerLast() {
	last := n.out[len(n.out)-1]
	open := n.open
	n.open = nil
	n.out = append(n.out, last.Memo("unanswered", func() any { return unanswered(open) }).(*message.Message))
}

// join is two user messages as one. It is remembered by the later one, together
// with the earlier, so that it is made once.
func join(a, b *message.Message) *message.Message {
	type pair struct{ before, joined *message.Message }
	p := b.Memo(fmt.Sprintf("join %p", a), func() any {
		return pair{a, b.With(append(a.Parts[:len(a.Parts):len(a.Parts)], b.Parts...))}
	}).(pair)
	return p.joined
}

// goOn stands between two replies with nothing between them.
var goOn = message.NewUser("go-on", "(Go on.)")

// leftOut stands at the start where the record's start is not the user's.
var leftOut = message.NewUser("left-out", "(Earlier messages were left out.)")

// clean is m without what must not be sent to model, or nil when nothing of it
// is left.
func clean(m *message.Message, model string) *message.Message {
	if m.Origin == message.ForDisplay {
		return nil
	}
	bad := func(p message.Part) bool {
		switch p := p.(type) {
		case message.Text:
			return strings.TrimSpace(p.Text) == ""
		case message.Thinking:
			return m.Model != model
		case message.Call, message.ToolResult, message.Media, message.Opaque:
			return false
		default:
			return false
		}
	}
	if slices.ContainsFunc(m.Parts, bad) {
		m = m.Memo("clean:"+model, func() any {
			return m.With(slices.DeleteFunc(slices.Clone(m.Parts), bad))
		}).(*message.Message)
	}
	if len(m.Parts) == 0 {
		return nil
	}
	return m
}

// pair is m with exactly one result for each open call, in order and before
// anything else, and without results that answer nothing. It is nil when
// nothing of m is left.
func pair(m *message.Message, open []message.Call) *message.Message {
	if paired(m, open) {
		return m
	}
	results := map[string]message.ToolResult{}
	var rest message.Parts
	for _, p := range m.Parts {
		if r, ok := p.(message.ToolResult); ok {
			if _, twice := results[r.CallID]; !twice {
				results[r.CallID] = r
			}
			continue
		}
		rest = append(rest, p)
	}
	var parts message.Parts
	if m.Role == message.User && len(results) > 0 {
		answered := false
		for _, c := range open {
			r, ok := results[c.ID]
			answered = answered || ok
			if !ok {
				r = lost(c)
			}
			parts = append(parts, r)
		}
		if !answered {
			parts = nil
		}
	}
	parts = append(parts, rest...)
	if len(parts) == 0 {
		return nil
	}
	return m.With(parts)
}

// paired reports whether m answers the open calls and nothing else, in order.
func paired(m *message.Message, open []message.Call) bool {
	n := 0
	for i, p := range m.Parts {
		r, ok := p.(message.ToolResult)
		if !ok {
			continue
		}
		if i != n || n >= len(open) || open[n].ID != r.CallID || m.Role != message.User {
			return false
		}
		n++
	}
	return n == 0 || n == len(open)
}

// leads reports whether m starts with a result.
func leads(m *message.Message) bool {
	_, ok := m.Parts[0].(message.ToolResult)
	return ok
}

// unanswered answers calls whose results are nowhere in the record.
func unanswered(calls []message.Call) *message.Message {
	parts := make(message.Parts, len(calls))
	for i, c := range calls {
		parts[i] = lost(c)
	}
	return &message.Message{ID: "lost-" + calls[0].ID, Role: message.User, Origin: message.FromTools, Parts: parts}
}

func lost(c message.Call) message.ToolResult {
	return message.ToolResult{
		CallID: c.ID, Name: c.Name, Status: message.StatusInterrupted,
		Text: "No result of this call was recorded. It may or may not have run: check before repeating it.",
	}
}
