package anthropic

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/daruma-dev/daruma/model"
)

// pipeClient is a client whose connection is a pipe in memory, so that time is
// synctest's. The server reads the request, calls answer, and closes.
func pipeClient(o Options, answer func(w io.Writer)) *Client {
	o.BaseURL = "http://server"
	o.Transport = &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
		here, there := net.Pipe()
		go func() {
			defer there.Close()
			req, err := http.ReadRequest(bufio.NewReader(there))
			if err != nil {
				return
			}
			io.Copy(io.Discard, req.Body)
			answer(there)
		}()
		return here, nil
	}}
	return New(o)
}

const streamHeader = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"

// silence blocks until the other side closes the connection.
func silence(w io.Writer) {
	io.Copy(io.Discard, w.(io.Reader))
}

func TestWatch(t *testing.T) {
	for _, tt := range []struct {
		name   string
		opts   Options
		answer func(w io.Writer)
		want   model.Kind // empty: the reply is whole
		after  time.Duration
	}{
		{name: "silent from the start", answer: silence, want: model.Timeout, after: DefaultFirstByte},
		{name: "silent after the header (B017)", want: model.Stalled, after: DefaultIdleTimeout, answer: func(w io.Writer) {
			io.WriteString(w, streamHeader)
			silence(w)
		}},
		{name: "silent in the middle (B017)", opts: Options{IdleTimeout: 2 * time.Second}, want: model.Stalled, after: 2 * time.Second, answer: func(w io.Writer) {
			io.WriteString(w, streamHeader+events(evStart)+"data: {\"ty")
			silence(w)
		}},
		{name: "silent inside an error's body", want: model.RateLimited, after: DefaultIdleTimeout, answer: func(w io.Writer) {
			io.WriteString(w, "HTTP/1.1 429 Too Many Requests\r\nContent-Length: 100\r\n\r\n{\"err")
			silence(w)
		}},
		{name: "pings are signs of life (B018)", opts: Options{IdleTimeout: 2 * time.Second}, after: 6 * time.Second, answer: func(w io.Writer) {
			io.WriteString(w, streamHeader+events(evStart))
			for range 6 {
				time.Sleep(time.Second)
				io.WriteString(w, events(evPing))
			}
			io.WriteString(w, events(evStop))
		}},
		{name: "so is any byte", opts: Options{IdleTimeout: 2 * time.Second}, after: 70 * time.Second, answer: func(w io.Writer) {
			io.WriteString(w, streamHeader+events(evStart))
			for _, c := range strings.Repeat(": a comment without its end", 3)[:70] {
				time.Sleep(time.Second)
				io.WriteString(w, string(c))
			}
			io.WriteString(w, "\n\n"+events(evStop))
		}},
		{name: "a late answer", after: 9 * time.Minute, answer: func(w io.Writer) {
			time.Sleep(9 * time.Minute)
			io.WriteString(w, streamHeader+events(evStart, evStop))
		}},
		{name: "no limits", opts: Options{IdleTimeout: -1, FirstByte: -1}, after: 48 * time.Hour, answer: func(w io.Writer) {
			time.Sleep(24 * time.Hour)
			io.WriteString(w, streamHeader+events(evStart))
			time.Sleep(24 * time.Hour)
			io.WriteString(w, events(evStop))
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				_, err := run(pipeClient(tt.opts, tt.answer), hello())
				got := model.Kind("")
				if err != nil {
					got = err.Kind
				}
				if got != tt.want || time.Since(start) != tt.after {
					t.Errorf("%q after %v, want %q after %v (%v)", got, time.Since(start), tt.want, tt.after, err)
				}
			})
		})
	}
}

// Our own consumer may take its time; that is no silence of the server.
func TestSlowConsumer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := pipeClient(Options{}, func(w io.Writer) {
			for _, s := range []string{streamHeader, events(evStart), events(evPing), events(evStop)} {
				io.WriteString(w, s) // waits until it is read
			}
		})
		for e, err := range c.Stream(t.Context(), hello()) {
			if err != nil {
				t.Fatal(err)
			}
			if _, ok := e.(model.Alive); ok {
				time.Sleep(time.Hour)
			}
		}
	})
}

func TestCancel(t *testing.T) {
	for name, answer := range map[string]func(w io.Writer){
		"before the answer": silence,
		"in the stream": func(w io.Writer) {
			io.WriteString(w, streamHeader+events(evStart))
			silence(w)
		},
		"in an error's body": func(w io.Writer) {
			io.WriteString(w, "HTTP/1.1 500 Oops\r\nContent-Length: 9\r\n\r\n")
			silence(w)
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				why := errors.New("the user pressed escape")
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				time.AfterFunc(time.Second, func() { cancel(why) })
				start := time.Now()
				var last error
				for _, err := range pipeClient(Options{}, answer).Stream(ctx, hello()) {
					last = err
				}
				var e *model.Error
				if !errors.As(last, &e) || e.Kind != model.Canceled || !errors.Is(last, why) || time.Since(start) != time.Second {
					t.Errorf("error after %v: %v", time.Since(start), last)
				}
			})
		})
	}
}

func TestCancelBetweenEvents(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c := serve(t, stream(oneBlock(evBlock(0, `{"type":"text","text":"x"}`))))
	var got []model.Event
	var last error
	for e, err := range c.Stream(ctx, hello()) {
		cancel()
		if last = err; err == nil {
			got = append(got, e)
		}
	}
	var e *model.Error
	if !errors.As(last, &e) || e.Kind != model.Canceled || len(got) != 1 {
		t.Errorf("after the cancel: %v, %v", got, last)
	}
}

// Breaking out closes the connection: the server's write fails.
func TestBreak(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gone := make(chan struct{})
		c := pipeClient(Options{}, func(w io.Writer) {
			io.WriteString(w, streamHeader+events(evStart))
			silence(w)
			close(gone)
		})
		for range c.Stream(t.Context(), hello()) {
			break
		}
		<-gone
	})
}

// A connection serves the next request after a whole reply, and is given up when
// the server does not end the body.
func TestConnectionIsUsedAgain(t *testing.T) {
	var addrs []string
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		addrs = append(addrs, r.RemoteAddr)
		stream(events(evStart, evStop))(w, r)
	})
	for range 3 {
		if _, err := run(c, hello()); err != nil {
			t.Fatal(err)
		}
	}
	if d := cmp.Diff([]string{addrs[0], addrs[0], addrs[0]}, addrs); d != "" {
		t.Errorf("connections (-want +got):\n%s", d)
	}
	synctest.Test(t, func(t *testing.T) {
		c := pipeClient(Options{}, func(w io.Writer) {
			io.WriteString(w, streamHeader+events(evStart, evStop))
			silence(w)
		})
		start := time.Now()
		if _, err := run(c, hello()); err != nil || time.Since(start) > drainTime {
			t.Errorf("%v after %v", err, time.Since(start))
		}
	})
}

func TestNetworkErrors(t *testing.T) {
	refused := New(Options{BaseURL: "http://127.0.0.1:1"})
	reset := New(Options{BaseURL: "http://x", Transport: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
		here, there := net.Pipe()
		there.Close()
		return here, nil
	}}})
	unusable := New(Options{BaseURL: "localhost:8080"})
	badKey := New(Options{Key: "sk-\nsecret-key", BaseURL: "http://127.0.0.1:1"})
	for _, tt := range []struct {
		name string
		c    *Client
		kind model.Kind
		msg  string
	}{
		{"refused", refused, model.Network, ""},
		{"closed before the answer", reset, model.Network, ""},
		{"base URL", unusable, model.NotFound, "the base URL must look like https://api.anthropic.com"},
		{"key with a line end", badKey, model.Auth, "the API key has a character that cannot be sent; was it copied whole?"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := run(tt.c, hello())
			if err == nil || err.Kind != tt.kind || tt.msg != "" && err.Message != tt.msg || err.Status != 0 {
				t.Errorf("error = %+v", err)
			}
			var counting *model.Error
			if _, err := tt.c.CountTokens(t.Context(), hello()); !errors.As(err, &counting) || counting.Kind != tt.kind {
				t.Errorf("counting fails otherwise: %v", err)
			}
		})
	}
}
