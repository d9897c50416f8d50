package anthropic

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"strings"
	"sync"

	"github.com/daruma-dev/daruma/internal/sse"
	"github.com/daruma-dev/daruma/model"
)

// wire is the name of the protocol, as in message.Message.Wire.
const wire = "anthropic"

// version is the API version. The newer 2026-10-21 only forbids what we never
// send, and compatible servers know this one.
const version = "2023-06-01"

// Client is a [model.Client] and [model.Counter] for one server and one
// credential. It may be used by many goroutines.
type Client struct {
	// The options and what is made of them stand behind pointers and functions,
	// so that printing something that holds a Client shows addresses.
	opts *Options
	// scrub takes our credentials out of a text that will be shown or kept:
	// servers and proxies like to repeat them.
	scrub func(string) string
	http  func() (*http.Client, error) // made at the first request

	system [2]latest[model.Block] // with and without cache marks
	tools  latest[model.Tool]
}

var (
	_ model.Client  = (*Client)(nil)
	_ model.Counter = (*Client)(nil)
)

// New is a client for the server and credential of o. It does no work that can
// wait; a wrong option shows at the first request.
func New(o Options) *Client {
	if o.Provider == "" {
		o.Provider = wire
	}
	if o.IdleTimeout == 0 {
		o.IdleTimeout = DefaultIdleTimeout
	}
	if o.FirstByte == 0 {
		o.FirstByte = DefaultFirstByte
	}
	o.Headers = o.Headers.Clone()
	c := &Client{opts: &o, scrub: scrubber(o.secrets())}
	c.http = sync.OnceValues(func() (*http.Client, error) { return newHTTP(c.opts) })
	return c
}

// Format writes what the client is for, without secrets, whatever the verb.
func (c *Client) Format(s fmt.State, v rune) { c.opts.Format(s, v) }

// MarshalText is what JSON and structured logs show of the client.
func (c *Client) MarshalText() ([]byte, error) { return c.opts.MarshalText() }

// Stream sends the request and streams the reply; see [model.Client].
func (c *Client) Stream(ctx context.Context, req *model.Request) iter.Seq2[model.Event, error] {
	return func(yield func(model.Event, error) bool) {
		if err := c.stream(ctx, req, func(e model.Event) bool { return yield(e, nil) }); err != nil {
			yield(nil, err)
		}
	}
}

// errStopped says that the consumer wants no more events.
var errStopped = errors.New("anthropic: consumer stopped")

// stream is Stream as a function: emit returns false when the consumer has
// broken out, and then the result is nil.
func (c *Client) stream(ctx context.Context, req *model.Request, emit func(model.Event) bool) error {
	x, err := c.post(ctx, "messages", c.streamBody(req))
	if err != nil {
		return err
	}
	defer x.close()
	body, err := x.events()
	if err != nil {
		return err
	}
	events, reply := sse.NewReader(body), newReply(req, emit)
	for !reply.done {
		e, err := events.Next()
		if ctx.Err() != nil || err != nil {
			return x.failure(err)
		}
		err = reply.take(e)
		if errors.Is(err, errStopped) {
			return nil
		}
		if err != nil {
			return x.replyFailure(e, err)
		}
	}
	x.drain()
	return nil
}

// CountTokens asks the server how many input tokens the request has.
func (c *Client) CountTokens(ctx context.Context, req *model.Request) (int64, error) {
	x, err := c.post(ctx, "messages/count_tokens", c.countBody(req))
	if err != nil {
		return 0, err
	}
	defer x.close()
	b, err := io.ReadAll(io.LimitReader(x, maxErrorBody))
	if err != nil {
		return 0, x.failure(err)
	}
	var n struct {
		Input *int64 `json:"input_tokens"`
	}
	if json.Unmarshal(b, &n) != nil || n.Input == nil {
		return 0, x.notTheProtocol(b)
	}
	return *n.Input, nil
}

// scrubber replaces secrets in a text.
func scrubber(secrets []string) func(string) string {
	return func(s string) string {
		for _, secret := range secrets {
			s = strings.ReplaceAll(s, secret, "[redacted]")
		}
		return s
	}
}
