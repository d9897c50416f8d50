package prepare

import (
	"slices"
	"unicode/utf8"

	"github.com/daruma-dev/daruma/loop"
	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/tool"
)

// Budget is the safety net under the tool-result budget. Results are paged out
// when they are recorded (tool.PageOut), once and for all; a result that is
// still too large here came from somewhere else, such as an older journal, and
// is shortened in the view. The cut depends on the result alone, so it is the
// same in every request.
func Budget() loop.Stage {
	return loop.Stage{Name: "budget", Do: func(v loop.View) loop.View {
		if !slices.ContainsFunc(v.Messages, oversized) {
			return v
		}
		var freed int64
		v.Messages = slices.Clone(v.Messages)
		for i, m := range v.Messages {
			if !oversized(m) {
				continue
			}
			short := m.Memo("budget", func() any { return shorten(m) }).(*message.Message)
			freed += loop.Estimate(m) - loop.Estimate(short)
			v.Messages[i] = short
		}
		return v.Note("budget", "shortened oversized tool results", freed)
	}}
}

func oversized(m *message.Message) bool {
	return slices.ContainsFunc(m.Parts, func(p message.Part) bool {
		r, ok := p.(message.ToolResult)
		return ok && len(r.Text) > tool.MaxResult && utf8.RuneCountInString(r.Text) > tool.MaxResult
	})
}

func shorten(m *message.Message) *message.Message {
	parts := slices.Clone(m.Parts)
	for i, p := range parts {
		if r, ok := p.(message.ToolResult); ok {
			parts[i] = tool.PageOut([]message.ToolResult{r}, nil)[0]
		}
	}
	return m.With(parts)
}
