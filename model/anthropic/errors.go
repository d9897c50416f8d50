package anthropic

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/daruma-dev/daruma/model"
)

// This file is the one place that knows what a server means by an error. The
// order of trust is: the error code, then status and type, and the words only
// where these leave it open. The overflow messages are those of every server
// that is known to speak this protocol.

// statusKinds says what a status means. Others from 500 on are Unavailable, and
// what is left is BadRequest.
var statusKinds = []struct {
	status int
	kind   model.Kind
}{
	{301, model.NotFound},
	{302, model.NotFound},
	{303, model.NotFound},
	{307, model.NotFound},
	{308, model.NotFound}, // a wrong base URL
	{401, model.Auth},
	{402, model.Billing},
	{403, model.Forbidden},
	{404, model.NotFound},
	{405, model.NotFound},
	{407, model.Auth},
	{408, model.Timeout},
	{409, model.Conflict},
	{410, model.NotFound},
	{413, model.TooLarge},
	{429, model.RateLimited},
	{504, model.Timeout},
	{524, model.Timeout},
	{529, model.Overloaded},
}

// typeKinds says what error.type means. It decides inside a stream and for the
// statuses 400, 422 and 500, which gateways use for everything.
var typeKinds = []struct {
	name string
	kind model.Kind
}{
	{"invalid_request_error", model.BadRequest},
	{"authentication_error", model.Auth},
	{"billing_error", model.Billing},
	{"permission_error", model.Forbidden},
	{"not_found_error", model.NotFound},
	{"conflict_error", model.Conflict},
	{"request_too_large", model.TooLarge},
	{"rate_limit_error", model.RateLimited},
	{"api_error", model.Unavailable},
	{"timeout_error", model.Timeout},
	{"overloaded_error", model.Overloaded},
	{"exceed_context_size_error", model.Overflow}, // llama.cpp
	{"server_error", model.Unavailable},
}

// codeKinds says what an error code, or a type that some servers use like one,
// means, whatever else the answer says.
var codeKinds = []struct {
	code string
	kind model.Kind
}{
	{"context_length_exceeded", model.Overflow},
	{"prompt_too_long", model.Overflow},
	{"image_dimensions_too_large", model.Media},
	{"request_body_too_large_after_decoding", model.TooLarge},
	{"insufficient_quota", model.Quota},
}

// spendLimits are the codes of a 429 that waiting does not lift, unless the
// server says how long to wait.
var spendLimits = []string{"enforced_spend_limit_reached", "contract_spend_limit_reached"}

// overflows are the ways to say that the input does not fit, in lower case. #
// stands for a number and * for any text. The letters say what each number is:
// a for a part of the actual count, l for the limit. The first match counts.
var overflows = []struct{ pattern, numbers string }{
	{"prompt is too long: # tokens > # maximum", "al"},
	{"prompt is too long", ""},
	{"exceed context limit: # + # > #", "aal"},
	{"exceed context limit", ""},
	{"input is too long for requested model", ""}, // Bedrock
	{"input token count (#) exceeds the maximum number of tokens allowed (#)", "al"},
	{"request (# tokens) exceeds the available context size (# tokens)", "al"}, // llama.cpp
	{"exceeds the available context size", ""},
	{"context size has been exceeded", ""},
	{"maximum context length is # tokens*for a total of # tokens", "la"}, // vLLM
	{"maximum context length is # tokens*you requested about # tokens", "la"},
	{"maximum context length is # tokens*you requested # tokens", "la"},
	{"maximum context length is # tokens*you requested # output tokens and your prompt contains at least # input tokens", "laa"},
	{"maximum context length is # tokens*your request has # input tokens", "la"},
	{"maximum context length is # tokens", "l"},
	{"you passed # input tokens and requested # output tokens*context length is only # tokens", "aal"},
	{"n_keep: #>= n_ctx: #", "al"}, // LM Studio
	{"greater than the context length", ""},
	{"loaded with context length of only # tokens", "l"},
	{"input length exceeds the context length", ""}, // Ollama
	{"prompt_too_long", ""},
	{"context_length_exceeded", ""},
}

// capWords are messages about money, in lower case, that come with statuses of
// other meaning.
var capWords = []struct {
	words string
	kind  model.Kind
}{
	{"you have reached your specified api usage limits", model.Quota},
	{"credit balance is too low", model.Billing},
}

// mediaWords are what the messages about images and documents have in common,
// in lower case. There are many such messages and only one cure.
var mediaWords = []string{"image", "pdf", "document.source"}

// answer is an error answer: the whole HTTP answer, or with status 200 an error
// object from inside a stream together with the answer's header.
type answer struct {
	status int
	header http.Header
	body   []byte
	now    time.Time // for a Retry-After that is a date
}

// classify makes an error of an answer. Provider is left empty.
func classify(a answer) *model.Error {
	d := parseDetails(a.body)
	e := &model.Error{
		Status: a.status, Type: plain([]byte(d.kind)), Code: plain([]byte(d.code)), Message: d.message,
		RequestID:  requestID(a.header, plain([]byte(d.requestID))),
		RetryAfter: retryAfter(a.header, a.now), ShouldRetry: shouldRetry(a.header),
	}
	if e.Message == "" {
		e.Message = http.StatusText(a.status)
	}
	e.Kind = kindOf(e)
	if e.Kind == model.Overflow {
		e.Actual, e.Limit = d.actual, d.limit
		if _, actual, limit := overflow(e.Message); e.Actual == 0 && e.Limit == 0 {
			e.Actual, e.Limit = actual, limit
		}
	}
	return e
}

// kindOf is the kind of an error whose other fields are known.
func kindOf(e *model.Error) model.Kind {
	for _, c := range codeKinds {
		if c.code == e.Code || c.code == e.Type {
			return c.kind
		}
	}
	if slices.Contains(spendLimits, e.Code) && e.RetryAfter == 0 {
		return model.Quota
	}
	return byWords(statusOrType(e.Status, e.Type), strings.ToLower(e.Message))
}

func statusOrType(status int, name string) model.Kind {
	for _, s := range statusKinds {
		if s.status == status {
			return s.kind
		}
	}
	for _, t := range typeKinds {
		if t.name == name {
			return t.kind
		}
	}
	if status >= 500 || status < 300 {
		return model.Unavailable
	}
	return model.BadRequest
}

// byWords is the kind that the words mean where kind leaves it open.
func byWords(kind model.Kind, words string) model.Kind {
	wrong := kind == model.BadRequest || kind == model.TooLarge
	failed := kind == model.Unavailable
	if wrong || failed || kind == model.RateLimited {
		for _, c := range capWords {
			if strings.Contains(words, c.words) {
				return c.kind
			}
		}
	}
	if wrong || failed {
		if ok, _, _ := overflow(words); ok {
			return model.Overflow
		}
	}
	if wrong && slices.ContainsFunc(mediaWords, func(w string) bool { return strings.Contains(words, w) }) {
		return model.Media
	}
	return kind
}

// overflow reports whether a message says that the input does not fit, and the
// figures that it gives.
func overflow(msg string) (ok bool, actual, limit int64) {
	msg = strings.ToLower(msg)
	for _, o := range overflows {
		ns, ok := match(msg, o.pattern)
		if !ok {
			continue
		}
		for i, n := range ns {
			if o.numbers[i] == 'a' {
				actual += n
			} else {
				limit = n
			}
		}
		return true, actual, limit
	}
	return false, 0, 0
}

// match looks for a pattern of the table overflows in s and returns its numbers.
func match(s, pattern string) (ns []int64, ok bool) {
	anywhere := true // the next literal need not follow at once
	for pattern != "" {
		end := strings.IndexAny(pattern, "#*")
		if end < 0 {
			end = len(pattern)
		}
		i := strings.Index(s, pattern[:end])
		if i < 0 || i > 0 && !anywhere {
			return nil, false
		}
		s, pattern = s[i+end:], pattern[end:]
		switch anywhere = false; {
		case strings.HasPrefix(pattern, "#"):
			n, rest, ok := leadingNumber(s)
			if !ok {
				return nil, false
			}
			ns, s, pattern = append(ns, n), rest, pattern[1:]
		case strings.HasPrefix(pattern, "*"):
			anywhere, pattern = true, pattern[1:]
		}
	}
	return ns, true
}

// leadingNumber reads the number at the start of s; commas may part thousands.
func leadingNumber(s string) (n int64, rest string, ok bool) {
	rest = strings.TrimLeft(s, "0123456789,")
	digits := strings.TrimRight(s[:len(s)-len(rest)], ",")
	n, err := strconv.ParseInt(strings.ReplaceAll(digits, ",", ""), 10, 64)
	return n, s[len(digits):], err == nil
}

// details are what an error body says.
type details struct {
	kind, code, message, requestID string
	actual, limit                  int64
}

// parseDetails reads the API's envelope and the shapes that compatible servers
// and the gateways before them use: "error" as a string, all fields at the top,
// "detail", plain text, HTML.
func parseDetails(body []byte) details {
	outer, err := splitObject(body)
	if err != nil {
		return details{message: plain(body)}
	}
	d := details{requestID: outer.text("request_id")}
	in, err := splitObject(outer.get("error"))
	if err != nil {
		in = outer
		d.message = outer.text("error")
	}
	if d.kind = in.text("type"); d.kind == "error" {
		d.kind = ""
	}
	d.code = in.code()
	for _, key := range []string{"message", "Message", "detail"} {
		if d.message == "" {
			d.message = in.text(key)
		}
	}
	if d.message == "" {
		d.message = string(body)
	}
	d.message = plain([]byte(d.message))
	json.Unmarshal(in.get("n_prompt_tokens"), &d.actual)
	json.Unmarshal(in.get("n_ctx"), &d.limit)
	return d
}

// code is an error's code: details.error_code, or code where that is a word.
func (fs fields) code() string {
	if in, err := splitObject(fs.get("details")); err == nil && in.text("error_code") != "" {
		return in.text("error_code")
	}
	return fs.text("code")
}

// looksLikeError reports whether a body with status 200 is an error object.
func looksLikeError(body []byte) bool {
	fs, err := splitObject(body)
	e := fs.get("error")
	return err == nil && (fs.text("type") == "error" || len(e) > 0 && string(e) != "null")
}

func requestID(h http.Header, body string) string {
	for _, id := range []string{h.Get("Request-Id"), h.Get("X-Request-Id"), body} {
		if id != "" {
			return id
		}
	}
	return ""
}

func shouldRetry(h http.Header) *bool {
	v, err := strconv.ParseBool(h.Get("X-Should-Retry"))
	if err != nil {
		return nil
	}
	return &v
}

// maxRetryAfter bounds what a header can ask for; the loop has its own patience.
const maxRetryAfter = 365 * 24 * time.Hour

// retryAfter is how long the server asks to wait: Retry-After-Ms, or Retry-After
// in seconds or as a date (RFC 9110 §10.2.3). It is 0 when the server does not
// ask, or asks for a time that has passed.
func retryAfter(h http.Header, now time.Time) time.Duration {
	wait := func(name string, unit time.Duration) (time.Duration, bool) {
		n, err := strconv.ParseFloat(strings.TrimSpace(h.Get(name)), 64)
		if err != nil || !(n >= 0) {
			return 0, false
		}
		return time.Duration(min(n*float64(unit), float64(maxRetryAfter))), true
	}
	if d, ok := wait("Retry-After-Ms", time.Millisecond); ok {
		return d
	}
	if d, ok := wait("Retry-After", time.Second); ok {
		return d
	}
	if t, err := http.ParseTime(h.Get("Retry-After")); err == nil {
		return min(max(0, t.Sub(now)), maxRetryAfter)
	}
	return 0
}
