package clienttest

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/model"
	"github.com/daruma-dev/daruma/model/modeltest"
)

// kindRules are about failures that the service reports.
func kindRules() []rule {
	return []rule{
		{
			name:  "status answers",
			says:  "each answer that is a failure has its Kind and what the service said, and is not tried again",
			check: checkFailures,
		},
		{
			name:  "error events",
			says:  "an error event inside the stream ends it with the Kind of its type and status 200; parts done before are whole",
			check: checkErrorEvents,
		},
		{
			name:  "how long to wait",
			says:  "RetryAfter is what the server asked for in retry-after-ms or retry-after, in seconds or as a date",
			wire:  true,
			check: checkRetryAfter,
		},
		{
			name: "failures without the envelope",
			says: "a failure whose body is not the service's has the Kind of its status",
			wire: true,
			check: func(s *stage) error {
				for _, tt := range []struct {
					status int
					kind   model.Kind
				}{
					{400, model.BadRequest},
					{401, model.Auth},
					{403, model.Forbidden},
					{404, model.NotFound},
					{413, model.TooLarge},
					{429, model.RateLimited},
					{500, model.Unavailable},
					{502, model.Unavailable},
					{503, model.Unavailable},
					{504, model.Timeout},
					{529, model.Overloaded},
				} {
					err := failEach(s, tt.kind,
						modeltest.Body(tt.status, "text/html", "<html><body>go away</body></html>"),
						modeltest.Body(tt.status, "application/json", `{"error":"go away"}`),
						modeltest.Body(tt.status, "text/plain", ""))
					if err != nil {
						return err
					}
				}
				return nil
			},
		},
		{
			name: "a web page",
			says: "an answer with status 200 that is not the protocol is a failure of kind BadReply that says what came, never an empty reply",
			check: func(s *stage) error {
				return failEach(s, model.BadReply, modeltest.Body(200, "text/html", "<html>login</html>"))
			},
		},
		{
			name: "broken events",
			says: "an event of the protocol whose data is not JSON is a failure of kind BadReply",
			wire: true,
			check: func(s *stage) error {
				return failEach(s, model.BadReply,
					streamBody(startEvent+"event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":\n\n"+endEvent+stopEvent))
			},
		},
		{
			name: "an error instead of a reply",
			says: "an error document with status 200 is a failure, whatever media type it claims",
			wire: true,
			check: func(s *stage) error {
				const doc = `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`
				return failEach(s, model.Overloaded,
					modeltest.Body(200, "application/json", doc), streamBody("event: error\ndata: "+doc+"\n\n"), streamBody("data: "+doc+"\n\n"))
			},
		},
		{
			name: "nobody there",
			says: "a server that cannot be reached is a failure of kind Network",
			wire: true,
			check: func(s *stage) error {
				sc, err := s.play()
				if err != nil {
					return err
				}
				if err := sc.end(); err != nil {
					return err
				}
				_, err = sc.fail(question("hi"), model.Network)
				return err
			},
		},
		{
			name:  "secrets",
			says:  "no failure repeats the API key, even when the server does",
			wire:  true,
			check: checkSecrets,
		},
	}
}

// failures are the answers that the service documents, and those that we have
// to recognise by their words.
func failures() []struct {
	failure modeltest.Failure
	want    model.Error
} {
	type c = struct {
		failure modeltest.Failure
		want    model.Error
	}
	yes, no := true, false
	simple := func(status int, typ string, kind model.Kind) c {
		return c{modeltest.Failure{Status: status, Type: typ, Message: "words"}, model.Error{Kind: kind, Status: status, Type: typ, Message: "words"}}
	}
	invalid := func(words string, want model.Error) c {
		want.Status, want.Type, want.Message = 400, "invalid_request_error", words
		return c{modeltest.Failure{Status: 400, Message: words}, want}
	}
	limited := func(f modeltest.Failure, want model.Error) c {
		f.Status, f.Message = 429, "words"
		want.Status, want.Type, want.Message, want.Code = 429, "rate_limit_error", "words", f.Code
		return c{f, want}
	}
	return []c{
		simple(400, "invalid_request_error", model.BadRequest),
		simple(401, "authentication_error", model.Auth),
		simple(402, "billing_error", model.Billing),
		simple(403, "permission_error", model.Forbidden),
		simple(404, "not_found_error", model.NotFound),
		simple(408, "timeout_error", model.Timeout),
		simple(409, "conflict_error", model.Conflict),
		simple(413, "request_too_large", model.TooLarge),
		simple(429, "rate_limit_error", model.RateLimited),
		simple(500, "api_error", model.Unavailable),
		simple(502, "api_error", model.Unavailable),
		simple(503, "api_error", model.Unavailable),
		simple(504, "timeout_error", model.Timeout),
		simple(529, "overloaded_error", model.Overloaded),

		invalid("prompt is too long: 203284 tokens > 200000 maximum", model.Error{Kind: model.Overflow, Actual: 203284, Limit: 200000}),
		invalid("prompt is too long", model.Error{Kind: model.Overflow}),
		invalid("Input is too long for requested model.", model.Error{Kind: model.Overflow}),
		invalid("You have reached your specified API usage limits. You will regain access on 2026-12-01.", model.Error{Kind: model.Quota}),
		invalid("messages.0.content.0.image.source.base64: image exceeds 10 MB maximum: 11000000 bytes > 10485760 bytes", model.Error{Kind: model.Media}),
		invalid("messages.0.content.0.image.source.base64.data: At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels",
			model.Error{Kind: model.Media}),
		invalid("messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: t1.", model.Error{Kind: model.BadRequest}),
		{
			modeltest.Failure{Status: 400, Code: "image_dimensions_too_large", Message: "words"},
			model.Error{Kind: model.Media, Status: 400, Type: "invalid_request_error", Code: "image_dimensions_too_large", Message: "words"},
		},

		limited(modeltest.Failure{Code: "enforced_spend_limit_reached"}, model.Error{Kind: model.Quota}),
		limited(modeltest.Failure{Code: "contract_spend_limit_reached"}, model.Error{Kind: model.Quota}),
		limited(modeltest.Failure{Code: "ramp_limit_exceeded"}, model.Error{Kind: model.RateLimited}),
		limited(modeltest.Failure{Code: "enforced_spend_limit_reached"}.RetryAfter(7), model.Error{Kind: model.RateLimited, RetryAfter: 7 * time.Second}),
		limited(modeltest.Failure{Header: map[string]string{"X-Should-Retry": "false"}}, model.Error{Kind: model.RateLimited, ShouldRetry: &no}),
		limited(modeltest.Failure{Header: map[string]string{"X-Should-Retry": "true", "Retry-After": "2"}},
			model.Error{Kind: model.RateLimited, ShouldRetry: &yes, RetryAfter: 2 * time.Second}),
	}
}

func checkFailures(s *stage) error {
	for _, f := range failures() {
		sc, err := s.play(f.failure.Reply(), modeltest.Say("never"))
		if err != nil {
			return err
		}
		o, err := sc.fail(question("hi"), f.want.Kind)
		if err == nil {
			err = errors.Join(sc.came(1), sameError(*o.err, f.want), sc.requestID(o.err))
		}
		if err != nil {
			return fmt.Errorf("%s%w", f.failure.Reply(), err)
		}
	}
	return nil
}

// sameError compares what the service said. Which provider it was, and what is
// below the error, is up to the client.
func sameError(got, want model.Error) error {
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(model.Error{}, "Provider", "RequestID", "Err")); diff != "" {
		return fmt.Errorf("the failure differs (- should be, + is):\n%s", diff)
	}
	return nil
}

// requestID says what is wrong unless the failure names the request as the
// service did, and the provider.
func (sc *scene) requestID(e *model.Error) error {
	switch {
	case sc.server == nil:
		return nil
	case e.RequestID != "req_000001":
		return fmt.Errorf("the failure has the request id %q instead of %q", e.RequestID, "req_000001")
	case e.Provider != "anthropic":
		return fmt.Errorf("the failure names the provider %q", e.Provider)
	}
	return nil
}

func checkErrorEvents(s *stage) error {
	for typ, kind := range map[string]model.Kind{
		"overloaded_error": model.Overloaded, "api_error": model.Unavailable, "timeout_error": model.Timeout,
		"rate_limit_error": model.RateLimited, "invalid_request_error": model.BadRequest, "authentication_error": model.Auth,
		"permission_error": model.Forbidden, "not_found_error": model.NotFound, "request_too_large": model.TooLarge,
		"billing_error": model.Billing, "conflict_error": model.Conflict,
	} {
		for _, before := range []modeltest.Reply{modeltest.Reply{}.Start(), modeltest.Say("half a reply")} {
			sc, err := s.play(before.Error(typ, "words"), modeltest.Say("never"))
			if err != nil {
				return err
			}
			o, err := sc.fail(question("hi"), kind)
			if err == nil {
				err = errors.Join(sc.came(1), sc.requestID(o.err), sameError(*o.err, model.Error{Kind: kind, Status: 200, Type: typ, Message: "words"}))
			}
			if err != nil {
				return fmt.Errorf("%s: %w", typ, err)
			}
			if len(o.parts) > 0 {
				if err := o.is(message.Text{Text: "half a reply"}); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func checkRetryAfter(s *stage) error {
	for _, tt := range []struct {
		header map[string]string
		want   time.Duration
	}{
		{map[string]string{"Retry-After": "3"}, 3 * time.Second},
		{map[string]string{"Retry-After-Ms": "1500"}, 1500 * time.Millisecond},
		{map[string]string{"Retry-After-Ms": "1500", "Retry-After": "3"}, 1500 * time.Millisecond},
		{map[string]string{"Retry-After": time.Now().Add(time.Minute).UTC().Format(http.TimeFormat)}, time.Minute},
		{map[string]string{"Retry-After": "soon"}, 0},
		{map[string]string{"Retry-After": "-1"}, 0},
	} {
		sc, err := s.play(modeltest.Failure{Status: 529, Header: tt.header}.Reply())
		if err != nil {
			return err
		}
		o, err := sc.fail(question("hi"), model.Overloaded)
		if err != nil {
			return err
		}
		if d := o.err.RetryAfter - tt.want; d < -time.Second || d > 0 || tt.want < time.Minute && d != 0 {
			return fmt.Errorf("%v gave %s instead of %s", tt.header, o.err.RetryAfter, tt.want)
		}
	}
	return nil
}

func checkSecrets(s *stage) error {
	for _, r := range []modeltest.Reply{
		modeltest.Failure{Status: 401, Message: "invalid x-api-key " + key}.Reply(),
		modeltest.Body(502, "text/html", "<html>your key is "+key+"</html>"),
		modeltest.Body(200, "text/html", "<html>your key is "+key+"</html>"),
		modeltest.Reply{}.Start().Error("api_error", "cannot use "+key),
	} {
		sc, err := s.play(r)
		if err != nil {
			return err
		}
		o, err := sc.ask(question("hi"))
		if err != nil {
			return err
		}
		if o.err == nil {
			return errors.New("the reply ended well")
		}
		for _, text := range []string{o.err.Error(), fmt.Sprintf("%+v", *o.err), fmt.Sprint(o.err.Err), fmt.Sprintf("%+v", sc.client)} {
			if strings.Contains(text, key) {
				return fmt.Errorf("the key is in %q", text)
			}
		}
	}
	return nil
}
