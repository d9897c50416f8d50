package clienttest

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/model"
	"github.com/daruma-dev/daruma/model/anthropic"
	"github.com/daruma-dev/daruma/model/modeltest"
)

func newAnthropic(_ testing.TB, to Target) model.Client {
	return anthropic.New(anthropic.Options{
		BaseURL: to.URL, Key: to.Key, Transport: to.Transport, IdleTimeout: to.IdleTimeout, Provider: to.Provider,
	})
}

func TestAnthropic(t *testing.T) { TestClient(t, newAnthropic) }

// scripted opens clients without a wire.
func scripted(script modeltest.Script, idle time.Duration) (model.Client, *modeltest.Server, func() error, error) {
	c := &modeltest.Client{Script: script, IdleTimeout: idle}
	return c, nil, func() error { return nil }, nil
}

// TestScripted holds the scripted client to all rules that are not about the
// wire.
func TestScripted(t *testing.T) {
	for _, r := range rules() {
		if r.wire {
			continue
		}
		t.Run(r.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				if err := r.run(scripted); err != nil {
					t.Errorf("%s\n%v", r.says, err)
				}
			})
		})
	}
}

// bent is a client whose streams are bent.
type bent struct {
	model.Client
	bend bend
}

type yielder = func(model.Event, error) bool

// bend stands for Stream. The client comes first, as its receiver would.
type bend func(c model.Client, ctx context.Context, req *model.Request, yield yielder)

func (b bent) Stream(ctx context.Context, req *model.Request) iter.Seq2[model.Event, error] {
	return func(yield func(model.Event, error) bool) { b.bend(b.Client, ctx, req, yield) }
}

// forward bends nothing.
func forward(c model.Client, ctx context.Context, req *model.Request, yield yielder) { //nolint:revive // see bend
	for e, err := range c.Stream(ctx, req) {
		if !yield(e, err) {
			return
		}
	}
}

// each bends the events one by one.
func each(change func(e model.Event, err error, yield yielder) bool) bend {
	return func(c model.Client, ctx context.Context, req *model.Request, yield yielder) {
		for e, err := range c.Stream(ctx, req) {
			if !change(e, err, yield) {
				return
			}
		}
	}
}

// failing bends the failures.
func failing(change func(*model.Error) error) bend {
	return each(func(e model.Event, err error, yield yielder) bool {
		if me, ok := errors.AsType[*model.Error](err); ok {
			copied := *me
			err = change(&copied)
		}
		return yield(e, err)
	})
}

// sending bends the request.
func sending(change func(req *model.Request)) bend {
	return func(c model.Client, ctx context.Context, req *model.Request, yield yielder) {
		copied := *req
		change(&copied)
		for e, err := range c.Stream(ctx, &copied) {
			if !yield(e, err) {
				return
			}
		}
	}
}

// sendingParts bends the parts of all messages.
func sendingParts(change func(message.Part) message.Part) bend {
	return sending(func(req *model.Request) {
		ms := make([]*message.Message, len(req.Messages))
		for i, m := range req.Messages {
			parts := make(message.Parts, 0, len(m.Parts))
			for _, p := range m.Parts {
				if p = change(p); p != nil {
					parts = append(parts, p)
				}
			}
			ms[i] = m.With(parts)
		}
		req.Messages = ms
	})
}

// TestSuiteFindsFaults bends a good client in one way at a time and sees that
// the rule for it notices.
func TestSuiteFindsFaults(t *testing.T) {
	tests := []struct {
		name string
		rule string // that has to notice
		bend bend
	}{
		{"Done comes twice", "order of events", each(func(e model.Event, err error, yield yielder) bool {
			if _, ok := e.(model.Done); ok && !yield(e, nil) {
				return false
			}
			return yield(e, err)
		})},
		{"a part is not announced", "order of events", each(func(e model.Event, err error, yield yielder) bool {
			if _, ok := e.(model.PartStarted); ok {
				return true
			}
			return yield(e, err)
		})},
		{"a part is announced as another", "order of events", each(func(e model.Event, err error, yield yielder) bool {
			if s, ok := e.(model.PartStarted); ok {
				s.Name = ""
				e = s
			}
			return yield(e, err)
		})},
		{"all parts have one index", "order of events", each(func(e model.Event, err error, yield yielder) bool {
			switch v := e.(type) {
			case model.PartStarted:
				v.Index = 0
				e = v
			case model.Delta:
				v.Index = 0
				e = v
			case model.PartDone:
				v.Index = 0
				e = v
			}
			return yield(e, err)
		})},
		{"a delta is lost", "order of events", each(func(e model.Event, err error, yield yielder) bool {
			if d, ok := e.(model.Delta); ok && strings.Contains(d.Text, "other.") {
				return true
			}
			return yield(e, err)
		})},
		{"there is no start", "order of events", each(func(e model.Event, err error, yield yielder) bool {
			if _, ok := e.(model.Started); ok {
				return true
			}
			return yield(e, err)
		})},
		{"pings are swallowed", "pings", each(func(e model.Event, err error, yield yielder) bool {
			if _, ok := e.(model.Alive); ok {
				return true
			}
			return yield(e, err)
		})},
		{"the end of the body ends the reply", "a reply that is cut off", each(func(e model.Event, err error, yield yielder) bool {
			if err != nil {
				return yield(model.Done{Stop: message.StopEnd}, nil)
			}
			return yield(e, err)
		})},
		{"the end of the body ends the sequence", "a reply that is cut off", each(func(e model.Event, err error, yield yielder) bool {
			return err == nil && yield(e, err)
		})},
		{"a clean end is an end", "a clean end that comes too early", each(func(e model.Event, err error, yield yielder) bool {
			if err != nil {
				return yield(model.Done{Stop: message.StopEnd}, nil)
			}
			return yield(e, err)
		})},
		{"a failure is wrapped", "a reply that is cut off", failing(func(e *model.Error) error { return fmt.Errorf("stream: %w", e) })},
		{"a failure comes with an event", "a reply that is cut off", each(func(e model.Event, err error, yield yielder) bool {
			if err != nil {
				e = model.Alive{}
			}
			return yield(e, err)
		})},
		{"a failure comes twice", "a reply that is cut off", each(func(e model.Event, err error, yield yielder) bool {
			if err != nil && !yield(nil, err) {
				return false
			}
			return yield(e, err)
		})},
		{"a failure is no failure of ours", "a reply that is cut off", failing(func(*model.Error) error { return errors.New("oops") })},
		{"stop reasons are guessed", "stop reasons", each(func(e model.Event, err error, yield yielder) bool {
			if d, ok := e.(model.Done); ok {
				d.Stop = message.StopEnd
				e = d
			}
			return yield(e, err)
		})},
		{"the explanation is lost", "stop reasons", each(func(e model.Event, err error, yield yielder) bool {
			if d, ok := e.(model.Done); ok {
				d.Detail = ""
				e = d
			}
			return yield(e, err)
		})},
		{"silence counts as a cut", "silence", failing(func(e *model.Error) error {
			if e.Kind == model.Stalled {
				e.Kind = model.Cut
			}
			return e
		})},
		{"the context is not heeded", "cancellation", func(c model.Client, ctx context.Context, req *model.Request, yield yielder) {
			forward(c, context.WithoutCancel(ctx), req, yield)
		}},
		{"the length of the reply is limited", "signs of life", func(c model.Client, ctx context.Context, req *model.Request, yield yielder) {
			ctx, cancel := context.WithTimeout(ctx, idle)
			defer cancel()
			forward(c, ctx, req, yield)
		}},
		{"breaking out leaves the connection open", "breaking out", func(c model.Client, ctx context.Context, req *model.Request, yield yielder) {
			gone := false
			go func() { // what a client does that reads ahead and forgets its reader
				for range c.Stream(ctx, req) {
				}
			}()
			for e, err := range c.Stream(ctx, req) {
				if gone = gone || !yield(e, err); gone {
					return
				}
			}
		}},
		{"a failure is tried again", "status answers", func(c model.Client, ctx context.Context, req *model.Request, yield yielder) {
			for _, err := range c.Stream(ctx, req) {
				if err != nil {
					break
				}
			}
			forward(c, ctx, req, yield)
		}},
		{"kinds are mixed up", "status answers", failing(func(e *model.Error) error {
			if e.Kind == model.Quota {
				e.Kind = model.RateLimited
			}
			return e
		})},
		{"the figures of an overflow are lost", "status answers", failing(func(e *model.Error) error { e.Actual, e.Limit = 0, 0; return e })},
		{"the verdict of the server is lost", "status answers", failing(func(e *model.Error) error { e.ShouldRetry = nil; return e })},
		{"the request id is lost", "error events", failing(func(e *model.Error) error { e.RequestID = ""; return e })},
		{"the wait is lost", "how long to wait", failing(func(e *model.Error) error { e.RetryAfter = 0; return e })},
		{"a web page is an outage", "a web page", failing(func(e *model.Error) error { e.Kind = model.Unavailable; return e })},
		{"the key is told", "secrets", failing(func(e *model.Error) error { e.Message += key; return e })},
		{"usage is invented", "usage", each(func(e model.Event, err error, yield yielder) bool {
			if d, ok := e.(model.Done); ok && d.Usage == nil {
				d.Usage = &message.Usage{}
				e = d
			}
			return yield(e, err)
		})},
		{"characters break", "byte by byte", each(func(e model.Event, err error, yield yielder) bool {
			if d, ok := e.(model.PartDone); ok {
				if x, ok := d.Part.(message.Text); ok {
					d.Part = message.Text{Text: strings.ReplaceAll(x.Text, "ç", "\ufffd")}
					e = d
				}
			}
			return yield(e, err)
		})},
		{"thinking is forgotten", "thinking goes back", sendingParts(func(p message.Part) message.Part {
			if _, ok := p.(message.Thinking); ok {
				return nil
			}
			return p
		})},
		{"thinking is changed", "thinking goes back", sendingParts(func(p message.Part) message.Part {
			if x, ok := p.(message.Thinking); ok && x.Text != "" {
				return message.Thinking{Text: x.Text + ".", Signature: x.Signature}
			}
			return p
		})},
		{"thinking goes to any model", "thinking of another model stays", sending(func(req *model.Request) {
			for i, m := range req.Messages {
				if m.Model != "" {
					m = m.With(m.Parts)
					m.Model = "anthropic/" + req.Model
					req.Messages = append(req.Messages[:i:i], append([]*message.Message{m}, req.Messages[i+1:]...)...)
				}
			}
		})},
		{"blocks are read and written again", "blocks go back", sendingParts(func(p message.Part) message.Part {
			if x, ok := p.(message.Opaque); ok {
				return message.Opaque{Type: x.Type, Raw: []byte(strings.ReplaceAll(string(x.Raw), ": ", ":"))}
			}
			return p
		})},
		{"inputs are read and written again", "inputs go back", sendingParts(func(p message.Part) message.Part {
			if x, ok := p.(message.Call); ok {
				x.Input = []byte(strings.ReplaceAll(string(x.Input), "1.0,", "1,"))
				return x
			}
			return p
		})},
		{"results are forgotten", "order of events", sendingParts(func(p message.Part) message.Part {
			if _, ok := p.(message.ToolResult); ok {
				return message.Text{Text: "done"}
			}
			return p
		})},
		{"the effort is forgotten", "everything is sent", sending(func(req *model.Request) { req.Effort = "" })},
		{"the limit is lower", "the default limit", sending(func(req *model.Request) { req.MaxTokens = 4096 })},
		{"there are always marks", "cache marks", sending(func(req *model.Request) { req.CacheMarks = true })},
		{"there are never marks", "cache marks", sending(func(req *model.Request) { req.CacheMarks = false })},
		{"old messages change", "the prefix holds", sendingParts(func() func(message.Part) message.Part {
			n := 0
			return func(p message.Part) message.Part {
				if x, ok := p.(message.ToolResult); ok {
					n++
					x.Text += fmt.Sprintf(" (%d)", n)
					return x
				}
				return p
			}
		}())},
		{"failures of tools are not marked", "results", sendingParts(func(p message.Part) message.Part {
			if x, ok := p.(message.ToolResult); ok {
				x.Status = message.StatusOK
				return x
			}
			return p
		})},
		{"the request is changed", "the request is left alone", func(c model.Client, ctx context.Context, req *model.Request, yield yielder) {
			req.Messages[0] = req.Messages[0].With(req.Messages[0].Parts)
			forward(c, ctx, req, yield)
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				if err := find(t, tt.rule).run(overWire(t, func(t testing.TB, to Target) model.Client {
					return bent{newAnthropic(t, to), tt.bend}
				})); err == nil {
					t.Errorf("the rule %q noticed nothing", tt.rule)
				}
			})
		})
	}
}

func find(t *testing.T, name string) rule {
	for _, r := range rules() {
		if r.name == name {
			return r
		}
	}
	t.Fatalf("there is no rule %q", name)
	return rule{}
}
