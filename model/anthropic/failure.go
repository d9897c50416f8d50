package anthropic

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/daruma-dev/daruma/internal/sse"
	"github.com/daruma-dev/daruma/model"
)

// refusal is the error of an answer whose status is not 200.
func (x *exchange) refusal() error {
	b, err := io.ReadAll(io.LimitReader(x, maxErrorBody))
	if err != nil && x.caller.Err() != nil {
		return x.failure(err)
	}
	e := classify(answer{status: x.resp.StatusCode, header: x.resp.Header, body: b, now: time.Now()})
	if loc, err := url.Parse(x.resp.Header.Get("Location")); e.Status/100 == 3 && err == nil && loc.Host != "" {
		e.Message = fmt.Sprintf("the server redirects to %s://%s; set the base URL to where the API is", loc.Scheme, loc.Host)
	}
	return x.c.fault(e)
}

// notTheProtocol is the error of an answer with status 200 that is no event
// stream: an error object, or something from a proxy or another server.
func (x *exchange) notTheProtocol(body []byte) error {
	a := answer{status: http.StatusOK, header: x.resp.Header, body: body, now: time.Now()}
	if looksLikeError(body) {
		return x.c.fault(classify(a))
	}
	kind := x.resp.Header.Get("Content-Type")
	if kind == "" {
		kind = "no content type"
	}
	msg := fmt.Sprintf("HTTP 200 with %s where a reply of the Messages API was due", kind)
	if words := plain(body); words != "" {
		msg += ": " + words
	}
	return x.c.fault(&model.Error{Kind: model.BadReply, Status: http.StatusOK, RequestID: requestID(a.header, ""), Message: msg})
}

// failure is the error for err, which ended the exchange: a failed connection or
// read, or whatever followed from a context that ended.
func (x *exchange) failure(err error) error {
	if outer := new(url.Error); errors.As(err, &outer) {
		err = outer.Err // its text names the URL, which may hold a password
	}
	e := &model.Error{Kind: model.Network, Err: err}
	if x.resp != nil {
		e.Kind, e.Status, e.RequestID = model.Cut, x.resp.StatusCode, requestID(x.resp.Header, "")
		e.Message = "the connection closed before the reply was complete"
	}
	switch cause := context.Cause(x.ctx); {
	case x.caller.Err() != nil:
		return x.c.fault(&model.Error{Kind: model.Canceled, RequestID: e.RequestID, Err: context.Cause(x.caller)})
	case errors.Is(cause, errNoAnswer):
		e.Kind, e.Message, e.Err = model.Timeout, fmt.Sprintf("no answer within %v", x.c.opts.FirstByte), cause
	case errors.Is(cause, errSilent):
		e.Kind, e.Message, e.Err = model.Stalled, fmt.Sprintf("no sign of life for %v", x.c.opts.IdleTimeout), cause
	case errors.Is(err, sse.ErrTooLong):
		e.Kind, e.Message = model.BadReply, err.Error()
	case e.Kind == model.Network:
		e.Message = x.c.whyNetwork(err)
	}
	return x.c.fault(e)
}

// whyNetwork is err in words, with a hint where the cure is known.
func (c *Client) whyNetwork(err error) string {
	why := err.Error()
	if errors.Is(err, io.EOF) {
		why = "the server closed the connection without an answer"
	}
	var unknown x509.UnknownAuthorityError
	if errors.As(err, &unknown) {
		why += "; if a proxy signs with its own certificate, name its file in NODE_EXTRA_CA_CERTS"
		if _, caErr := c.http(); caErr != nil {
			why += " (" + strings.TrimPrefix(caErr.Error(), "anthropic: ") + ")"
		}
	}
	return why
}

// replyFailure is the error for a reply that take refused at event e.
func (x *exchange) replyFailure(e sse.Event, err error) error {
	var fromServer errorEvent
	if errors.As(err, &fromServer) {
		a := answer{status: http.StatusOK, header: x.resp.Header, body: fromServer.body, now: time.Now()}
		return x.c.fault(classify(a))
	}
	if e.Last { // broken because it is cut short
		return x.failure(io.ErrUnexpectedEOF)
	}
	return x.c.fault(&model.Error{
		Kind: model.BadReply, Status: http.StatusOK, RequestID: requestID(x.resp.Header, ""), Message: err.Error(), Err: err,
	})
}

// fault completes an error: it names the provider and shows no credential.
func (c *Client) fault(e *model.Error) *model.Error {
	e.Provider = c.opts.Provider
	e.Message = c.scrub(e.Message)
	if e.Err != nil && c.scrub(e.Err.Error()) != e.Err.Error() {
		e.Err = errors.New(c.scrub(e.Err.Error()))
	}
	return e
}
