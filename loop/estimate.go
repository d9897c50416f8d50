package loop

import (
	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/model"
)

// Estimates are in bytes per token. 3.5 fits the tokenizers of 2026 on code and
// English a little to the safe side; a reported figure always overrules it.
const (
	bytesPerTwoTokens = 7    // 3.5 bytes a token, in whole numbers
	tokensPerMessage  = 4    // role and separators
	tokensPerMedia    = 1600 // a picture at the size most providers scale to
)

// Estimate is about how many tokens a message takes. It is computed once for
// each message.
func Estimate(m *message.Message) int64 {
	return m.Memo("tokens", func() any { return estimate(m) }).(int64)
}

func estimate(m *message.Message) int64 {
	var bytes, n int64
	for _, p := range m.Parts {
		switch p := p.(type) {
		case message.Text:
			bytes += int64(len(p.Text))
		case message.Thinking:
			bytes += int64(len(p.Text) + len(p.Redacted))
		case message.Call:
			bytes += int64(len(p.Name) + len(p.Input))
		case message.ToolResult:
			bytes += int64(len(p.Text))
			n += int64(len(p.Media)) * tokensPerMedia
		case message.Media:
			n += tokensPerMedia
		case message.Opaque:
			bytes += int64(len(p.Raw))
		}
	}
	return n + Tokens(bytes) + tokensPerMessage
}

// Tokens is about how many tokens so many bytes of text take.
func Tokens(bytes int64) int64 { return bytes * 2 / bytesPerTwoTokens }

// InputTokens is the size of a request: the last figure the provider reported
// for this model, plus an estimate of what came after it. Without any figure
// all of it is estimated.
func InputTokens(mdl string, system []model.Block, tools []model.Tool, ms []*message.Message) int64 {
	var sum int64
	for i := len(ms) - 1; i >= 0; i-- {
		m := ms[i]
		if m.Role == message.Assistant && m.Usage != nil && m.Model == mdl && m.Usage.TotalInput() > 0 {
			return sum + m.Usage.Total()
		}
		sum += Estimate(m)
	}
	for _, b := range system {
		sum += Tokens(int64(len(b.Text)))
	}
	for _, t := range tools {
		sum += Tokens(int64(len(t.Name) + len(t.Description) + len(t.Schema)))
	}
	return sum
}
