package modeltest

import (
	"context"
	"fmt"
	"iter"
	"net/http"
	"sync"
	"time"

	"github.com/daruma-dev/daruma/model"
)

// Client is a scripted [model.Client]: it plays a script as events and typed
// errors, without a network. Set its fields before the first request. It may be
// used by many goroutines at once.
//
// A fault becomes the error that a real client makes of it: a cut before the
// stream is Network and after it Cut, a stall ends as Stalled when IdleTimeout
// is over and as Canceled when the context is, an answer that is not the
// protocol is BadReply.
type Client struct {
	Script Script
	// IdleTimeout is the longest silence before a stream counts as stalled.
	// With 0 it may be silent for ever.
	IdleTimeout time.Duration
	// Window is how many input tokens fit, by [CountTokens]; more are refused
	// as an Overflow. With 0 there is no limit.
	Window int64
	// Keep leaves out nothing and checks nothing: requests are answered even
	// where the service would refuse them.
	Lax bool

	mu       sync.Mutex
	script   player
	drawn    int // replies so far
	requests []*model.Request
	problems []string
}

// Stream implements [model.Client].
func (c *Client) Stream(ctx context.Context, req *model.Request) iter.Seq2[model.Event, error] {
	return func(yield func(model.Event, error) bool) {
		n, reply, refused := c.take(req)
		p := &playback{
			ctx: ctx, yield: yield, idle: c.IdleTimeout, reply: reply, n: n, model: req.Model,
			input: CountTokens(req), quiet: time.Now(),
		}
		if refused != nil {
			p.fail(refused)
			return
		}
		p.play()
	}
}

// CountTokens implements [model.Counter] with [CountTokens].
func (c *Client) CountTokens(ctx context.Context, req *model.Request) (int64, error) {
	if ctx.Err() != nil {
		return 0, canceled(ctx)
	}
	return CountTokens(req), nil
}

// Requests lists the requests so far, those that were refused too.
func (c *Client) Requests() []*model.Request {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.requests[:len(c.requests):len(c.requests)]
}

// Problems lists the requests that had to be refused because they were wrong,
// a sentence each.
func (c *Client) Problems() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.problems[:len(c.problems):len(c.problems)]
}

// Remaining is how many replies are left. It is 0 for a [Func].
func (c *Client) Remaining() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.player().left()
}

// player starts the script at the first use. It is called under the lock.
func (c *Client) player() player {
	if c.script == nil {
		if c.Script == nil {
			c.Script = Replies(nil)
		}
		c.script = c.Script.play()
	}
	return c.script
}

// take records a request and draws its reply, or says why there is none. n
// counts the replies.
func (c *Client) take(req *model.Request) (n int, reply Reply, refused *model.Error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.requests = append(c.requests, req)
	if e := c.refuse(req); e != nil {
		return 0, Reply{}, e
	}
	reply, ok := c.player().next(requestOf(req))
	if !ok {
		p := noReply(len(c.requests))
		c.problems = append(c.problems, p)
		return 0, Reply{}, &model.Error{Kind: model.BadRequest, Provider: provider, Status: 400, Message: p}
	}
	c.drawn++
	return c.drawn, reply, nil
}

// noReply says that the script was too short.
func noReply(request int) string {
	return fmt.Sprintf("modeltest: the script has no reply for request %d", request)
}

// refuse checks a request as a server does.
func (c *Client) refuse(req *model.Request) *model.Error {
	if n := CountTokens(req); c.Window > 0 && n > c.Window {
		return tooLong(n, c.Window).asError()
	}
	return nil
}

// tooLong is the refusal of a prompt over the window.
func tooLong(actual, limit int64) Failure {
	return Failure{
		Status:  http.StatusBadRequest,
		Message: fmt.Sprintf("prompt is too long: %d tokens > %d maximum", actual, limit),
	}
}
