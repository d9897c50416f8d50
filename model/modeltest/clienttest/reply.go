package clienttest

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"

	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/model/modeltest"
)

// replyRules are about reading replies.
func replyRules() []rule {
	return []rule{
		{
			name: "byte by byte",
			says: "bytes may come in any portions: characters and events that are split are put together again",
			check: func(s *stage) error {
				const input = `{"path":"u.txt","content":"北京 café 🥋 \u00e9"}`
				sc, err := s.play(modeltest.Think("思考中…", "sig").Text("ça va 🥋").Call("t1", "write", input).Bytes(1), modeltest.Say("ok"))
				if err != nil {
					return err
				}
				first, _, err := sc.answered(question("hi"))
				return errors.Join(err, first.is(
					message.Thinking{Text: "思考中…", Signature: "sig"},
					message.Text{Text: "ça va 🥋"},
					message.Call{ID: "t1", Name: "write", Input: []byte(input)},
				))
			},
		},
		{
			name: "long lines",
			says: "an event may be as long as a file",
			check: func(s *stage) error {
				text := strings.Repeat("a long line of text, ", 50_000)
				sc, err := s.play(modeltest.Reply{}.Block(`{"type":"text","text":"` + text + `"}`).Text(text))
				if err != nil {
					return err
				}
				o, err := sc.succeed(question("hi"))
				return errors.Join(err, o.is(message.Text{Text: text}, message.Text{Text: text}))
			},
		},
		{
			name:  "what is new",
			says:  "events, deltas and fields that we do not know are skipped, and a block of a type we do not know is Opaque",
			wire:  true,
			check: checkUnknown,
		},
		{
			name: "ways to write a stream",
			says: "a stream may have carriage returns, comments, data without a space, several data lines, and no event names",
			wire: true,
			check: func(s *stage) error {
				stream := startEvent + textEvents + endEvent + stopEvent
				for _, text := range []string{
					strings.ReplaceAll(stream, "\n", "\r\n"),
					strings.ReplaceAll(stream, "data: ", "data:"),
					strings.ReplaceAll(stream, "event: ", ": a comment\nid: 7\nretry: 10\nevent: "),
					strings.ReplaceAll(stream, `,"`, ",\ndata: \""),
					dropLines(stream, "event: "),
					"\ufeff" + stream,
				} {
					sc, err := s.play(streamBody(text))
					if err != nil {
						return err
					}
					o, err := sc.succeed(question("hi"))
					if err := errors.Join(err, o.is(message.Text{Text: "hello"})); err != nil {
						return fmt.Errorf("%q: %w", text[:80], err)
					}
				}
				return nil
			},
		},
		{
			name:  "usage",
			says:  "Done has the usage of the whole reply, nil when the provider reported none; later figures replace earlier ones",
			check: checkUsage,
		},
		{
			name: "usage in pieces",
			says: "figures that a later event leaves out stay as they were, and those that it repeats are not added",
			wire: true,
			check: func(s *stage) error {
				more := event(`{"type":"message_delta","delta":{},"usage":{"output_tokens":4}}`)
				sc, err := s.play(streamBody(startEvent + textEvents + more + endEvent + stopEvent))
				if err != nil {
					return err
				}
				o, err := sc.succeed(question("hi"))
				if err != nil {
					return err
				}
				if want := (message.Usage{Input: 11, CacheRead: 5, Output: 9}); o.done.Usage == nil || *o.done.Usage != want {
					return fmt.Errorf("the usage is %+v, not %+v", o.done.Usage, want)
				}
				return nil
			},
		},
		{
			name: "a call without input",
			says: "a call for which no input comes has the empty object",
			check: func(s *stage) error {
				sc, err := s.play(modeltest.Call("t1", "list", ""), modeltest.Say("ok"))
				if err != nil {
					return err
				}
				first, _, err := sc.answered(question("hi"))
				return errors.Join(err, first.is(message.Call{ID: "t1", Name: "list", Input: []byte("{}")}))
			},
		},
		{
			name: "a call with broken input",
			says: "an input that is not JSON is kept as it came, and the next request is one that the service takes",
			check: func(s *stage) error {
				for _, input := range []string{`{"path": oops`, `[1,2]`, `"text"`, `{"a":1}{"b":2}`, `{"a":"` + "\x01" + `"}`} {
					sc, err := s.play(modeltest.Call("t1", "read", input), modeltest.Say("ok"))
					if err != nil {
						return err
					}
					first, _, err := sc.answered(question("hi"))
					if err := errors.Join(err, first.is(message.Call{ID: "t1", Name: "read", Input: []byte(input)})); err != nil {
						return fmt.Errorf("input %s: %w", input, err)
					}
				}
				return nil
			},
		},
	}
}

// dropLines is text without the lines that start so.
func dropLines(text, start string) string {
	lines := strings.Split(text, "\n")
	return strings.Join(slices.DeleteFunc(lines, func(l string) bool { return strings.HasPrefix(l, start) }), "\n")
}

func checkUnknown(s *stage) error {
	const block = `{"type":"hologram","data":{"b": 1,"a":2.50}}`
	sc, err := s.play(streamBody(startEvent +
		event(`{"type":"shiny","of":["things"]}`) + event(`{"type":"ping","at":3}`) +
		event(`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"","colour":"red"}}`) +
		event(`{"type":"content_block_delta","index":0,"delta":{"type":"sparkle_delta","sparkle":"*"}}`) +
		event(`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"hello","mood":"good"}}`) +
		event(`{"type":"content_block_stop","index":0,"took":3}`) +
		event(`{"type":"content_block_start","index":1,"content_block":`+block+`}`) +
		event(`{"type":"content_block_stop","index":1}`) +
		endEvent + stopEvent))
	if err != nil {
		return err
	}
	o, err := sc.succeed(question("hi"))
	return errors.Join(err, o.is(message.Text{Text: "hello"}, message.Opaque{Type: "hologram", Raw: []byte(block)}))
}

func checkUsage(s *stage) error {
	all := message.Usage{Input: 100, Output: 20, CacheRead: 3000, CacheWrite: 400, CacheWrite1h: 300, Thinking: 7}
	sc, err := s.play(modeltest.Say("a").Usage(all), modeltest.Say("b").Usage(message.Usage{Output: 1}), modeltest.Say("c").NoUsage())
	if err != nil {
		return err
	}
	for i, want := range []*message.Usage{&all, {Output: 1}, nil} {
		o, err := sc.succeed(question("hi"))
		if err != nil {
			return err
		}
		if diff := cmp.Diff(want, o.done.Usage); diff != "" {
			return fmt.Errorf("reply %d: the usage differs (- should be, + is):\n%s", i+1, diff)
		}
		if got := o.started.Usage; want != nil && got.TotalInput() != want.TotalInput() {
			return fmt.Errorf("reply %d: Started has the usage %+v, but the input is known from %+v", i+1, got, *want)
		}
	}
	return nil
}
