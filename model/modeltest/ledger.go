package modeltest

import (
	"crypto/sha256"
	"slices"
	"sync"

	"github.com/daruma-dev/daruma/message"
)

// hash stands for a stretch of conversation.
type hash [sha256.Size]byte

// ledger remembers what replies consisted of, as far as the service can tell
// later that it is its own. Its zero value is empty, and it may be used by many
// goroutines.
type ledger struct {
	mu     sync.Mutex
	signed map[string][]issue // thinking by its signature, or its data
	blocks map[string]bool    // raw blocks
	turns  map[string][]turn  // by the ids of their calls
	pauses map[string]bool    // meanings of the last blocks of paused replies
}

// issue is a thinking block as it was sent.
type issue struct {
	origin
	text string
}

// origin is what thinking is bound to.
type origin struct {
	model  string
	before hash // the conversation that was answered
}

// turn is a reply up to a call: the thinking that has to stand before it.
type turn struct {
	origin
	thinking []string // signatures
}

// entry opens the account of one reply.
func (l *ledger) entry(o origin) *entry { return &entry{ledger: l, turn: turn{origin: o}} }

// entry adds the parts of one reply to the ledger when they have been sent.
type entry struct {
	ledger *ledger
	turn   turn
	last   string // meaning of the last block
}

func (e *entry) thinking(text, signature string) {
	e.ledger.mu.Lock()
	defer e.ledger.mu.Unlock()
	put(&e.ledger.signed, signature, issue{e.turn.origin, text})
	e.turn.thinking = append(slices.Clip(e.turn.thinking), signature)
}

func (e *entry) call(id string) {
	e.ledger.mu.Lock()
	defer e.ledger.mu.Unlock()
	put(&e.ledger.turns, id, e.turn)
}

func (e *entry) text(text string) { e.last = "text " + text }

// block adds a raw block, as what it is.
func (e *entry) block(b block) {
	e.ledger.mu.Lock()
	if e.ledger.blocks == nil {
		e.ledger.blocks = map[string]bool{}
	}
	wb := newWireBlock(b.fields, "")
	e.ledger.blocks[string(wb.canon)] = true
	e.ledger.mu.Unlock()
	e.last = meaning(wb)
	switch p := b.part().(type) {
	case message.Thinking:
		if p.Redacted != "" {
			p.Signature = p.Redacted
		}
		e.thinking(p.Text, p.Signature)
	case message.Call:
		e.call(p.ID)
	}
}

// pause notes that the reply ended with a pause, so that it may come back as
// the last message.
func (e *entry) pause() {
	e.ledger.mu.Lock()
	defer e.ledger.mu.Unlock()
	if e.ledger.pauses == nil {
		e.ledger.pauses = map[string]bool{}
	}
	e.ledger.pauses[e.last] = true
}

func put[V any](m *map[string][]V, key string, v V) {
	if *m == nil {
		*m = map[string][]V{}
	}
	(*m)[key] = append((*m)[key], v)
}

func (l *ledger) issues(signature string) []issue {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clip(l.signed[signature])
}

func (l *ledger) turnsOf(id string) []turn {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clip(l.turns[id])
}

func (l *ledger) block(canon []byte) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.blocks[string(canon)]
}

func (l *ledger) paused(meaning string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.pauses[meaning]
}

// meaning is a block without the freedom there is in writing it.
func meaning(b wireBlock) string {
	if b.typ == "text" {
		return "text " + b.text("text")
	}
	return b.typ + " " + string(b.canon)
}

// chain is a hash over the blocks of a conversation, one after the other.
type chain struct {
	sum  hash
	role string
}

// add adds a block that matters to what comes after it. Thinking does not, as
// it may be left out, and blank text is never sent back.
func (c *chain) add(role string, b wireBlock) {
	if b.typ == "thinking" || b.typ == "redacted_thinking" || b.typ == "text" && blank(b.text("text")) {
		return
	}
	h := sha256.New()
	h.Write(c.sum[:])
	if role != c.role {
		h.Write([]byte(role + "\n"))
	}
	h.Write([]byte(meaning(b)))
	h.Sum(c.sum[:0])
	c.role = role
}
