package modeltest

import (
	"fmt"

	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/model"
)

// The parts of the counting rule, in tokens. See [CountTokens].
const (
	requestOverhead = 8
	messageOverhead = 4
	callOverhead    = 8
	imageTokens     = 1600
	documentTokens  = 3000
)

// tokens is the estimate for so many bytes of text: four bytes a token, rounded
// up.
func tokens(bytes int) int64 { return int64(bytes+3) / 4 }

// CountTokens counts the input tokens of a request as this package's clients
// and servers do: 8 for the request, 4 for each message, 8 for each call and
// each tool, 1,600 for an image, 3,000 for a document, and the bytes of each
// text, call input, tool result and tool description divided by four, rounded
// up. It is a rule to reckon with, not an estimate of any real tokeniser.
func CountTokens(req *model.Request) int64 {
	n := int64(requestOverhead)
	for _, b := range req.System {
		n += tokens(len(b.Text))
	}
	for _, t := range req.Tools {
		n += callOverhead + tokens(len(t.Name)+len(t.Description)+len(t.Schema))
	}
	for _, m := range req.Messages {
		n += countMessage(m)
	}
	return n
}

func countMessage(m *message.Message) int64 {
	n := int64(messageOverhead)
	for _, p := range m.Parts {
		n += countPart(p)
	}
	return n
}

func countPart(p message.Part) int64 {
	switch p := p.(type) {
	case message.Text:
		return tokens(len(p.Text))
	case message.Thinking:
		return tokens(len(p.Text) + len(p.Redacted))
	case message.Call:
		return callOverhead + tokens(len(p.Name)+len(p.Input))
	case message.ToolResult:
		n := tokens(len(p.Text))
		for _, m := range p.Media {
			n += countPart(m)
		}
		return n
	case message.Media:
		if p.Kind == "document" {
			return documentTokens
		}
		return imageTokens
	case message.Opaque:
		return tokens(len(p.Raw))
	default:
		panic(fmt.Sprintf("modeltest: unhandled part %T", p))
	}
}
