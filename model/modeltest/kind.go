package modeltest

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/daruma-dev/daruma/model"
)

// provider names the scripted client in its errors.
const provider = "modeltest"

// wireName is the protocol that all raw blocks here belong to.
const wireName = "anthropic"

// classify sets Kind, Actual and Limit of an error from its other fields. It is
// written apart from the one of the real client, so that they check each other.
func classify(e *model.Error) {
	if e.Status == http.StatusOK {
		e.Kind = kindOfType(e.Type)
	} else {
		e.Kind = kindOfStatus(e.Status)
	}
	if e.Kind == model.RateLimited && capped(e.Code) && e.RetryAfter == 0 {
		e.Kind = model.Quota
	}
	if e.Kind == model.BadRequest {
		classifyWords(e)
	}
}

func capped(code string) bool {
	return code == "enforced_spend_limit_reached" || code == "contract_spend_limit_reached"
}

func kindOfStatus(status int) model.Kind {
	switch status {
	case http.StatusUnauthorized:
		return model.Auth
	case http.StatusPaymentRequired:
		return model.Billing
	case http.StatusForbidden:
		return model.Forbidden
	case http.StatusNotFound:
		return model.NotFound
	case http.StatusRequestTimeout, http.StatusGatewayTimeout:
		return model.Timeout
	case http.StatusConflict:
		return model.Conflict
	case http.StatusRequestEntityTooLarge:
		return model.TooLarge
	case http.StatusTooManyRequests:
		return model.RateLimited
	case statusOverloaded:
		return model.Overloaded
	}
	if status >= 500 {
		return model.Unavailable
	}
	return model.BadRequest
}

// kindOfType is for errors inside a stream, which have no status of their own.
func kindOfType(kind string) model.Kind {
	switch kind {
	case "overloaded_error":
		return model.Overloaded
	case "rate_limit_error":
		return model.RateLimited
	case "timeout_error":
		return model.Timeout
	case "conflict_error":
		return model.Conflict
	case "authentication_error":
		return model.Auth
	case "permission_error":
		return model.Forbidden
	case "not_found_error":
		return model.NotFound
	case "billing_error":
		return model.Billing
	case "request_too_large":
		return model.TooLarge
	case "invalid_request_error":
		return model.BadRequest
	default:
		return model.Unavailable
	}
}

// classifyWords tells apart the 400s that have a cure. The service gives them
// no code, only these words.
func classifyWords(e *model.Error) {
	const tooLong = "prompt is too long"
	switch {
	case strings.Contains(e.Message, tooLong):
		e.Kind = model.Overflow
		figures := e.Message[strings.Index(e.Message, tooLong)+len(tooLong):]
		_, _ = fmt.Sscanf(figures, ": %d tokens > %d maximum", &e.Actual, &e.Limit) // some servers leave them out
	case strings.Contains(e.Message, "exceed context limit"), strings.Contains(e.Message, "Input is too long"):
		e.Kind = model.Overflow
	case strings.HasPrefix(e.Message, "You have reached your specified API usage limits"):
		e.Kind = model.Quota
	case e.Code == "request_body_too_large_after_decoding":
		e.Kind = model.TooLarge
	case e.Code == "image_dimensions_too_large", strings.Contains(e.Message, "image"):
		e.Kind = model.Media
	}
}
