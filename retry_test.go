package daruma_test

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/daruma-dev/daruma/loop"
	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/model/anthropic"
	"github.com/daruma-dev/daruma/model/modeltest"
)

// A server that says how long to wait is obeyed, and the user sees that
// (B029).
func TestRetryAfterIsObeyed(t *testing.T) {
	for header, want := range map[string]time.Duration{
		"retry-after=3":              3 * time.Second,
		"header.retry-after-ms=1500": 1500 * time.Millisecond,
		// A bubble's time begins with 2000.
		`header.retry-after="Sat, 01 Jan 2000 00:00:30 GMT"`: 30 * time.Second,
		// Then by plain back-off, below a second.
		"header.retry-after=soon": 0,
		"header.retry-after=-1":   0,
	} {
		t.Run(header, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBubble(t, modeltest.MustParse("http 429 "+header+"\n---\ntext \"ok\""), modeltest.Options{})
				a := b.agent(b.options())
				defer b.close(a)
				var waits []loop.Waiting
				for e, err := range a.Run(t.Context(), "hi") {
					if err != nil {
						t.Fatal(err)
					}
					if w, ok := e.(loop.Waiting); ok {
						waits = append(waits, w)
					}
				}
				rs := b.server.Requests()
				if gap := rs[1].Began.Sub(rs[0].Ended); gap < want || gap > want+time.Second {
					t.Errorf("asked again after %v, want %v", gap, want)
				}
				if len(waits) != 1 || waits[0].For < want || !strings.Contains(waits[0].Why, "rate limited") {
					t.Errorf("the user was told %+v", waits)
				}
			})
		})
	}
}

// What waiting does not cure is asked once. The user is told what to do, and
// the session goes on (B030, B031, B032).
func TestLastingFaultsAreNotRepeated(t *testing.T) {
	for _, tc := range []struct{ name, script, detail, hint string }{
		{"spend limit (B030)", `http 429 code=enforced_spend_limit_reached "over"`, "quota (HTTP 429): over", "spending limit"},
		{"quota of another server (B030)", `http 429 type=insufficient_quota "over"`, "quota (HTTP 429): over", "spending limit"},
		{"usage limit told as 400", `http 400 "You have reached your specified API usage limits."`, "quota (HTTP 400)", "spending limit"},
		{"out of credit (B031)", `http 402`, "billing (HTTP 402)", "billing"},
		{"out of credit told as 400", `http 400 "Your credit balance is too low to access the API."`, "billing (HTTP 400)", "billing"},
		{"bad request (B032)", `http 400 "bad field"`, "bad request (HTTP 400): bad field", "report"},
		{"bad request that says to retry", `http 400 header.x-should-retry=true "bad field"`, "bad request (HTTP 400): bad field", "report"},
		{"422", `http 422 "bad field"`, "bad request (HTTP 422): bad field", "report"},
		{"no key", `http 401`, "auth (HTTP 401)", "key"},
		{"not allowed", `http 403`, "forbidden (HTTP 403)", "permissions"},
		{"no such model", `http 404`, "not found (HTTP 404)", "name of the model"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBubble(t, modeltest.MustParse(tc.script+"\n---\ntext \"second answer\""), modeltest.Options{})
				a := b.agent(b.options())
				defer b.close(a)
				end := b.run(t.Context(), a, "first prompt")
				if end.Reason != loop.ModelError || !strings.Contains(end.Detail, tc.detail) || !strings.Contains(end.Hint, tc.hint) {
					t.Errorf("ended as %+v", end)
				}
				if n := len(b.server.Requests()); n != 1 {
					t.Errorf("%d requests", n)
				}
				b.answers(a, "second")
				if rs := b.server.Requests(); bytes.Equal(rs[0].Body, rs[1].Body) {
					t.Error("the same body was sent twice")
				}
			})
		})
	}
}

// A wait that is longer than anyone's patience ends the run, which says how long
// it is; where there is another model, that one is asked at once.
func TestLongWaitsAreTold(t *testing.T) {
	const later = `http 503 retry-after=3600`
	const never = `http 529 header.x-should-retry=false`
	for _, tc := range []struct {
		name, script string
		fallbacks    []string
		end          loop.End
		detail       string
		models       []string
	}{
		{"an hour", later, nil, loop.ModelError, "the server asks to wait 1h0m0s", []string{"claude-opus-5-5"}},
		{"an hour, and another model", later, []string{"b"}, loop.Completed, "", []string{"claude-opus-5-5", "b"}},
		{"never, and another model", never, []string{"b"}, loop.Completed, "", []string{"claude-opus-5-5", "b"}},
		{
			"never, then overloads that pass", never + "\n---\nhttp 529\nrepeat 2",
			[]string{"b", "c"},
			loop.Completed, "",
			[]string{"claude-opus-5-5", "b", "b", "b"},
		},
		{
			"never, then overloads that stay", never + "\n---\nhttp 529\nrepeat 3",
			[]string{"b", "c"},
			loop.Completed, "",
			[]string{"claude-opus-5-5", "b", "b", "b", "c"},
		},
		{"never from all", never + "\nrepeat 9", []string{"b", "c"}, loop.ModelError, "overloaded", []string{"claude-opus-5-5", "b", "c"}},
		{"a rate limit of an hour is the account's", `http 429 retry-after=3600`, []string{"b"}, loop.ModelError, "wait 1h0m0s", []string{"claude-opus-5-5"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBubble(t, modeltest.MustParse(tc.script+"\n---\ntext \"ok\""), modeltest.Options{})
				o := b.options()
				o.Fallbacks = tc.fallbacks
				a := b.agent(o)
				defer b.close(a)
				end := b.run(t.Context(), a, "hi")
				if end.Reason != tc.end || !strings.Contains(end.Detail, tc.detail) {
					t.Errorf("ended as %v", end)
				}
				var models []string
				for _, r := range b.server.Requests() {
					models = append(models, r.Request().Model)
				}
				if d := cmp.Diff(tc.models, models); d != "" {
					t.Errorf("models asked (-want +got):\n%s", d)
				}
			})
		})
	}
}

// An overload that is told inside a stream is retried like one that is told by
// a status, and is no text of the answer (B015).
func TestOverloadInsideAStream(t *testing.T) {
	for _, script := range []string{
		`start` + "\n" + `error overloaded_error "Overloaded"`,
		`ping` + "\n" + `error overloaded_error "Overloaded"`,
		`raw "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n"`,
	} {
		synctest.Test(t, func(t *testing.T) {
			b := newBubble(t, modeltest.MustParse(script+"\n---\ntext \"ok\""), modeltest.Options{})
			a := b.agent(b.options())
			defer b.close(a)
			if end := b.run(t.Context(), a, "hi"); !end.OK() || loop.FinalText(a.State()) != "ok" {
				t.Errorf("%s: ended as %v with %q", script, end, loop.FinalText(a.State()))
			}
			rs := b.server.Requests()
			if len(rs) != 2 || len(a.State().Messages) != 2 || rs[1].Began.Equal(rs[0].Ended) {
				t.Errorf("%s: %d requests, %d messages", script, len(rs), len(a.State().Messages))
			}
		})
	}
}

// A storm of overloads ends the run and not the session: the prompt is in the
// record once, the error names the overload, and the next prompt is answered, in
// this process and in another (B035).
func TestOverloadStorm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBubble(t, modeltest.MustParse(`
when "third prompt"
text "third answer"
---
when "second prompt"
text "second answer"
---
http 529
repeat 50`), modeltest.Options{})
		o := b.options()
		a := b.agent(o)
		end := b.run(t.Context(), a, "first prompt")
		if end.Reason != loop.ModelError || !strings.Contains(end.Detail, "overloaded (HTTP 529): Overloaded (after 10 retries)") || end.Hint == "" {
			t.Errorf("ended as %+v", end)
		}
		b.answers(a, "second")
		b.close(a)
		o.Continue = true
		a = b.agent(o)
		b.answers(a, "third")
		b.close(a)
		var got []string
		for _, m := range lastRequest(b.server).Messages {
			for _, p := range m.Parts {
				if text, ok := p.(message.Text); ok {
					got = append(got, text.Text)
				}
			}
		}
		if d := cmp.Diff([]string{"first prompt", "second prompt", "second answer", "third prompt"}, got); d != "" {
			t.Errorf("the last request (-want +got):\n%s", d)
		}
	})
}

// A call that ran before the stream died is in the history with its result when
// the model is asked again; it does not run a second time unless the model,
// knowing that, asks for it (B033).
func TestNoCallRunsTwiceUnseen(t *testing.T) {
	for _, tc := range []struct {
		name, first string
		inHistory   bool // the first call, in the second request
		runs        []string
	}{
		{"cut behind the call", `call t1 count {}` + "\ncut", false, []string{"t1"}},
		{"cut while it runs", `call t1 count {}` + "\ntext \"so\"\ncut", true, []string{"t1", "renamed"}},
		{"cut after it ran", `call t1 count {}` + "\ntext \"so\"\nwait 3s\ncut", true, []string{"t1", "renamed"}},
		{"error after it ran", `call t1 count {}` + "\ntext \"so\"\nwait 3s\nerror api_error \"oops\"", true, []string{"t1", "renamed"}},
		{"silence after it ran", `call t1 count {}` + "\ntext \"so\"\nstall", true, []string{"t1", "renamed"}},
		{"cut in the next call", `call t1 count {}` + "\ncall t2 count {\"a\":\"0123456789012345678901234567890123456789\"}\ncut after 8", true, []string{"t1", "renamed"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBubble(t, modeltest.MustParse(tc.first+"\n---\ncall t1 count {}\n---\ntext \"done\""), modeltest.Options{})
				a := b.agent(b.options())
				defer b.close(a)
				if end := b.run(t.Context(), a, "count"); !end.OK() {
					t.Errorf("ended as %v", end)
				}
				runs := b.counter.runs()
				for i, id := range runs {
					if id != "t1" {
						runs[i] = "renamed"
					}
				}
				if d := cmp.Diff(tc.runs, runs); d != "" {
					t.Errorf("runs (-want +got):\n%s", d)
				}
				ms := b.server.Requests()[1].Request().Messages
				if rs := ms[len(ms)-1].Results(); tc.inHistory != (len(rs) == 1 && rs[0].CallID == "t1" && rs[0].Text == "counted") {
					t.Errorf("the second request ends with the results %+v", rs)
				}
			})
		})
	}
}

// A stream that goes silent is noticed within the idle time, and tried again
// (B017).
func TestSilenceIsNoticed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBubble(t, modeltest.MustParse("text \"partial\"\nstall\n---\ntext \"ok\""), modeltest.Options{})
		b.connect(anthropic.Options{IdleTimeout: 2 * time.Second})
		a := b.agent(b.options())
		defer b.close(a)
		began := time.Now()
		if end := b.run(t.Context(), a, "hi"); !end.OK() || loop.FinalText(a.State()) != "ok" {
			t.Errorf("ended as %v with %q", end, loop.FinalText(a.State()))
		}
		if d := time.Since(began); d > 3*time.Second { // the idle time and one back-off
			t.Errorf("it took %v", d)
		}
	})
}

// A network that is away for a while is waited for; one that stays away ends the
// run with what to look at, and the session goes on when it is back.
func TestNetworkComesBack(t *testing.T) {
	refused := &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
	unknown := &net.DNSError{Err: "no such host", Name: "api.test", IsNotFound: true}
	for _, tc := range []struct {
		why  error
		n    int
		want loop.End
	}{
		{refused, 3, loop.Completed},
		{unknown, 3, loop.Completed},
		{refused, 11, loop.ModelError},
		{unknown, 11, loop.ModelError},
	} {
		t.Run(fmt.Sprint(tc.why, tc.n), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBubble(t, modeltest.MustParse("when \"second prompt\"\ntext \"second answer\"\n---\ntext \"first answer\""), modeltest.Options{})
				dial, n := b.dial, 0
				b.dial = func(ctx context.Context, network, addr string) (net.Conn, error) {
					if n++; n <= tc.n {
						return nil, tc.why
					}
					return dial(ctx, network, addr)
				}
				b.connect(anthropic.Options{})
				a := b.agent(b.options())
				defer b.close(a)
				end := b.run(t.Context(), a, "first prompt")
				if end.Reason != tc.want || !end.OK() && !(strings.Contains(end.Detail, tc.why.Error()) && strings.Contains(end.Hint, "network")) {
					t.Errorf("ended as %+v", end)
				}
				b.answers(a, "second")
			})
		})
	}
}

// Signs of life count, so a slow reply is asked for once (B018).
func TestPingsKeepAReplyAlive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBubble(t, modeltest.MustParse("start\n"+strings.Repeat("wait 1s\nping\n", 6)+"text \"done\""), modeltest.Options{})
		b.connect(anthropic.Options{IdleTimeout: 2 * time.Second})
		a := b.agent(b.options())
		defer b.close(a)
		end := b.run(t.Context(), a, "hi")
		if n := len(b.server.Requests()); !end.OK() || loop.FinalText(a.State()) != "done" || n != 1 {
			t.Errorf("ended as %v with %q after %d requests", end, loop.FinalText(a.State()), n)
		}
	})
}

// Half a sentence is no answer; the whole one stands in the record once (B016).
func TestHalfASentenceIsNoAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBubble(t, modeltest.MustParse("text \"The answer is\"\ncut\n---\ntext \"The answer is 4\""), modeltest.Options{})
		a := b.agent(b.options())
		defer b.close(a)
		if end := b.run(t.Context(), a, "2+2?"); !end.OK() || loop.FinalText(a.State()) != "The answer is 4" || len(a.State().Messages) != 2 {
			t.Errorf("ended as %v with %q in %d messages", end, loop.FinalText(a.State()), len(a.State().Messages))
		}
	})
}
