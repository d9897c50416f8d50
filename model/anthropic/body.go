package anthropic

import (
	"io"
	"strconv"
	"strings"

	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/model"
)

// maxMarks is how many cache marks the API takes in a request. One is the mark
// at the end of the conversation.
const maxMarks = 4

// body is a request's JSON as the pieces it consists of, which are shared with
// the messages and never joined. Its bytes up to the end of the last message
// are the beginning of the body of every longer conversation, so that the
// provider's cache finds them.
type body struct {
	pieces [][]byte
	size   int64
}

func (b *body) add(p []byte) {
	if len(p) > 0 {
		b.pieces = append(b.pieces, p)
		b.size += int64(len(p))
	}
}

func (b body) reader() io.ReadCloser { return &bodyReader{pieces: b.pieces} }

// bodyReader reads the pieces one after the other.
type bodyReader struct {
	pieces [][]byte
	off    int // used up of the first piece
}

func (r *bodyReader) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) && len(r.pieces) > 0 {
		k := copy(p[n:], r.pieces[0][r.off:])
		n += k
		if r.off += k; r.off == len(r.pieces[0]) {
			r.pieces, r.off = r.pieces[1:], 0
		}
	}
	if n == 0 && len(p) > 0 {
		return 0, io.EOF
	}
	return n, nil
}

func (r *bodyReader) Close() error { return nil }

// streamBody is the body that asks for a streamed reply. Sampling parameters
// are not among its fields: newer models refuse them.
func (c *Client) streamBody(req *model.Request) body {
	b := c.prompt(req)
	limit := req.MaxTokens
	if limit <= 0 {
		limit = model.DefaultMaxTokens
	}
	tail := make([]byte, 0, 128)
	tail = append(tail, `,"max_tokens":`...)
	tail = strconv.AppendInt(tail, limit, 10)
	tail = append(tail, `,"stream":true`...)
	if req.CacheMarks {
		tail = append(tail, `,"cache_control":{"type":"ephemeral"}`...)
	}
	if req.Effort != "" {
		tail = append(tail, `,"output_config":{"effort":`...)
		tail = appendString(tail, req.Effort)
		tail = append(tail, '}')
	}
	b.add(append(tail, '}'))
	return b
}

// countBody is the body that asks for the number of tokens.
func (c *Client) countBody(req *model.Request) body {
	b := c.prompt(req)
	b.add([]byte{'}'})
	return b
}

// prompt is the body from its start to the end of the messages.
func (c *Client) prompt(req *model.Request) body {
	b := body{pieces: make([][]byte, 0, 2*len(req.Messages)+8)}
	head := make([]byte, 0, len(req.Model)+32)
	b.add(appendString(append(head, `{"model":`...), req.Model))
	marks := 0
	if req.CacheMarks {
		marks = 1
	}
	b.add(c.system[marks].get(req.System, equalBlocks, func(bs []model.Block) []byte {
		return encodeSystem(bs, marks*(maxMarks-1))
	}))
	b.add(c.tools.get(req.Tools, equalTools, encodeTools))
	b.add(openMessages)
	c.messages(&b, req)
	b.add(closeMessages)
	return b
}

// The pieces around the messages.
var (
	openMessages   = []byte(`,"messages":[`)
	closeMessages  = []byte(`]`)
	firstUser      = []byte(`{"role":"user","content":[`)
	firstAssistant = []byte(`{"role":"assistant","content":[`)
	nextUser       = []byte(`]},{"role":"user","content":[`)
	nextAssistant  = []byte(`]},{"role":"assistant","content":[`)
	nextBlock      = []byte(`,`)
	endMessage     = []byte(`]}`)
	nothingWritten = []byte(`{"type":"text","text":"(empty message)"}`)
)

// messages adds the messages. Neighbours of one role become one, as servers
// with strict chat templates demand; a message of which nothing is left is
// skipped.
func (c *Client) messages(b *body, req *model.Request) {
	var role message.Role // of the message that is open; empty at the start
	for i, m := range req.Messages {
		blocks := encoded(m, c.wrote(req.Model, m))
		// The API wants the user at the start and, on newer models, at the end.
		if len(blocks) == 0 && m.Role == message.User && (role == "" || i == len(req.Messages)-1) {
			blocks = nothingWritten
		}
		if len(blocks) > 0 {
			b.add(between(role, m.Role))
			b.add(blocks)
			role = m.Role
		}
	}
	if role != "" {
		b.add(endMessage)
	}
}

// between is what leads from blocks of one role to blocks of the next.
func between(role, next message.Role) []byte {
	switch assistant := next == message.Assistant; {
	case role == next:
		return nextBlock
	case role == "" && assistant:
		return firstAssistant
	case role == "":
		return firstUser
	case assistant:
		return nextAssistant
	default:
		return nextUser
	}
}

// wrote reports whether the model of that name wrote m.
func (c *Client) wrote(name string, m *message.Message) bool {
	if m.Role != message.Assistant {
		return false
	}
	rest, ours := strings.CutPrefix(m.Model, c.opts.Provider)
	rest, slash := strings.CutPrefix(rest, "/")
	return m.Model == name || ours && slash && rest == name
}
