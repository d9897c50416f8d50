package demo

import (
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/daruma-dev/daruma/loop"
	"github.com/daruma-dev/daruma/model"
	"github.com/daruma-dev/daruma/tool"
)

// watch prints what the loop does as it does it.
func (d stage) watch(events iter.Seq2[loop.Event, error]) error {
	var end loop.Terminal
	for e, err := range events {
		if err != nil {
			return fmt.Errorf("demo: %w", err)
		}
		switch e := e.(type) {
		case loop.Streamed:
			if delta, ok := e.Event.(model.Delta); ok && delta.Kind == model.DeltaText {
				d.say("%s", delta.Text)
			}
		case loop.ToolChanged:
			d.tool(e.Event)
		case loop.Waiting:
			d.say("  ↻ %s: waiting %v, then attempt %d\n\n", e.Why, e.For.Round(10*time.Millisecond), e.Attempt+1)
		case loop.Moved:
			d.say("  → %s (turn %d)\n\n", e.Transition.Reason, e.Transition.Turn)
		case loop.Finish:
			end = e.Terminal
		case loop.Requested, loop.Added, loop.Summarised, loop.Withdrawn, loop.Faulted:
		default:
			panic(fmt.Sprintf("demo: unhandled event %T", e))
		}
	}
	d.say("\n  ■ %s\n\n", end)
	if !end.OK() {
		return fmt.Errorf("demo: the run ended as %s", end)
	}
	return nil
}

// tool prints the start and the end of a call.
func (d stage) tool(e tool.Event) {
	switch e.Phase {
	case tool.Executing:
		d.say("\n  • %s %s", e.Call.Name, short(string(e.Call.Input)))
	case tool.Yielded:
		title := e.Result.Title
		if title == "" {
			title = string(e.Result.Status)
		}
		d.say("\n  ✓ %s: %s\n", e.Call.Name, title)
	case tool.Queued, tool.Progress, tool.Completed:
	}
}

func short(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	const most = 70
	if r := []rune(text); len(r) > most {
		return string(r[:most]) + "…"
	}
	return text
}
