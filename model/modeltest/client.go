package modeltest

import (
	"context"
	"fmt"
	"iter"
	"net/http"
	"sync"
	"time"

	"github.com/daruma-dev/daruma/message"
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
	// Lax answers requests that the service would refuse as invalid. Without
	// it they are refused here too; see [Client.Problems].
	Lax bool

	mu       sync.Mutex
	checker  *checker
	script   player
	drawn    int // replies so far
	requests []*model.Request
	problems []string
}

// Stream implements [model.Client].
func (c *Client) Stream(ctx context.Context, req *model.Request) iter.Seq2[model.Event, error] {
	return func(yield func(model.Event, error) bool) {
		p := &playback{ctx: ctx, yield: yield, idle: c.IdleTimeout, quiet: time.Now()}
		if err := c.take(req, p); err != nil {
			p.fail(err)
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
	c.start()
	return c.script.left()
}

// start prepares the client at its first use. It is called under the lock.
func (c *Client) start() {
	if c.checker != nil {
		return
	}
	c.checker = newChecker(Options{Window: c.Window})
	if c.Script == nil {
		c.Script = Replies(nil)
	}
	c.script = c.Script.play()
}

// take records a request and draws the reply to play, or says why there is
// none.
func (c *Client) take(req *model.Request, p *playback) *model.Error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.start()
	c.requests = append(c.requests, req)
	r := requestOf(req)
	a, err := c.admit(r)
	if err != nil {
		return c.refuse(err)
	}
	reply, ok := c.script.next(r)
	if !ok {
		return c.refuse(wrong("%s", noReply(len(c.requests))))
	}
	c.drawn++
	a.cost(reply)
	p.n, p.reply, p.admitted = c.drawn, reply, a
	return nil
}

// noReply says that the script was too short.
func noReply(request int) string {
	return fmt.Sprintf("modeltest: the script has no reply for request %d", request)
}

// admit checks a request as a server does.
func (c *Client) admit(req Request) (admitted, error) {
	if c.Lax {
		value := req.Parsed()
		u := message.Usage{Input: CountTokens(value)}
		return admitted{model: value.Model, usage: u, entry: new(ledger).entry(origin{})}, c.checker.checkWindow(u.Input)
	}
	r, err := c.checker.check(req.Body(), http.Header{}, false)
	if err != nil {
		return admitted{}, err
	}
	return c.checker.admit(r)
}

// refuse is the error for a refused request.
func (c *Client) refuse(err error) *model.Error {
	r := asRefusal(err)
	if !r.limit {
		c.problems = append(c.problems, fmt.Sprintf("request %d: %s", len(c.requests), r.Error()))
	}
	return r.asError()
}

// tooLong is the refusal of a prompt over the window.
func tooLong(actual, limit int64) Failure {
	return Failure{
		Status:  http.StatusBadRequest,
		Message: fmt.Sprintf("prompt is too long: %d tokens > %d maximum", actual, limit),
	}
}
