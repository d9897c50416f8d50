package loop

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/daruma-dev/daruma/message"
)

// anyConversation is a list of messages such as no loop would record: results
// without calls, calls without results, in any order.
func anyConversation(t *rapid.T) []*message.Message {
	n := rapid.IntRange(0, 12).Draw(t, "messages")
	ms := make([]*message.Message, n)
	for i := range ms {
		ms[i] = &message.Message{
			ID:     fmt.Sprint("m", i),
			Role:   rapid.SampledFrom([]message.Role{message.User, message.Assistant}).Draw(t, "role"),
			Origin: rapid.SampledFrom([]message.Origin{"", message.FromLoop, message.ForDisplay}).Draw(t, "origin"),
			Model:  rapid.SampledFrom([]string{"p/a", "p/b"}).Draw(t, "model"),
			Parts:  rapid.SliceOfN(rapid.Custom(anyPart), 0, 4).Draw(t, "parts"),
		}
		if ms[i].Role == message.User {
			ms[i].Parts = without[message.Call](ms[i].Parts)
			ms[i].Parts = without[message.Thinking](ms[i].Parts)
		} else {
			ms[i].Parts = without[message.ToolResult](ms[i].Parts)
			ms[i].Parts = distinctCalls(ms[i].Parts, i)
		}
	}
	return ms
}

func anyPart(t *rapid.T) message.Part {
	id := rapid.SampledFrom([]string{"0", "1", "2"}).Draw(t, "id")
	switch rapid.IntRange(0, 4).Draw(t, "part") {
	case 0:
		return message.Text{Text: rapid.SampledFrom([]string{"", " \n", "text"}).Draw(t, "text")}
	case 1:
		return message.Thinking{Text: "hm", Signature: "s"}
	case 2:
		return message.Call{ID: id, Name: "read", Input: []byte(`{}`)}
	case 3:
		return message.ToolResult{CallID: fmt.Sprint(rapid.IntRange(0, 11).Draw(t, "of"), "-", id), Status: message.StatusOK, Text: "r"}
	default:
		return message.Media{Kind: "image", MIME: "image/png"}
	}
}

func without[P message.Part](parts message.Parts) message.Parts {
	var out message.Parts
	for _, p := range parts {
		if _, ok := p.(P); !ok {
			out = append(out, p)
		}
	}
	return out
}

// distinctCalls gives calls ids that are unique in the conversation, as the
// driver does.
func distinctCalls(parts message.Parts, i int) message.Parts {
	seen := map[string]bool{}
	var out message.Parts
	for _, p := range parts {
		if c, ok := p.(message.Call); ok {
			c.ID = fmt.Sprint(i, "-", c.ID)
			if seen[c.ID] {
				continue
			}
			seen[c.ID] = true
			p = c
		}
		out = append(out, p)
	}
	return out
}

// validFor says what a provider would refuse in a request; it is empty when
// there is nothing.
func validFor(ms []*message.Message, model string) string {
	var open []message.Call
	for i, m := range ms {
		switch {
		case i == 0 && m.Role != message.User:
			return "it does not start with a user message"
		case len(m.Parts) == 0:
			return fmt.Sprintf("message %d is empty", i)
		case m.Origin == message.ForDisplay:
			return fmt.Sprintf("message %d is for display only", i)
		}
		if i > 0 && m.Role == ms[i-1].Role {
			return fmt.Sprintf("messages %d and %d have the same role", i-1, i)
		}
		rs := m.Results()
		if len(rs) != len(open) {
			return fmt.Sprintf("message %d has %d results for %d calls", i, len(rs), len(open))
		}
		for j, p := range m.Parts {
			switch p := p.(type) {
			case message.Text:
				if p.Text == "" || p.Text == " \n" {
					return fmt.Sprintf("message %d has a blank text", i)
				}
			case message.Thinking:
				if m.Model != model {
					return fmt.Sprintf("message %d has thinking of another model", i)
				}
			case message.ToolResult:
				if j >= len(open) || open[j].ID != p.CallID {
					return fmt.Sprintf("message %d: result %d is not in its place", i, j)
				}
			case message.Call, message.Media, message.Opaque:
			}
		}
		open = m.Calls()
	}
	if open != nil {
		return "the last calls are not answered"
	}
	return ""
}

func TestNormaliseGuarantees(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ms := anyConversation(t)
		got := Normalise(ms, "p/a")
		if why := validFor(got, "p/a"); why != "" {
			t.Fatalf("%s\nof %s\ngot %s", why, show(ms), show(got))
		}
		again := Normalise(got, "p/a")
		for i := range again {
			if i >= len(got) || again[i] != got[i] {
				t.Fatalf("a second pass changes message %d", i)
			}
		}
		for i, m := range Normalise(ms, "p/a") {
			if !message.Equal(m, got[i]) {
				t.Fatalf("the same view gives another message %d", i)
			}
		}
	})
}

// A valid conversation keeps its messages by pointer, so that none is encoded
// twice, also when it grows.
func TestNormaliseKeepsPointers(t *testing.T) {
	ms := []*message.Message{
		message.NewUser("1", "hi"),
		{ID: "2", Role: message.Assistant, Model: "p/a", Parts: message.Parts{
			message.Thinking{Text: "t", Signature: "s"}, message.Call{ID: "c1", Name: "read", Input: []byte(`{}`)},
		}},
		{ID: "3", Role: message.User, Parts: message.Parts{message.ToolResult{CallID: "c1", Status: message.StatusOK}}},
		{ID: "4", Role: message.Assistant, Model: "p/a", Parts: message.Parts{message.Text{Text: "done"}}},
	}
	for i, m := range Normalise(ms, "p/a") {
		if m != ms[i] {
			t.Errorf("message %d was made anew", i)
		}
	}
	first, second := Normalise(ms, "p/b"), Normalise(ms, "p/b")
	for i := range first {
		if first[i] != second[i] {
			t.Errorf("message %d is changed anew each time for another model", i)
		}
	}
}
