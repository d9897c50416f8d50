package daruma_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/daruma-dev/daruma/loop"
	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/model/modeltest"
)

// A call that the output limit has cut off does not touch the file, however
// whole its input looks; an empty content that is meant empties it (B046).
func TestCutOffWriteChangesNothing(t *testing.T) {
	const startsEarly = "behind a whole call" // which may run before the limit is hit
	const read = "call r1 read {\"path\":\"f.txt\"}\n---\n"
	for _, tc := range []struct{ name, script, want string }{
		{
			"content lost", `call t1 write {"path":"f.txt"}
end length
---
text "done"`, "keep",
		},
		{
			"content lost again and again", `call t1 write {"path":"f.txt"}
end length
repeat 3
---
text "done"`, "keep",
		},
		{
			"content empty", `call t1 write {"path":"f.txt","content":""}
end length
repeat 2
---
text "done"`, "keep",
		},
		{
			"cut in the content", `truncate call t1 write {"path":"f.txt","content":"ab
repeat 2
---
text "done"`, "keep",
		},
		{
			startsEarly, `call t1 write {"path":"f.txt","content":"whole"}
call t2 write {"path":"f.txt","content":""}
end length
---
text "done"`, "keep",
		},
		{
			"window full", `call t1 write {"path":"f.txt","content":""}
end window
---
text "done"`, "keep",
		},
		{
			"no content, and the reply is whole", `call t1 write {"path":"f.txt"}
---
text "done"`, "keep",
		},
		{
			"empty content is meant", `call t1 write {"path":"f.txt","content":""}
---
text "done"`, "",
		},
	} {
		for _, v := range variants {
			t.Run(tc.name+", "+v.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					b := newBubble(t, modeltest.MustParse(read+tc.script), modeltest.Options{})
					file := filepath.Join(b.dir, "f.txt")
					if err := os.WriteFile(file, []byte("keep"), 0o644); err != nil {
						t.Fatal(err)
					}
					o := b.options()
					o.Tools, o.Early = nil, v.early
					a := b.agent(o)
					defer b.close(a)
					a.SetExecutor(v.executor)
					want := tc.want
					if tc.name == startsEarly && v.name == variants[0].name {
						want = "whole"
					}
					end := b.run(t.Context(), a, "write")
					if got, err := os.ReadFile(file); err != nil || !end.OK() || string(got) != want || loop.FinalText(a.State()) != "done" {
						t.Errorf("ended as %v with %q; the file is %q (%v)", end, loop.FinalText(a.State()), got, err)
					}
				})
			})
		}
	}
}

// A model whose call does not fit is told that the limit was the reason and to
// send less at once; one that does not listen is stopped (B047).
func TestCutOffCallsSayWhy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBubble(t, modeltest.MustParse(`call t1 write {"path":"big.txt"}
end length
repeat 10`), modeltest.Options{})
		o := b.options()
		o.Tools = nil
		a := b.agent(o)
		defer b.close(a)
		end := b.run(t.Context(), a, "write")
		if n := len(b.server.Requests()); end.Reason != loop.OutputLimit || end.Hint == "" || n > 5 {
			t.Errorf("ended as %v after %d requests", end, n)
		}
		for i, r := range b.server.Requests()[2:] {
			ms := r.Request().Messages
			rs := ms[len(ms)-1].Results()
			if len(rs) != 1 || !rs[0].IsError() || !strings.Contains(rs[0].Text, "output limit") || !strings.Contains(rs[0].Text, "smaller parts") {
				t.Errorf("request %d answers the call by %+v", i+3, rs)
			}
		}
		if _, err := os.Stat(filepath.Join(b.dir, "big.txt")); err == nil {
			t.Error("there is a file")
		}
	})
}

// A text that was cut off twice is continued, and its pieces are one answer, in
// order (B048).
func TestCutOffTextIsContinued(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBubble(t, modeltest.MustParse(`text "Step 1"
end length
---
text "Step 1 done. Now I will"
end length
---
text " edit b."
---
text "second answer"`), modeltest.Options{})
		a := b.agent(b.options())
		defer b.close(a)
		end := b.run(t.Context(), a, "edit a and b")
		if text := loop.FinalText(a.State()); !end.OK() || text != "Step 1 done. Now I will edit b." {
			t.Errorf("ended as %v with %q", end, text)
		}
		rs := b.server.Requests()
		if first, second := rs[0].Request().MaxTokens, rs[1].Request().MaxTokens; second <= first {
			t.Errorf("the second try had room for %d tokens, the first for %d", second, first)
		}
		b.answers(a, "second")
	})
}

// A model that never comes to an end is stopped, and what came stays (B049).
func TestContinuationsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		script := modeltest.Func(func(n int, _ modeltest.Request) modeltest.Reply {
			return modeltest.Say(fmt.Sprintf("piece %d. ", n)).End(message.StopLength)
		})
		b := newBubble(t, script, modeltest.Options{})
		a := b.agent(b.options())
		defer b.close(a)
		end := b.run(t.Context(), a, "write")
		if text := loop.FinalText(a.State()); end.Reason != loop.OutputLimit || text != "piece 2. piece 3. piece 4. piece 5. " {
			t.Errorf("ended as %v with %q", end, text)
		}
	})
}
