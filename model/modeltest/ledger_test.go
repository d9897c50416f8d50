package modeltest

import (
	"net/http"
	"strings"
	"testing"
)

// body2 is the second request of a conversation with the given reply, in which
// the user said so and the results end it.
func body2(model, said, reply string) string {
	return `{"model":"` + model + `","max_tokens":100,"messages":[{"role":"user","content":"` + said + `"},{"role":"assistant","content":[` + reply + `]},` + doneT1 + `]}`
}

func TestThinkingBinds(t *testing.T) {
	const (
		thinking = `{"type":"thinking","thinking":"hm","signature":"S1"}`
		redacted = `{"type":"redacted_thinking","data":"D1"}`
		call     = `{"type":"tool_use","id":"t1","name":"read","input":{}}`
		text     = `{"type":"text","text":"reading"}`
	)
	all := thinking + "," + redacted + "," + text + "," + call
	tests := []struct {
		name, body, want string
	}{
		{"what came goes back", body2("m1", "hi", all), ""},
		{"the text around it is free", body2("m1", "hi", thinking+","+redacted+","+call), ""},
		{
			"a mark elsewhere changes nothing",
			body2("m1", "hi", thinking+","+redacted+","+strings.Replace(call, `{}`, `{},"cache_control":{"type":"ephemeral"}`, 1)), "",
		},
		{"changed", body2("m1", "hi", strings.Replace(all, "hm", "Hm", 1)), "cannot be modified"},
		{"dropped within the calls", body2("m1", "hi", text+","+call), "Expected `thinking` or `redacted_thinking`, but found `tool_use`"},
		{"dropped in part", body2("m1", "hi", thinking+","+call), "with the thinking before them (D1)"},
		{"sent to another model", body2("m2", "hi", all), "it was written by another model"},
		{"dropped for another model", body2("m2", "hi", text+","+call), ""},
		{"kept behind a changed conversation", body2("m1", "hello", all), "the conversation before it has changed"},
		{"dropped behind a changed conversation", body2("m1", "hello", text+","+call), ""},
		{
			"dropped when the calls are over",
			messagesBody(hi + `,{"role":"assistant","content":[` + call + `]},` + doneT1 + "," + ok + "," + hi), "",
		},
		{
			"kept when the calls are over",
			messagesBody(hi + `,{"role":"assistant","content":[` + all + `]},` + doneT1 + "," + ok + "," + hi), "",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := newChecker(Options{})
			r, err := c.check([]byte(messagesBody(hi)), http.Header{}, false)
			if err != nil {
				t.Fatal(err)
			}
			e := c.issued.entry(origin{r.model, r.end()})
			e.thinking("hm", "S1")
			e.block(newBlock(redacted))
			e.text("reading")
			e.call("t1")
			_, err = c.check([]byte(tt.body), http.Header{}, false)
			switch {
			case tt.want == "" && err != nil:
				t.Error(err)
			case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("got %v\nwant %s", err, tt.want)
			}
		})
	}
}

func TestOwnBlocksComeBack(t *testing.T) {
	const (
		search = `{"type":"server_tool_use","id":"s1","name":"web_search","input":{"query": "go"}}`
		found  = `{"type":"web_search_tool_result","tool_use_id":"s1","content":[{"url":"https://go.dev","encrypted_content":"x+/="}]}`
		cited  = `{"type":"text","text":"Go","citations":[{"cited_text":"go"}],"extra":1}`
	)
	history := func(blocks string) string {
		return messagesBody(hi + `,{"role":"assistant","content":[` + blocks + `]},` + hi)
	}
	paused := func(blocks string) string {
		return messagesBody(hi + `,{"role":"assistant","content":[` + blocks + `]}`)
	}
	tests := []struct{ name, body, want string }{
		{"as they came", history(search + "," + found + "," + cited), ""},
		{"with a mark", history(search + "," + strings.Replace(found, `{"type":`, `{"cache_control":{"type":"ephemeral"},"type":`, 1) + "," + cited), ""},
		{"written otherwise", history(strings.Replace(search, `{"query": "go"}`, `{"query":"go"}`, 1) + "," + found), "Input tag 'server_tool_use' found"},
		{"with a field less", history(search + "," + found + "," + strings.Replace(cited, `"cited_text":"go"`, ``, 1)), "text.extra: Extra inputs"},
		{"a call without its result", history(search + "," + cited), "`web_search` tool use with id `s1` was found without a corresponding `web_search_tool_result` block"},
		{
			"a call whose result came with the next reply",
			messagesBody(hi + `,{"role":"assistant","content":[` + search + `,{"type":"tool_use","id":"t1","name":"read","input":{}}]},` + doneT1 +
				`,{"role":"assistant","content":[` + found + "," + cited + `]},` + hi), "",
		},
		{"a paused reply may come last", paused(search + "," + found + "," + cited), ""},
		{"a reply that has been changed may not", paused(search + "," + found + "," + `{"type":"text","text":"So"}`), "assistant message prefill"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := newChecker(Options{})
			e := c.issued.entry(origin{})
			for _, b := range []string{search, found, cited} {
				e.block(newBlock(b))
			}
			e.pause()
			_, err := c.check([]byte(tt.body), http.Header{}, false)
			switch {
			case tt.want == "" && err != nil:
				t.Error(err)
			case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("got %v\nwant %s", err, tt.want)
			}
		})
	}
}
