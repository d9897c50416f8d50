package daruma_test

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/daruma-dev/daruma/loop"
	"github.com/daruma-dev/daruma/model/modeltest"
)

// What the user adds to a run that fails is not lost: it is answered next.
func TestSentToARunThatFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBubble(t, modeltest.MustParse("when \"third prompt\"\ntext \"third answer\"\n---\nhttp 529\nrepeat 11\n---\ntext \"second answer\""), modeltest.Options{})
		a := b.agent(b.options())
		defer b.close(a)
		sent := false
		for e, err := range a.Run(t.Context(), "first prompt") {
			if err != nil {
				t.Fatal(err)
			}
			if _, ok := e.(loop.Waiting); ok && !sent {
				a.Send("second prompt")
				sent = true
			}
		}
		if !a.Pending() {
			t.Error("nothing is pending")
		}
		if end := run(t.Context(), t, a, ""); !end.OK() || loop.FinalText(a.State()) != "second answer" {
			t.Errorf("ended as %v with %q", end, loop.FinalText(a.State()))
		}
		b.prompts = 2
		b.answers(a, "third")
	})
}

// A prompt is answered by its own run, also when something that was sent too
// late for the last one is waiting: both are in its first request, in the order
// in which they were said.
func TestPromptAfterSomethingSentTooLate(t *testing.T) {
	for name, late := range map[string]func(loop.Event) bool{
		"for its last turn": func(e loop.Event) bool { _, ok := e.(loop.Streamed); return ok },
		"for the run":       func(e loop.Event) bool { _, ok := e.(loop.Finish); return ok },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBubble(t, modeltest.MustParse("text \"first answer\"\n---\ntext \"third answer\""), modeltest.Options{})
				a := b.agent(b.options())
				defer b.close(a)
				sent := false
				for e, err := range a.Run(t.Context(), "first prompt") {
					if err != nil {
						t.Fatal(err)
					}
					if late(e) && !sent {
						a.Send("second prompt")
						sent = true
					}
				}
				b.prompts = 2
				b.answers(a, "third")
				if ms := lastRequest(b.server).Messages; len(ms) != 3 || ms[2].Text() != "second promptthird prompt" {
					t.Errorf("the last request ends with %q", ms[len(ms)-1].Text())
				}
			})
		})
	}
}

// A prompt whose run is cancelled before it begins is in the record, once.
func TestCancelledBeforeTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBubble(t, modeltest.MustParse("text \"second answer\""), modeltest.Options{})
		a := b.agent(b.options())
		defer b.close(a)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if end := b.run(ctx, a, "first prompt"); end.Reason != loop.AbortedStreaming {
			t.Errorf("ended as %v", end)
		}
		b.answers(a, "second")
	})
}
