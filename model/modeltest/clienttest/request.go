package clienttest

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"

	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/model"
	"github.com/daruma-dev/daruma/model/modeltest"
)

// requestRules are about what is sent. The server checks that it is valid.
func requestRules() []rule {
	return []rule{
		{
			name:  "everything is sent",
			says:  "the request says what it was given: model, system, tools, messages, limit and effort, and no sampling",
			wire:  true,
			check: checkSent,
		},
		{
			name: "the default limit",
			says: "a request that names no output limit asks for model.DefaultMaxTokens",
			wire: true,
			check: func(s *stage) error {
				sc, err := s.play(modeltest.Say("ok"))
				if err != nil {
					return err
				}
				if _, err := sc.succeed(question("hi")); err != nil {
					return err
				}
				if n := sc.server.Requests()[0].Request().MaxTokens; n != model.DefaultMaxTokens {
					return fmt.Errorf("the limit is %d", n)
				}
				return nil
			},
		},
		{
			name:  "cache marks",
			says:  "marks are set only where they are allowed, at most four of them, and with one at the end of the conversation",
			wire:  true,
			check: checkMarks,
		},
		{
			name:  "the prefix holds",
			says:  "a message is sent with the same bytes each time, so that the provider's cache finds what it knows",
			wire:  true,
			check: checkPrefix,
		},
		{
			name:  "results",
			says:  "each result goes to its call, failures are marked, and images go along",
			wire:  true,
			check: checkResults,
		},
		{
			name: "what no wire takes",
			says: "U+0000 and bytes that are not UTF-8 never leave the client",
			wire: true,
			check: func(s *stage) error {
				sc, err := s.play(modeltest.Call("t1", "read", "{}"), modeltest.Say("ok"))
				if err != nil {
					return err
				}
				first, err := sc.succeed(question("a\x00b \xff c"))
				if err != nil {
					return err
				}
				results := first.results()
				results.Parts = message.Parts{message.ToolResult{CallID: "t1", Status: message.StatusOK, Text: "\x00\xfe binary"}}
				_, err = sc.succeed(more(question("hi"), first.message(), results))
				return err
			},
		},
		{
			name:  "counting",
			says:  "a client that counts tokens gives the server's figure, and fails as a stream does",
			wire:  true,
			check: checkCount,
		},
	}
}

func checkSent(s *stage) error {
	sc, err := s.play(modeltest.Say("ok"))
	if err != nil {
		return err
	}
	req := question("hi <b> & \"quotes\" \u2028 北京")
	req.MaxTokens, req.Effort = 1234, "high"
	if _, err := sc.succeed(req); err != nil {
		return err
	}
	got := sc.server.Requests()[0].Request()
	for i := range got.Messages {
		got.Messages[i] = &message.Message{Role: got.Messages[i].Role, Parts: got.Messages[i].Parts}
	}
	want := *req
	want.System = slices.Clone(req.System)
	want.System[0].Cache = false // marks were not allowed
	want.Messages = []*message.Message{{Role: message.User, Parts: req.Messages[0].Parts}}
	a, errA := message.Marshal(got.Messages)
	b, errB := message.Marshal(want.Messages)
	got.Messages, want.Messages = nil, nil
	if diff := cmp.Diff(&want, got) + cmp.Diff(string(b), string(a)); diff != "" {
		return fmt.Errorf("the request differs (- should be, + is):\n%s", diff)
	}
	return errors.Join(errA, errB)
}

const mark = `"cache_control"`

func checkMarks(s *stage) error {
	sc, err := s.play(modeltest.Say("a"), modeltest.Say("b"), modeltest.Say("c"))
	if err != nil {
		return err
	}
	plain, marked := question("hi"), question("hi")
	marked.CacheMarks = true
	many := question("hi")
	many.CacheMarks = true
	many.System = nil
	for i := range 6 {
		many.System = append(many.System, model.Block{Text: fmt.Sprintf("part %d", i), Cache: true})
	}
	for _, req := range []*model.Request{plain, marked, many} {
		if _, err := sc.succeed(req); err != nil {
			return err
		}
	}
	rs := sc.server.Requests()
	if n := bytes.Count(rs[0].Body, []byte(mark)); n != 0 {
		return fmt.Errorf("%d marks were set without leave", n)
	}
	if n := bytes.Count(rs[1].Body, []byte(mark)); n != 2 {
		return fmt.Errorf("%d marks were set for one block of the system prompt and the end: %s", n, rs[1].Body)
	}
	if n := bytes.Count(rs[2].Body, []byte(mark)); n < 2 || n > 4 {
		return fmt.Errorf("%d marks were set where six blocks ask for one", n)
	}
	if !rs[1].Request().System[0].Cache || rs[1].Request().System[1].Cache {
		return fmt.Errorf("the mark of the system prompt is not where it was asked for: %s", rs[1].Body)
	}
	return nil
}

func checkPrefix(s *stage) error {
	const turns = 4
	sc, err := s.with(modeltest.Func(func(n int, _ modeltest.Request) modeltest.Reply {
		return modeltest.Think("hm", "").Text("turn").Call(fmt.Sprintf("t%d", n), "read", `{"b":1,"a": 2}`)
	}), defaultIdle)
	if err != nil {
		return err
	}
	req := question("hi")
	req.CacheMarks = true
	var before sent
	for i := range turns {
		o, err := sc.succeed(req)
		if err != nil {
			return err
		}
		if u := o.done.Usage; i > 0 && u.CacheRead == 0 {
			return fmt.Errorf("turn %d read nothing from the cache: %+v", i+1, *u)
		}
		now, err := sc.sent(i)
		if err != nil {
			return err
		}
		for j, m := range before.messages {
			if a, b := dumpBlocks(m), dumpBlocks(now.messages[j]); a != b {
				return fmt.Errorf("message %d was sent as\n%s\nand then as\n%s", j, a, b)
			}
		}
		before = now
		req = more(req, o.message(), o.results())
	}
	return nil
}

func dumpBlocks(m sentMessage) string {
	return m.Role + " " + strings.ReplaceAll(string(bytes.Join(toBytes(m.Content), []byte(","))), ","+mark+`:{"type":"ephemeral"}`, "")
}

func toBytes(raws []json.RawMessage) [][]byte {
	out := make([][]byte, len(raws))
	for i, r := range raws {
		out[i] = r
	}
	return out
}

// pixel is the smallest PNG.
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg=="

func checkResults(s *stage) error {
	png, err := base64.StdEncoding.DecodeString(pixel)
	if err != nil {
		return err
	}
	image := message.Media{Kind: "image", MIME: "image/png", Data: png}
	sc, err := s.play(
		modeltest.Call("t1", "read", "{}").Call("t2", "read", "{}").Call("t3", "read", "{}").Call("t4", "read", "{}"),
		modeltest.Say("ok"))
	if err != nil {
		return err
	}
	first, err := sc.succeed(question("hi"))
	if err != nil {
		return err
	}
	results := &message.Message{ID: "r1", Role: message.User, Parts: message.Parts{
		message.ToolResult{CallID: "t1", Status: message.StatusOK, Text: "fine", Media: []message.Media{image}, Title: "a title for people", Diff: "a diff for people"},
		message.ToolResult{CallID: "t2", Status: message.StatusDenied, Text: "no", Media: []message.Media{image}},
		message.ToolResult{CallID: "t3", Status: message.StatusOK},
		message.ToolResult{CallID: "t4", Status: message.StatusError},
		message.Text{Text: "and now go on"},
	}}
	if _, err := sc.succeed(more(question("hi"), first.message(), results)); err != nil {
		return err
	}
	got := sc.server.Requests()[1].Request().Messages[2].Results()
	if len(got) != 4 {
		return fmt.Errorf("%d results were sent", len(got))
	}
	for i, want := range []bool{false, true, false, true} {
		if got[i].CallID != fmt.Sprintf("t%d", i+1) || got[i].IsError() != want {
			return fmt.Errorf("result %d was sent as %+v", i+1, got[i])
		}
	}
	if got[0].Text != "fine" || len(got[0].Media) != 1 || !bytes.Equal(got[0].Media[0].Data, png) {
		return fmt.Errorf("the first result was sent as %+v", got[0])
	}
	if body := sc.server.Requests()[1].Body; bytes.Contains(body, []byte("for people")) {
		return errors.New("what is for people alone was sent")
	}
	return nil
}

func checkCount(s *stage) error {
	sc, err := s.play(modeltest.Say("left"))
	if err != nil {
		return err
	}
	counter, ok := sc.client.(model.Counter)
	if !ok {
		return nil // counting is optional
	}
	req := question("how many tokens are this?")
	n, err := counter.CountTokens(context.Background(), req)
	if err != nil {
		return err
	}
	if want := modeltest.CountTokens(req); n != want {
		return fmt.Errorf("counted %d tokens instead of %d", n, want)
	}
	if sc.server.Remaining() != 1 {
		return errors.New("counting used up a reply")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = counter.CountTokens(ctx, req)
	if e, ok := errors.AsType[*model.Error](err); !ok || e.Kind != model.Canceled {
		return errors.New("with a context that has ended the failure is " + fmt.Sprint(err))
	}
	return nil
}
