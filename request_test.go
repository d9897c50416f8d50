package daruma_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/daruma-dev/daruma/loop"
	"github.com/daruma-dev/daruma/model/modeltest"
	"github.com/daruma-dev/daruma/tool"
)

// One id stands for one call with one result, whatever was cut, repeated and
// interrupted in between (B003).
func TestAnIDIsUsedOnce(t *testing.T) {
	for name, script := range map[string]string{
		"cut behind the call": "call c1 look {}\ncut\n---\ncall c1 look {}",
		"cut while it ran":    "call c1 count {}\ntext \"so\"\ncut\n---\ncall c1 count {}",
		"in every turn":       "call c1 look {}\n---\ncall c1 look {}\n---\ncall c1 count {}\ncall c1 count {}",
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBubble(t, modeltest.MustParse("when \"second prompt\"\ntext \"second answer\"\n---\n"+script+"\n---\nstall"), modeltest.Options{})
				a := b.agent(b.options())
				defer b.close(a)
				ctx, cancel := context.WithCancel(t.Context())
				b.prompts++
				asked := 0
				for e, err := range a.Run(ctx, "first prompt") {
					if err != nil {
						t.Fatal(err)
					}
					if _, ok := e.(loop.Requested); ok {
						asked++
					}
					if asked == 2+strings.Count(script, "---") {
						cancel() // right after the last result
					}
				}
				cancel()
				b.answers(a, "second")
				ids := map[string]int{}
				for _, m := range lastRequest(b.server).Messages {
					for _, c := range m.Calls() {
						ids[c.ID]++
					}
					for _, r := range m.Results() {
						ids[r.CallID] += 10
					}
				}
				for id, n := range ids {
					if n != 11 {
						t.Errorf("id %s stands for %d calls and %d results", id, n%10, n/10)
					}
				}
			})
		})
	}
}

// Nothing empty is sent, whatever the model has said (B005).
func TestNothingEmptyIsSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBubble(t, modeltest.MustParse(`text ""
call t1 look {}
text ""
---
empty
---
text " "
call t2 count {}
thinking ""
text "\n\t"
---
thinking "hm"
---
text "\u200b"
---
text "third answer"`), modeltest.Options{})
		a := b.agent(b.options())
		defer b.close(a)
		for _, prompt := range []string{"first", "second", "and"} {
			if end := b.run(t.Context(), a, prompt); !end.OK() {
				t.Errorf("%s: ended as %v", prompt, end)
			}
		}
		b.answers(a, "third")
	})
}

// However many things are worth caching, a request has at most four marks, and
// at least one (B006).
func TestFourCacheMarksAtMost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		script := modeltest.Func(func(n int, _ modeltest.Request) modeltest.Reply {
			if n%15 == 0 {
				return modeltest.Say("done")
			}
			return modeltest.Think("hm", "").Text("next").Call(fmt.Sprint("t", n), "read", `{"path":"AGENTS.md"}`).
				Call(fmt.Sprint("u", n), "glob", `{"pattern":"*"}`)
		})
		b := newBubble(t, script, modeltest.Options{})
		if err := os.MkdirAll(filepath.Join(b.dir, "sub"), 0o755); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"AGENTS.md", "CLAUDE.md", "sub/AGENTS.md"} {
			if err := os.WriteFile(filepath.Join(b.dir, name), []byte(strings.Repeat("Keep lines short.\n", 100)), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		o := b.options()
		o.Dir, o.Tools, o.System, o.AppendSystem = filepath.Join(b.dir, "sub"), nil, "", "Be brief."
		a := b.agent(o)
		for range 2 {
			if end := b.run(t.Context(), a, "go on"); !end.OK() {
				t.Errorf("ended as %v", end)
			}
		}
		b.close(a)
		o.Continue = true
		a = b.agent(o)
		defer b.close(a)
		if end := b.run(t.Context(), a, "and on"); !end.OK() {
			t.Errorf("ended as %v", end)
		}
		rs := b.server.Requests()
		if n := len(rs[0].Request().System); n < 2 || len(rs) != 45 {
			t.Errorf("%d requests with a system prompt of %d parts", len(rs), n)
		}
		for i, r := range rs {
			if n := bytes.Count(r.Body, []byte(`"cache_control"`)); n < 1 || n > 4 {
				t.Errorf("request %d has %d marks", i+1, n)
			}
		}
	})
}

// Thinking goes to the model that wrote it and to no other, when the session
// changes its model and changes it back (B007).
func TestThinkingStaysWithItsModel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBubble(t, modeltest.MustParse(`thinking "a" sig=S-opus-1
call t1 look {}
---
thinking "b" sig=S-opus-2
text "first answer"
---
thinking "c" sig=S-sonnet-1
call t2 look {}
---
thinking "d" sig=S-sonnet-2
text "second answer"
---
thinking "e" sig=S-opus-3
text "third answer"
---
text "fourth answer"`), modeltest.Options{})
		o := b.options()
		opus, sonnet := o.Model, "anthropic/claude-sonnet-5-5"
		for _, step := range []struct{ model, which string }{
			{opus, "first"}, {sonnet, "second"}, {opus, "third"}, {sonnet, "fourth"},
		} {
			o.Model = step.model
			a := b.agent(o)
			b.answers(a, step.which)
			b.close(a)
			o.Continue = true
		}
		b.noForeignThinking()
	})
}

// A fallback in the middle of a task does not see the thinking of the model it
// stands in for, and the next turn is the first model's again (B007).
func TestFallbackSeesNoThinking(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBubble(t, modeltest.MustParse(`when "claude-sonnet-5-5"
thinking "c" sig=S-sonnet-1
call t2 look {}
---
thinking "a" sig=S-opus-1
call t1 look {}
---
thinking "lost" sig=S-opus-lost
text "partial"
error overloaded_error "Overloaded"
---
http 529
repeat 2
---
thinking "b" sig=S-opus-2
text "first answer"
---
text "second answer"`), modeltest.Options{})
		o := b.options()
		o.Fallbacks = []string{"anthropic/claude-sonnet-5-5"}
		a := b.agent(o)
		defer b.close(a)
		b.answers(a, "first")
		b.answers(a, "second")
		b.noForeignThinking()
		for _, r := range b.server.Requests() {
			if bytes.Contains(r.Body, []byte("S-opus-lost")) {
				t.Error("thinking of a withdrawn reply was sent")
			}
		}
	})
}

// noForeignThinking sees that each request holds signatures of its own model
// alone, and that some do.
func (b *bubble) noForeignThinking() {
	b.t.Helper()
	own := 0
	for i, r := range b.server.Requests() {
		mine, foreign := "S-opus", "S-sonnet"
		if strings.Contains(r.Request().Model, "sonnet") {
			mine, foreign = foreign, mine
		}
		own += bytes.Count(r.Body, []byte(mine))
		if bytes.Contains(r.Body, []byte(foreign)) {
			b.t.Errorf("request %d, to %s, holds a signature of the other model", i+1, r.Request().Model)
		}
	}
	if own == 0 {
		b.t.Error("no model got its own thinking back")
	}
}

// A request begins like the one before it, to the byte, also in another process:
// what a provider has cached of the conversation stays of use. A retry is the
// same request.
func TestRequestsGrowAtTheirEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBubble(t, modeltest.MustParse(eventful), modeltest.Options{})
		o := b.options()
		o.System = ""
		a := b.agent(o)
		b.run(t.Context(), a, "first prompt")
		b.close(a)
		o.Continue = true
		a = b.agent(o)
		b.answers(a, "second")
		b.answers(a, "third")
		b.close(a)
		rs := b.server.Requests()
		if !bytes.Equal(rs[0].Body, rs[1].Body) || !bytes.Equal(rs[0].Body, rs[2].Body) {
			t.Error("a retry is another request")
		}
		for i := 1; i < len(rs); i++ {
			before, _, _ := bytes.Cut(rs[i-1].Body, []byte(`}]}],"max_tokens"`)) // up to the last part
			if !bytes.HasPrefix(rs[i].Body, before) || len(before) == len(rs[i-1].Body) {
				t.Errorf("request %d does not begin like the one before:\n%s\n%s", i+1, rs[i-1].Body, rs[i].Body)
			}
		}
	})
}

// Characters that are split over packets arrive whole, in files too (B019).
func TestSplitCharactersReachFiles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const content = "北京 café 🏯\n"
		in, err := json.Marshal(map[string]string{"path": "ü.txt", "content": content})
		if err != nil {
			t.Fatal(err)
		}
		b := newBubble(t, modeltest.Replies{
			modeltest.Say("北京").Call("t1", "write", string(in)).Bytes(1),
			modeltest.Say("first answer"),
		}, modeltest.Options{})
		o := b.options()
		o.Tools = nil
		a := b.agent(o)
		defer b.close(a)
		b.answers(a, "first")
		if got, err := os.ReadFile(filepath.Join(b.dir, "ü.txt")); err != nil || string(got) != content {
			t.Errorf("the file is %q (%v)", got, err)
		}
		journal, err := os.ReadFile(a.JournalPath())
		if err != nil || bytes.ContainsRune(journal, '\uFFFD') || !bytes.Contains(journal, []byte("北京")) {
			t.Errorf("the journal has lost characters (%v)", err)
		}
	})
}

// Bytes that no request may hold are not sent, and what is readable stays
// (B056).
func TestBinaryOutputCanBeSent(t *testing.T) {
	all := make([]byte, 0, 1<<16)
	for i := range 1 << 15 {
		all = append(all, byte(i), byte(i>>7))
	}
	texts := map[string]string{
		"nul": "a\x00b\n", "every byte": string(all), "half a character": "caf\xc3", "a lone surrogate": "\xed\xa0\x80 ok",
		"escaped": `\u0000 stays`,
	}
	for name, text := range texts {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBubble(t, modeltest.MustParse("call t1 print {}\n---\ncall t2 crash {}\n---\ntext \"first answer\"\n---\ntext \"second answer\""), modeltest.Options{})
				o := b.options()
				type none struct{}
				o.Tools = append(o.Tools,
					tool.New("print", "prints", func(context.Context, tool.Call, none) (tool.Result, error) {
						return tool.Result{Text: text, Title: text}, nil
					}),
					tool.New("crash", "crashes", func(context.Context, tool.Call, none) (tool.Result, error) { panic(text) }))
				a := b.agent(o)
				b.answers(a, "first")
				b.close(a)
				o.Continue = true
				a = b.agent(o)
				defer b.close(a)
				b.answers(a, "second")
				for i, r := range b.server.Requests() {
					if !json.Valid(r.Body) || bytes.Contains(unescaped(r.Body), []byte(`\u0000`)) || bytes.IndexByte(r.Body, 0) >= 0 {
						t.Errorf("request %d is not fit to be sent", i+1)
					}
				}
				sent := lastRequest(b.server).Messages[2].Results()[0].Text
				if want := strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD"); len(text) < 100 && sent != want {
					t.Errorf("sent %q, want %q", sent, want)
				}
			})
		})
	}
}

// unescaped is JSON without its escaped backslashes.
func unescaped(b []byte) []byte { return bytes.ReplaceAll(b, []byte(`\\`), nil) }
