package model

import (
	"fmt"
	"strings"
	"time"
)

// Kind says what went wrong with a request, in the terms that decide the cure.
// Everything the loop does about a failure follows from its Kind.
type Kind string

// The kinds. Who treats which: recovery layers of package loop/recovery.
const (
	Overflow    Kind = "overflow"     // more tokens than the window holds; Actual and Limit when the server said
	TooLarge    Kind = "too_large"    // the request body has too many bytes (413)
	Media       Kind = "media"        // an image or document is too large or unreadable
	RateLimited Kind = "rate_limited" // 429 with a chance: wait, then try again
	Overloaded  Kind = "overloaded"   // 529 and its kin: the service is there but full
	Unavailable Kind = "unavailable"  // 5xx: the service failed
	Timeout     Kind = "timeout"      // 408, 504: the service gave up waiting
	Conflict    Kind = "conflict"     // 409
	Network     Kind = "network"      // no connection: refused, reset, DNS, TLS
	Cut         Kind = "cut"          // the stream ended without its end
	Stalled     Kind = "stalled"      // the stream went silent for too long
	BadReply    Kind = "bad_reply"    // an answer that is not the protocol: HTML, broken JSON
	Auth        Kind = "auth"         // 401: the key is missing, wrong or expired
	Forbidden   Kind = "forbidden"    // 403
	NotFound    Kind = "not_found"    // 404: unknown or retired model, wrong base URL
	BadRequest  Kind = "bad_request"  // 400 that no known cure fits
	Billing     Kind = "billing"      // 402: out of credit
	Quota       Kind = "quota"        // a spending or usage cap that waiting does not lift
	Canceled    Kind = "canceled"     // our own context ended
)

// Kinds lists every Kind, in the order above.
func Kinds() []Kind {
	return []Kind{
		Overflow, TooLarge, Media, RateLimited, Overloaded, Unavailable, Timeout, Conflict, Network, Cut,
		Stalled, BadReply, Auth, Forbidden, NotFound, BadRequest, Billing, Quota, Canceled,
	}
}

// Transient reports whether the same request may well succeed a little later.
func (k Kind) Transient() bool {
	switch k {
	case RateLimited, Overloaded, Unavailable, Timeout, Conflict, Network, Cut, Stalled, BadReply:
		return true
	case Overflow, TooLarge, Media, Auth, Forbidden, NotFound, BadRequest, Billing, Quota, Canceled:
		return false
	default:
		panic(fmt.Sprintf("model: unhandled kind %q", string(k)))
	}
}

// Error is how every failure of a [Client] ends. It holds no request text and
// no key, so it may be logged and kept.
type Error struct {
	Kind     Kind   `json:"kind"`
	Provider string `json:"provider,omitempty"` // such as "anthropic"
	Status   int    `json:"status,omitempty"`   // HTTP status; 200 for a failure inside a stream; 0 when no answer came
	Type     string `json:"type,omitempty"`     // the provider's error type
	Code     string `json:"code,omitempty"`     // the provider's error code, where it has one
	Message  string `json:"message,omitempty"`  // the provider's words
	// RequestID is the provider's id of the request, for its support.
	RequestID string `json:"request_id,omitempty"`
	// RetryAfter is how long the server asked to wait; 0 when it did not ask.
	RetryAfter time.Duration `json:"retry_after,omitempty"`
	// ShouldRetry is the server's own verdict where it gave one.
	ShouldRetry *bool `json:"should_retry,omitempty"`
	// Actual and Limit are the token figures of an Overflow; 0 when not told.
	Actual int64 `json:"actual,omitempty"`
	Limit  int64 `json:"limit,omitempty"`

	Err error `json:"-"` // the cause below, such as a net error
}

// Error is one line: provider, what happened, the provider's words.
func (e *Error) Error() string {
	var b strings.Builder
	if e.Provider != "" {
		b.WriteString(e.Provider)
		b.WriteString(": ")
	}
	b.WriteString(strings.ReplaceAll(string(e.Kind), "_", " "))
	if e.Status != 0 && e.Status != 200 {
		fmt.Fprintf(&b, " (HTTP %d)", e.Status)
	}
	switch {
	case e.Message != "":
		b.WriteString(": ")
		b.WriteString(e.Message)
	case e.Err != nil:
		b.WriteString(": ")
		b.WriteString(e.Err.Error())
	}
	return b.String()
}

// Unwrap gives the cause below.
func (e *Error) Unwrap() error { return e.Err }
