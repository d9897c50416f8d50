package model

import (
	"context"
	"encoding/json"
	"iter"

	"github.com/daruma-dev/daruma/message"
)

// Client sends one request to a model and streams the reply.
//
// Stream's sequence is single use and must be ranged over at most once. It
// obeys these rules, which modeltest/clienttest checks:
//
//   - The order is: one [Started]; then for each part, in order of Index, one
//     [PartStarted], any number of [Delta]s and one [PartDone]; then one
//     [Done], which is last. [Alive] may come anywhere.
//   - A failure is yielded once, as a nil Event and a non-nil error that is a
//     *[Error], and ends the sequence. Parts that were done before it are
//     whole; the part that was open is lost.
//   - A reply that ends without the protocol's end is a failure, however much
//     came.
//   - A Client never retries: whether to try again is the loop's decision.
//   - When ctx ends, the sequence fails with Kind Canceled within moments;
//     when the consumer breaks out, the connection is closed before Stream's
//     sequence returns.
//   - A Client may be used by many goroutines at once, and does not change the
//     request.
type Client interface {
	Stream(ctx context.Context, req *Request) iter.Seq2[Event, error]
}

// Counter is a Client that can count a request's input tokens without running
// it.
type Counter interface {
	CountTokens(ctx context.Context, req *Request) (int64, error)
}

// Request is one question to a model. Messages are already normalised: they
// start with the user, every call is answered in the next message, nothing is
// empty. The client leaves all of it untouched.
type Request struct {
	Model    string // the provider's own name for it, without "provider/"
	System   []Block
	Tools    []Tool
	Messages []*message.Message

	MaxTokens int64  // output limit in tokens; 0 means DefaultMaxTokens
	Effort    string // "low" … "max"; empty leaves it to the model
	// CacheMarks allows prompt-cache marks: at the end of each Block that asks
	// for one and at the end of the conversation.
	CacheMarks bool
}

// DefaultMaxTokens is the output limit of a request that names none. Most
// replies fit, and providers reserve what is asked for; a reply that does not
// fit is asked again with more (loop specification, 3.2).
const DefaultMaxTokens = 8000

// Block is one piece of the system prompt.
type Block struct {
	Text  string
	Cache bool // the prompt up to and with this block is worth caching
}

// Tool is a tool as it is described to the model.
type Tool struct {
	Name        string
	Description string
	Schema      json.RawMessage // JSON Schema of the input, an object
}
