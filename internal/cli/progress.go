package cli

import (
	"fmt"
	"io"
	"time"

	"github.com/daruma-dev/daruma/loop"
	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/tool"
)

// progress tells on stderr what a run does, a line each.
type progress struct{ w io.Writer }

func (p *progress) event(e loop.Event) {
	if line := progressLine(e); line != "" {
		fmt.Fprintln(p.w, line)
	}
}

// progressLine is the line for an event; most have none.
func progressLine(e loop.Event) string {
	switch e := e.(type) {
	case loop.ToolChanged:
		return toolLine(e.Event)
	case loop.Moved:
		return transitionLine(e.Transition)
	case loop.Waiting:
		return waitLine(e)
	case loop.Withdrawn:
		return "  (withdrawn; trying again)"
	case loop.Requested, loop.Streamed, loop.Added, loop.Summarised, loop.Faulted, loop.Finish:
		return ""
	default:
		panic(fmt.Sprintf("cli: unhandled event %T", e))
	}
}

// toolLine is for the start and the end of a call.
func toolLine(e tool.Event) string {
	switch e.Phase {
	case tool.Executing:
		return "  • " + brief(callLine(e.Call), lineWidth)
	case tool.Yielded:
		return "  " + sign(*e.Result) + " " + brief(resultLine(*e.Result), lineWidth)
	case tool.Queued, tool.Progress, tool.Completed:
		return ""
	default:
		panic(fmt.Sprintf("cli: unhandled phase %q", string(e.Phase)))
	}
}

// sign tells at a glance whether a call did what it should.
func sign(r message.ToolResult) string {
	if r.IsError() {
		return "✗"
	}
	return "✓"
}

func transitionLine(t loop.Transition) string {
	line := fmt.Sprintf("  → %s (turn %d)", t.Reason, t.Turn)
	if t.Cause != "" {
		line += ": " + brief(t.Cause, lineWidth)
	}
	return line
}

func waitLine(w loop.Waiting) string {
	return fmt.Sprintf("  ↻ %s: trying again in %v (attempt %d)", brief(w.Why, lineWidth), w.For.Round(100*time.Millisecond), w.Attempt+1)
}
