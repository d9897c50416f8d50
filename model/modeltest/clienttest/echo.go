package clienttest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/model/modeltest"
)

// echoRules are about sending a reply back. Most of the work is done by the
// server, which refuses what is not its own.
func echoRules() []rule {
	return []rule{
		{
			name: "thinking goes back",
			says: "thinking goes back with its signature, also when it has no text or is redacted",
			check: func(s *stage) error {
				sc, err := s.play(
					modeltest.Think("hm", "").Thinking("", "").Block(`{"type":"redacted_thinking","data":"x+/="}`).Text("so").Call("t1", "read", "{}"),
					modeltest.Say("ok"))
				if err != nil {
					return err
				}
				first, _, err := sc.answered(question("hi"))
				if err == nil && len(first.parts) != 5 {
					err = fmt.Errorf("the reply has %d parts instead of 5", len(first.parts))
				}
				return err
			},
		},
		{
			name:  "thinking of another model stays",
			says:  "thinking goes only to the model that wrote it; the rest of its reply goes to any",
			check: checkForeign,
		},
		{
			name:  "blocks go back",
			says:  "a block that only the provider understands goes back to the byte, and so do unknown fields of a text",
			wire:  true,
			check: checkOpaque,
		},
		{
			name: "citations go back",
			says: "a text to which citations were streamed goes back with them",
			wire: true,
			check: func(s *stage) error {
				cited := event(`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"","citations":[]}}`) +
					event(`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Go is fun"}}`) +
					event(`{"type":"content_block_delta","index":0,"delta":{"type":"citations_delta","citation":{"type":"page","cited_text":"fun"}}}`) +
					event(`{"type":"content_block_stop","index":0}`)
				sc, err := s.play(streamBody(startEvent+cited+endEvent+stopEvent), modeltest.Say("ok"))
				if err != nil {
					return err
				}
				first, err := sc.succeed(question("hi"))
				if err != nil {
					return err
				}
				if _, err := sc.succeed(more(question("hi"), first.message(), message.NewUser("u2", "go on"))); err != nil {
					return err
				}
				return sc.echoed(1, 1, `{"type":"text","text":"Go is fun","citations":[{"type":"page","cited_text":"fun"}]}`)
			},
		},
		{
			name:  "inputs go back",
			says:  "the input of a call goes back to the byte: order of keys, spelling of numbers, white space and escapes",
			wire:  true,
			check: checkInputs,
		},
		{
			name: "a paused reply goes back",
			says: "a reply that the provider paused goes back as the last message",
			check: func(s *stage) error {
				sc, err := s.play(modeltest.Reply{}.
					Block(`{"type":"server_tool_use","id":"s1","name":"web_search","input":{"query":"go"}}`).
					Block(`{"type":"web_search_tool_result","tool_use_id":"s1","content":[]}`).End(message.StopPause),
					modeltest.Say("ok"))
				if err != nil {
					return err
				}
				first, err := sc.succeed(question("hi"))
				if err != nil {
					return err
				}
				o, err := sc.succeed(more(question("hi"), first.message()))
				return errors.Join(err, o.is(message.Text{Text: "ok"}))
			},
		},
		{
			name: "nothing empty goes back",
			says: "an empty or blank text of the model is not sent back, as the service would refuse it for ever after",
			wire: true,
			check: func(s *stage) error {
				sc, err := s.play(modeltest.Say("").Call("t1", "read", "{}").Text(" \n"), modeltest.Say("ok"))
				if err != nil {
					return err
				}
				_, _, err = sc.answered(question("hi"))
				return err
			},
		},
	}
}

func checkForeign(s *stage) error {
	sc, err := s.play(modeltest.Think("hm", "").Text("so").Call("t1", "read", "{}"), modeltest.Say("other"), modeltest.Say("back"))
	if err != nil {
		return err
	}
	first, err := sc.succeed(question("hi"))
	if err != nil {
		return err
	}
	req := more(question("hi"), first.message(), first.results())
	other := *req
	other.Model = "claude-sonnet-5-5"
	if _, err := sc.succeed(&other); err != nil {
		return fmt.Errorf("asked the other model: %w", err)
	}
	if _, err := sc.succeed(req); err != nil {
		return fmt.Errorf("asked the first model again: %w", err)
	}
	return nil
}

func checkOpaque(s *stage) error {
	blocks := []string{
		`{"type":"server_tool_use","id":"s1","name":"web_search","input":{"query": "go  1.26","n":1.0}}`,
		`{"type":"web_search_tool_result","tool_use_id":"s1","content":[{"type":"web_search_result","url":"https:\/\/go.dev","encrypted_content":"x+/=<>&"}]}`,
		`{"type":"text","text":"Goé <b>","citations":[{"encrypted_index":"E","cited_text":"go"}],"shade":{"z":1,"a":2}}`,
		`{"type":"hologram","z":1.50,"a":"\u003c"}`,
	}
	reply := modeltest.Reply{}
	for _, b := range blocks {
		reply = reply.Block(b)
	}
	sc, err := s.play(reply, modeltest.Say("ok"))
	if err != nil {
		return err
	}
	first, err := sc.succeed(question("hi"))
	if err != nil {
		return err
	}
	if len(first.parts) != len(blocks) {
		return fmt.Errorf("%d blocks gave %d parts", len(blocks), len(first.parts))
	}
	o, err := sc.ask(more(question("hi"), first.message(), message.NewUser("u2", "go on")))
	return errors.Join(err, sc.echoed(1, 1, blocks...), o.is(message.Text{Text: "ok"}))
}

// echoed says what is wrong unless message m of request i has just these
// blocks, to the byte.
func (sc *scene) echoed(i, m int, blocks ...string) error {
	sent, err := sc.sent(i)
	if err != nil {
		return err
	}
	got := sent.messages[m].Content
	if len(got) != len(blocks) {
		return fmt.Errorf("%d blocks went back as %d: %s", len(blocks), len(got), got)
	}
	for j, b := range blocks {
		if string(got[j]) != b {
			return fmt.Errorf("the block\n\t%s\nwent back as\n\t%s", b, got[j])
		}
	}
	return nil
}

func checkInputs(s *stage) error {
	inputs := []string{
		`{"z":1,"a":2,"m":{"y":[3,1,2],"b":null}}`,
		`{"n":[1.0,1.50,1e3,1E+3,-0,12345678901234567890123]}`,
		`{ "path" : "a b" , "x":[ ] }`,
		`{"s":"\u00e9\u4eac\/\"\\\n\u003cb\u003e & <b>"}`,
		`{"s":"北京 café 🥋"}`,
		`{"a":1,"a":2}`,
		`{}`,
	}
	reply := modeltest.Reply{}
	for i, in := range inputs {
		reply = reply.Call(fmt.Sprintf("t%d", i+1), "write", in)
	}
	sc, err := s.play(reply, modeltest.Say("ok"))
	if err != nil {
		return err
	}
	first, _, err := sc.answered(question("hi"))
	if err != nil {
		return err
	}
	sent, err := sc.sent(1)
	if err != nil {
		return err
	}
	for i, in := range inputs {
		if got := string(first.parts[i].(message.Call).Input); got != in { //nolint:forcetypeassert // the suite's own reply
			return fmt.Errorf("the input %s came as %s", in, got)
		}
		var block struct {
			Input json.RawMessage `json:"input"`
		}
		if err := json.Unmarshal(sent.messages[1].Content[i], &block); err != nil {
			return err
		}
		if !bytes.Equal(block.Input, []byte(in)) {
			return fmt.Errorf("the input %s went back as %s", in, block.Input)
		}
	}
	return nil
}
