package modeltest

import (
	"net/http"
	"strconv"
	"time"

	"github.com/daruma-dev/daruma/model"
)

// Failure is a status answer. Only Status is needed.
type Failure struct {
	Status  int
	Type    string // the error type; empty: the one that goes with the status
	Code    string // the error's details.error_code
	Message string // empty: one that goes with the type
	// Header holds more headers of the answer, by their canonical names.
	Header map[string]string
}

// Reply is the reply that consists of the failure.
func (f Failure) Reply() Reply { return Reply{}.with(failureStep{f}) }

// RetryAfter is a copy that asks to wait so many seconds.
func (f Failure) RetryAfter(seconds int) Failure {
	return f.header("Retry-After", strconv.Itoa(seconds))
}

func (f Failure) header(name, value string) Failure {
	h := make(map[string]string, len(f.Header)+1)
	for k, v := range f.Header {
		h[k] = v
	}
	h[http.CanonicalHeaderKey(name)] = value
	f.Header = h
	return f
}

// filled is the failure with type and message in place.
func (f Failure) filled() Failure {
	if f.Type == "" {
		f.Type = typeOf(f.Status)
	}
	if f.Message == "" {
		f.Message = wordsOf(f.Type)
	}
	return f
}

// typeOf is the error type that goes with a status.
func typeOf(status int) string {
	switch status {
	case http.StatusUnauthorized:
		return "authentication_error"
	case http.StatusPaymentRequired:
		return "billing_error"
	case http.StatusForbidden:
		return "permission_error"
	case http.StatusNotFound:
		return "not_found_error"
	case http.StatusConflict:
		return "conflict_error"
	case http.StatusRequestEntityTooLarge:
		return "request_too_large"
	case http.StatusTooManyRequests:
		return "rate_limit_error"
	case http.StatusRequestTimeout, http.StatusGatewayTimeout:
		return "timeout_error"
	case statusOverloaded:
		return "overloaded_error"
	}
	if status >= 500 {
		return "api_error"
	}
	return "invalid_request_error"
}

// statusOf is the status that goes with an error type.
func statusOf(kind string) int {
	for _, status := range []int{401, 402, 403, 404, 409, 413, 429, 504, statusOverloaded, 500} {
		if typeOf(status) == kind {
			return status
		}
	}
	return http.StatusBadRequest
}

// statusOverloaded is not in the registry of statuses.
const statusOverloaded = 529

// wordsOf is what the service says with an error type when nothing special is
// the matter.
func wordsOf(kind string) string {
	switch kind {
	case "authentication_error":
		return "invalid x-api-key"
	case "billing_error":
		return "Your credit balance is too low to access the API."
	case "permission_error":
		return "Your API key does not have permission to use the specified resource."
	case "not_found_error":
		return "Not Found"
	case "conflict_error":
		return "The request conflicts with another one."
	case "request_too_large":
		return "Request exceeds the maximum size"
	case "rate_limit_error":
		return "This request would exceed your rate limit."
	case "timeout_error":
		return "Request timed out"
	case "overloaded_error":
		return "Overloaded"
	case "api_error":
		return "Internal server error"
	default:
		return "Invalid request"
	}
}

// asError is the failure as a [model.Client] reports it.
func (f Failure) asError() *model.Error {
	f = f.filled()
	e := &model.Error{
		Provider: provider, Status: f.Status, Type: f.Type, Code: f.Code, Message: f.Message,
		RetryAfter: retryAfter(f.Header["Retry-After"]),
	}
	if v, err := strconv.ParseBool(f.Header["X-Should-Retry"]); err == nil {
		e.ShouldRetry = &v
	}
	classify(e)
	return e
}

// asError is the other body as a [model.Client] reports it.
func (s bodyStep) asError() *model.Error {
	e := &model.Error{
		Kind: model.BadReply, Provider: provider, Status: s.status,
		Message: "the answer is " + s.mime + ", not an event stream",
	}
	if s.status != http.StatusOK {
		e.Kind = kindOfStatus(s.status)
	}
	return e
}

func retryAfter(value string) time.Duration {
	n, err := strconv.ParseFloat(value, 64)
	if err != nil || n < 0 {
		return 0
	}
	return time.Duration(n * float64(time.Second))
}
