package anthropic

import (
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"
	"unicode"

	"github.com/daruma-dev/daruma/model"
)

const (
	// maxErrorBody is how much of an answer that is no reply is read, in bytes.
	maxErrorBody = 1 << 20
	// drainTime is how long to wait for the end of the body after the reply's
	// end, so that the connection can be used again.
	drainTime = 50 * time.Millisecond
)

// The two ways in which our own watch ends a request.
var (
	errNoAnswer = errors.New("anthropic: no answer in time")
	errSilent   = errors.New("anthropic: silent for too long")
)

// exchange is one request in flight and the watch over it: reading from it
// fails when no byte comes for the idle time. The watch runs only while a read
// waits, so a slow consumer does not trip it.
type exchange struct {
	c      *Client
	caller context.Context
	cancel context.CancelCauseFunc
	ctx    context.Context // the caller's, and ended by the watch
	resp   *http.Response
	idle   time.Duration
	timer  *time.Timer
}

// post sends a body to a path of the API. The result's answer has status 200;
// other answers are errors.
func (c *Client) post(ctx context.Context, path string, b body) (*exchange, error) {
	x := &exchange{c: c, caller: ctx, idle: c.opts.IdleTimeout}
	x.ctx, x.cancel = context.WithCancelCause(ctx)
	req, wrong := c.request(x.ctx, path, b)
	if wrong != nil {
		x.cancel(nil)
		return nil, c.fault(wrong)
	}
	client, _ := c.http()
	if first := c.opts.FirstByte; first > 0 {
		defer time.AfterFunc(first, func() { x.cancel(errNoAnswer) }).Stop()
	}
	var err error
	if x.resp, err = client.Do(req); err != nil { //nolint:bodyclose // close does it
		defer x.cancel(nil)
		return nil, x.failure(err)
	}
	if x.resp.StatusCode != http.StatusOK {
		defer x.close()
		return nil, x.refusal()
	}
	return x, nil
}

// request is the HTTP request. The body can be sent again from its start, which
// lets Go repeat a request that a closed idle connection swallowed before any
// of it was sent.
func (c *Client) request(ctx context.Context, path string, b body) (*http.Request, *model.Error) {
	u, err := endpoint(c.opts.BaseURL)
	if err != nil {
		return nil, &model.Error{Kind: model.NotFound, Message: err.Error()}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, u.JoinPath("v1", path).String(), b.reader())
	if err != nil {
		return nil, &model.Error{Kind: model.NotFound, Message: "the base URL cannot be used"}
	}
	req.ContentLength = b.size
	req.GetBody = func() (io.ReadCloser, error) { return b.reader(), nil }
	c.setHeader(req.Header)
	if host := req.Header.Get("Host"); host != "" {
		req.Host = host
	}
	if strings.ContainsFunc(c.opts.Key+c.opts.Token, unicode.IsControl) {
		return nil, &model.Error{Kind: model.Auth, Message: "the API key has a character that cannot be sent; was it copied whole?"}
	}
	return req, nil
}

// setHeader sets the headers: the protocol's, the credential, and last those of
// the options.
func (c *Client) setHeader(h http.Header) {
	h.Set("Content-Type", "application/json")
	h.Set("Accept", "text/event-stream, application/json")
	h.Set("User-Agent", "daruma")
	h.Set("Anthropic-Version", version)
	if c.opts.Key != "" {
		h.Set("X-Api-Key", c.opts.Key)
	}
	if c.opts.Token != "" {
		h.Set("Authorization", "Bearer "+c.opts.Token)
	}
	for name, values := range c.opts.Headers {
		h[http.CanonicalHeaderKey(name)] = values
	}
}

// Read reads from the answer's body under the watch.
func (x *exchange) Read(p []byte) (int, error) {
	if x.idle > 0 {
		if x.timer == nil {
			x.timer = time.AfterFunc(x.idle, func() { x.cancel(errSilent) })
		} else {
			x.timer.Reset(x.idle)
		}
		defer x.timer.Stop()
	}
	return x.resp.Body.Read(p)
}

// events is the body of an answer that must be an event stream.
func (x *exchange) events() (io.Reader, error) {
	var body io.Reader = x
	if x.resp.Header.Get("Content-Encoding") == "gzip" {
		z, err := gzip.NewReader(x)
		if err != nil {
			return nil, x.failure(err)
		}
		body = z
	}
	buf := bufio.NewReader(body)
	kind, _, _ := mime.ParseMediaType(x.resp.Header.Get("Content-Type"))
	if kind == "text/event-stream" && !startsWith(buf, "{", "<") || startsWith(buf, ":", "data:", "event:") {
		return buf, nil // some servers name the wrong type
	}
	b, err := io.ReadAll(io.LimitReader(buf, maxErrorBody))
	if err != nil {
		return nil, x.failure(err)
	}
	return nil, x.notTheProtocol(b)
}

// startsWith reports whether what comes next is one of the words.
func startsWith(r *bufio.Reader, words ...string) bool {
	for _, w := range words {
		if b, _ := r.Peek(len(w)); string(b) == w {
			return true
		}
	}
	return false
}

// drain reads the end of the body, so that the connection can serve the next
// request. It gives up at once when there is more.
func (x *exchange) drain() {
	if x.resp.ProtoMajor == 1 {
		x.idle = drainTime
		io.CopyN(io.Discard, x, 1<<10)
	}
}

// close ends the exchange and closes its connection, unless all was read.
func (x *exchange) close() {
	x.resp.Body.Close()
	x.cancel(nil)
}
