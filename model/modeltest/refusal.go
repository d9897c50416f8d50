package modeltest

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// refusal is why a request is not answered: the failure the service gives.
type refusal struct {
	Failure
	limit bool // the request was too large or broken off, not wrong
	edge  bool // a proxy before the service refuses, in its own words
}

// Error is what the service says.
func (r *refusal) Error() string { return r.filled().Message }

// invalid is the refusal of a wrong request.
func invalid(status int, format string, args ...any) *refusal {
	return &refusal{Failure: Failure{Status: status, Message: fmt.Sprintf(format, args...)}}
}

// wrong is the usual refusal: invalid_request_error.
func wrong(format string, args ...any) *refusal {
	return invalid(http.StatusBadRequest, format, args...)
}

// asRefusal is err as a refusal. All of ours are.
func asRefusal(err error) *refusal {
	if r, ok := errors.AsType[*refusal](err); ok {
		return r
	}
	return invalid(http.StatusInternalServerError, "%v", err)
}

// refuse answers with an error and keeps it in the record.
func (x *exchange) refuse(err error) {
	r := asRefusal(err)
	words := r.Error()
	x.server.note(func() { x.rec.Refused = words })
	if !r.limit {
		x.server.problem("%s %s: %s", x.r.Method, x.r.URL.Path, words)
	}
	if r.edge {
		x.answer(r.Status, "text/html", []byte(edgePage))
		return
	}
	x.fail(r.Failure)
}

// edgePage is how a proxy refuses what never reaches the service.
const edgePage = "<html>\r\n<head><title>413 Request Entity Too Large</title></head>\r\n" +
	"<body>\r\n<center><h1>413 Request Entity Too Large</h1></center>\r\n</body>\r\n</html>\r\n"

// wireErrorOut is the envelope of all errors.
type wireErrorOut struct {
	Type      string         `json:"type"`
	Error     wireErrorInner `json:"error"`
	RequestID string         `json:"request_id,omitempty"`
}

type wireErrorInner struct {
	Details *wireErrorDetails `json:"details,omitempty"`
	Type    string            `json:"type"`
	Message string            `json:"message"`
}

type wireErrorDetails struct {
	ErrorCode string `json:"error_code"`
}

func errorBody(f Failure, requestID string) []byte {
	out := wireErrorOut{Type: "error", Error: wireErrorInner{Type: f.Type, Message: f.Message}, RequestID: requestID}
	if f.Code != "" {
		out.Error.Details = &wireErrorDetails{f.Code}
	}
	return mustMarshal(out)
}

// fail answers with a failure.
func (x *exchange) fail(f Failure) {
	f = f.filled()
	for name, value := range f.Header {
		x.w.Header().Set(name, value)
	}
	x.json(f.Status, errorBody(f, x.requestID()))
}

// checkHeaders checks what every request has to bring.
func checkHeaders(r *http.Request, key string) error {
	got, bearer := r.Header.Get("X-Api-Key"), strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	switch {
	case got == "" && bearer == "":
		return invalid(http.StatusUnauthorized, "x-api-key header is required")
	case key != "" && got != key && bearer != key:
		return invalid(http.StatusUnauthorized, "invalid x-api-key")
	case r.Header.Get("Anthropic-Version") == "":
		return wrong("anthropic-version: header is required")
	case !knownVersion(r.Header.Get("Anthropic-Version")):
		return wrong("anthropic-version: %q is not a valid version", r.Header.Get("Anthropic-Version"))
	case len(r.Header.Values("Anthropic-Beta")) > 1:
		return wrong("anthropic-beta: the header may be given once, with its values between commas")
	case r.Method == http.MethodPost && !strings.HasPrefix(r.Header.Get("Content-Type"), "application/json"):
		return wrong("content-type: %q must be application/json", r.Header.Get("Content-Type"))
	}
	return nil
}

func knownVersion(v string) bool {
	return v == "2023-01-01" || v == "2023-06-01" || v == "2026-10-21"
}
