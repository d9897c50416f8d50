package daruma_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/daruma-dev/daruma"
	"github.com/daruma-dev/daruma/loop"
	"github.com/daruma-dev/daruma/model/modeltest"
	"github.com/daruma-dev/daruma/session"
)

// eventful is a script whose run has a bit of everything.
const eventful = `when "third prompt"
text "third answer"
---
when "second prompt"
text "second answer"
repeat 500
---
http 529
---
text "partial"
cut
---
thinking "hm"
text "I look."
call t1 look {}
call t2 count {}
call t3 look {}
text "so"
wait 1500ms
cut
---
call t4 look {}
call t5 count {}
call t6 fly {}
---
text "cut o"
end length
---
text "cut off"
end length
---
text "done"
repeat 500`

// A run that is left at any event, by breaking out of it or by an interrupt,
// leaves a session in order: every call has a result, the record is what the
// journal holds, and the next prompts are answered, here and after a resume.
func TestLeftAtAnyEvent(t *testing.T) {
	ways := map[string]func(cancel context.CancelFunc) bool{
		"break":     func(context.CancelFunc) bool { return false },
		"interrupt": func(cancel context.CancelFunc) bool { cancel(); return true },
	}
	for way, leave := range ways {
		for i, v := range variants {
			t.Run(way+", "+v.name, func(t *testing.T) {
				t.Parallel()
				for n, over := 1, false; !over; n += 1 + 3*i { // the default at each, the others at some
					t.Run(fmt.Sprint(n), func(t *testing.T) {
						synctest.Test(t, func(t *testing.T) { over = leaveAt(t, v, n, leave) })
					})
				}
			})
		}
	}
}

// leaveAt leaves a run at its n-th event and reports whether it had fewer.
func leaveAt(t *testing.T, v variant, n int, leave func(context.CancelFunc) bool) (over bool) {
	t.Helper()
	b := newBubble(t, modeltest.MustParse(eventful), modeltest.Options{})
	o := b.options()
	o.Early = v.early
	a := b.agent(o)
	a.SetExecutor(v.executor)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	b.prompts++
	seen := 0
	var last loop.Event
	for e, err := range a.Run(ctx, "first prompt") {
		if err != nil {
			t.Fatal(err)
		}
		last = e
		if seen++; seen == n && !leave(cancel) {
			break
		}
	}
	if len(a.State().Messages) == 0 { // it was left before the prompt was taken in
		t.Fatalf("nothing is in the record after %T", last)
	}
	b.check(a, a.State())
	b.answers(a, "second")
	b.close(a)
	o.Continue = true
	a = b.agent(o)
	b.answers(a, "third")
	b.close(a)
	return seen < n
}

// A process that died after any entry of the journal, or while it wrote one, is
// taken up by another: a prompt is answered, and so is the interrupted one when
// the session just goes on. No call of the dead process runs again.
func TestTakenUpAfterAnyEntry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBubble(t, modeltest.MustParse(eventful), modeltest.Options{})
		a := b.agent(b.options())
		if end := b.run(t.Context(), a, "first prompt"); !end.OK() {
			t.Errorf("ended as %v", end)
		}
		b.close(a)
		journal, err := os.ReadFile(a.JournalPath())
		if err != nil {
			t.Fatal(err)
		}
		path, err := filepath.Rel(b.state, a.JournalPath())
		if err != nil {
			t.Fatal(err)
		}
		runs := b.counter.runs()
		lines := bytes.SplitAfter(journal, []byte("\n"))
		for n := 2; n < len(lines); n++ { // behind the header and the prompt
			whole := bytes.Join(lines[:n], nil)
			torn := append(slices.Clip(whole), lines[n][:len(lines[n])/2]...)
			for _, left := range [][]byte{whole, torn} {
				b.takenUp(path, left, "second prompt", "second answer")
				b.takenUp(path, left, "", "done")
			}
		}
		if again := b.counter.runs(); len(again) != len(runs) {
			t.Errorf("the tool ran for %q, and after that for %q", runs, again)
		}
	})
}

// takenUp resumes the session of a journal and gives it a prompt.
func (b *bubble) takenUp(path string, journal []byte, prompt, answer string) {
	b.t.Helper()
	o := b.options()
	o.StateDir, o.Continue = b.t.TempDir(), true
	file := filepath.Join(o.StateDir, path)
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, journal, 0o600)); err != nil {
		b.t.Fatal(err)
	}
	a := b.agent(o)
	defer b.close(a)
	if prompt == "" && !a.State().Owed() && len(a.State().Calls) == 0 {
		b.nothingOwed(a, answer)
		return
	}
	end := run(b.t.Context(), b.t, a, prompt)
	if text := loop.FinalText(a.State()); !end.OK() || !strings.HasSuffix(text, answer) {
		b.t.Errorf("after %d lines, %q ended as %v with %q", bytes.Count(journal, []byte("\n")), prompt, end, text)
	}
	folded, err := session.Fold(a.JournalPath(), a.Machine(), &session.Contents{})
	if d := loop.Diff(a.State(), folded); err != nil || d != "" {
		b.t.Errorf("the fold of the journal is not the live state: %s (%v)", d, err)
	}
}

// What a run has spent on one turn does not weigh on the next.
func TestBudgetsBelongToATurn(t *testing.T) {
	for name, faults := range map[string]string{
		"overload":   "http 529\nrepeat 10\n---\n",
		"cut stream": "text \"so\"\ncut\nrepeat 10\n---\n",
		"silence":    "text \"so\"\nstall\n---\n",
		"cut output": "text \"so\"\nend length\n---\ntext \"so\"\nend length\nrepeat 3\n---\n",
		"no reply":   "body 200 text/html \"<html>\"\nrepeat 2\n---\n",
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				script := ""
				for n := range 3 {
					script += faults + fmt.Sprintf("call t%d count {}\n---\n", n)
				}
				b := newBubble(t, modeltest.MustParse(script+faults+"text \"first answer\""), modeltest.Options{})
				a := b.agent(b.options())
				defer b.close(a)
				if end := b.run(t.Context(), a, "first prompt"); !end.OK() || len(b.counter.runs()) != 3 {
					t.Errorf("ended as %v after %d runs", end, len(b.counter.runs()))
				}
			})
		})
	}
}

// A chain of models that are all overloaded comes to an end, and each was asked.
func TestFallbacksAreBounded(t *testing.T) {
	for name, script := range map[string]string{
		"by a status":    "http 529\nrepeat 100",
		"in a stream":    "thinking \"hm\"\ntext \"so\"\nerror overloaded_error \"Overloaded\"\nrepeat 100",
		"after a change": "call t1 count {}\ntext \"so\"\nwait 2s\nerror overloaded_error \"Overloaded\"\nrepeat 100",
		"while looking":  "call t1 look {}\ncall t2 count {}\ntext \"so\"\nwait 500ms\nerror overloaded_error \"Overloaded\"\nrepeat 100",
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBubble(t, modeltest.MustParse("when \"second prompt\"\ntext \"second answer\"\n---\n"+script), modeltest.Options{})
				o := b.options()
				o.Fallbacks = []string{"anthropic/claude-sonnet-5-5", "anthropic/claude-haiku-5-5"}
				a := b.agent(o)
				defer b.close(a)
				end := b.run(t.Context(), a, "first prompt")
				asked := map[string]int{}
				for _, r := range b.server.Requests() {
					asked[r.Request().Model]++
				}
				if n := len(b.server.Requests()); end.Reason != loop.ModelError || n != 13 || len(asked) != 3 {
					t.Errorf("ended as %v after %d requests to %v", end, n, asked)
				}
				b.answers(a, "second")
				if m := lastRequest(b.server).Model; m != "claude-opus-5-5" {
					t.Errorf("the next turn went to %s", m)
				}
			})
		})
	}
}

// nothingOwed checks that a session whose answer is whole is not gone on with,
// and that asking for it leaves no trace.
func (b *bubble) nothingOwed(a *daruma.Agent, answer string) {
	b.t.Helper()
	before := a.State()
	var u *daruma.UsageError
	for _, err := range a.Run(b.t.Context(), "") {
		if !errors.As(err, &u) {
			b.t.Errorf("Run yielded %v, want a UsageError", err)
		}
	}
	if u == nil || loop.Diff(before, a.State()) != "" || !strings.HasSuffix(loop.FinalText(before), answer) {
		b.t.Errorf("error %v, text %q", u, loop.FinalText(before))
	}
}
