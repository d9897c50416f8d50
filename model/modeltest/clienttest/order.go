package clienttest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/model"
	"github.com/daruma-dev/daruma/model/modeltest"
)

// whole is a reply with one part of each kind.
func whole() modeltest.Reply {
	return modeltest.Think("Let me see what there is.", "sig-a").
		Text("I will read two files, one after the other.").
		Call("t1", "read", `{"path":"a/long/way/to/the/first/file.txt"}`).
		Call("t2", "read", `{"path":"b"}`)
}

func wholeParts() []message.Part {
	return []message.Part{
		message.Thinking{Text: "Let me see what there is.", Signature: "sig-a"},
		message.Text{Text: "I will read two files, one after the other."},
		message.Call{ID: "t1", Name: "read", Input: []byte(`{"path":"a/long/way/to/the/first/file.txt"}`)},
		message.Call{ID: "t2", Name: "read", Input: []byte(`{"path":"b"}`)},
	}
}

// orderRules are about which events come, and when.
func orderRules() []rule {
	return []rule{
		{
			name:  "order of events",
			says:  "a reply is one Started, then each part from its start to its end in order of Index, then one Done, which is last",
			check: checkOrder,
		},
		{
			name: "empty reply",
			says: "a reply without content is Started and Done, and not a failure",
			check: func(s *stage) error {
				sc, err := s.play(modeltest.Reply{})
				if err != nil {
					return err
				}
				o, err := sc.succeed(question("hi"))
				return errors.Join(err, o.is())
			},
		},
		{
			name: "pings",
			says: "a ping may come anywhere, is yielded as Alive, and changes nothing else",
			check: func(s *stage) error {
				sc, err := s.play(modeltest.Reply{}.Start().Ping().Text("a").Ping().Call("t1", "read", "{}").Ping())
				if err != nil {
					return err
				}
				o, err := sc.succeed(question("hi"))
				if err != nil {
					return err
				}
				if o.alive < 3 {
					return fmt.Errorf("three pings gave %d Alive", o.alive)
				}
				return o.is(message.Text{Text: "a"}, message.Call{ID: "t1", Name: "read", Input: []byte("{}")})
			},
		},
		{
			name:  "the request is left alone",
			says:  "a client does not change the request, and using it again sends the same bytes",
			check: checkUnchanged,
		},
		{
			name:  "many at once",
			says:  "a client may be used by many goroutines at once, each with its own reply",
			check: checkConcurrent,
		},
	}
}

func checkOrder(s *stage) error {
	sc, err := s.play(whole(), modeltest.Say("ok"))
	if err != nil {
		return err
	}
	first, second, err := sc.answered(question("hi"))
	if err != nil {
		return err
	}
	switch {
	case first.started.ID == "" || first.started.ID == second.started.ID:
		return fmt.Errorf("the ids of two replies are %q and %q", first.started.ID, second.started.ID)
	case first.started.Model != modelName:
		return fmt.Errorf("started names the model %q, not %q", first.started.Model, modelName)
	case first.done.Stop != message.StopTool:
		return fmt.Errorf("the stop reason of a reply with calls is %q", first.done.Stop)
	case second.done.Stop != message.StopEnd:
		return fmt.Errorf("the stop reason of a reply with text is %q", second.done.Stop)
	}
	return errors.Join(first.is(wholeParts()...), second.is(message.Text{Text: "ok"}))
}

func checkUnchanged(s *stage) error {
	sc, err := s.play(whole(), modeltest.Say("a"), modeltest.Say("b"))
	if err != nil {
		return err
	}
	first, err := sc.succeed(question("hi"))
	if err != nil {
		return err
	}
	req := more(question("hi"), first.message(), first.results())
	req.CacheMarks, req.Effort, req.MaxTokens = true, "high", 1234
	before := dump(req)
	for range 2 {
		if _, err := sc.succeed(req); err != nil {
			return err
		}
		if after := dump(req); after != before {
			return fmt.Errorf("the request was\n%s\nand became\n%s", before, after)
		}
	}
	if sc.server == nil {
		return nil
	}
	if rs := sc.server.Requests(); string(rs[1].Body) != string(rs[2].Body) {
		return fmt.Errorf("the same request was sent as\n%s\nand as\n%s", rs[1].Body, rs[2].Body)
	}
	return nil
}

// dump writes out all that a request says.
func dump(req *model.Request) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%q %d %q %v\n", req.Model, req.MaxTokens, req.Effort, req.CacheMarks)
	fmt.Fprintf(&b, "%+v\n%+v\n", req.System, req.Tools)
	for _, m := range req.Messages {
		j, err := message.Marshal(m)
		fmt.Fprintf(&b, "%p %s %v\n", m, j, err)
	}
	return b.String()
}

func checkConcurrent(s *stage) error {
	sc, err := s.with(modeltest.Func(func(_ int, req modeltest.Request) modeltest.Reply {
		return modeltest.Say("you said: " + req.Parsed().Messages[0].Text())
	}), defaultIdle)
	if err != nil {
		return err
	}
	const many = 16
	errs := make([]error, many)
	var wg sync.WaitGroup
	for i := range many {
		wg.Go(func() {
			text := fmt.Sprintf("number %d", i)
			o, err := take(context.Background(), sc.client, question(text), nil)
			errs[i] = errors.Join(err, o.is(message.Text{Text: "you said: " + text}))
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}
