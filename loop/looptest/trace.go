package looptest

import (
	"fmt"
	"strings"

	"github.com/daruma-dev/daruma/loop"
	"github.com/daruma-dev/daruma/message"
)

// entryLine prints a journal entry.
func entryLine(e loop.Entry) string {
	line := loop.Kind(e.Result) + details(e.Result)
	for _, m := range e.Made {
		line += fmt.Sprintf(" + %s %q", m.Origin, m.Text())
	}
	if t := e.Transition; t != nil {
		line += fmt.Sprintf(" → %s turn=%d", t.Reason, t.Turn)
		if t.Layer != "" {
			line += fmt.Sprintf(" by %s %d", t.Layer, t.Attempt)
		}
	}
	return line + "\n"
}

// details prints what a result says.
func details(r loop.Result) string {
	switch r := r.(type) {
	case loop.Received:
		return fmt.Sprintf(" %q", r.Message.Text())
	case loop.Began:
		return " " + r.CallID + partWords(r.Parts)
	case loop.Finished:
		return resultWords([]message.ToolResult{r.Result})
	case loop.Sampled:
		return sampledWords(r)
	case loop.Vetted:
		s := ""
		for _, v := range r.Verdicts {
			s += fmt.Sprintf(" %s=%s", v.CallID, v.Decision)
		}
		return s
	case loop.Answered:
		s := ""
		for _, a := range r.Answers {
			s += fmt.Sprintf(" %s=%t", a.CallID, a.Allow)
		}
		return s
	case loop.Executed:
		return resultWords(r.Results)
	case loop.Attached:
		s := ""
		for _, m := range r.Messages {
			s += fmt.Sprintf(" %q", m.Text())
		}
		return s
	case loop.Consulted:
		return words("prevented", r.Prevented) + words("objection", r.Objection)
	case loop.Refreshed:
		return fmt.Sprintf(" ok=%t", r.OK)
	case loop.Compacted:
		return words("failed", r.Failed)
	case loop.Ended:
		return " " + string(r.Terminal.Reason) + words("detail", r.Terminal.Detail)
	case loop.Waited, loop.Interrupted, loop.Resumed:
		return ""
	default:
		panic(fmt.Sprintf("looptest: unhandled result %T", r))
	}
}

func sampledWords(r loop.Sampled) string {
	s := ""
	if r.Reply != nil {
		s += partWords(r.Reply.Parts)
		if r.Reply.Stop != "" && r.Reply.Stop != message.StopEnd && r.Reply.Stop != message.StopTool {
			s += " stop=" + string(r.Reply.Stop)
		}
	}
	if r.Err != nil {
		s += " failed=" + string(r.Err.Kind)
	}
	return s
}

// partWords prints the parts of a reply.
func partWords(ps message.Parts) string {
	s := ""
	for _, p := range ps {
		switch p := p.(type) {
		case message.Text:
			s += fmt.Sprintf(" text=%q", p.Text)
		case message.Thinking:
			s += fmt.Sprintf(" thinking=%q", p.Text)
		case message.Call:
			s += fmt.Sprintf(" call=%s:%s", p.ID, p.Name)
		case message.ToolResult, message.Media, message.Opaque:
			s += fmt.Sprintf(" %T", p)
		default:
			panic(fmt.Sprintf("looptest: unhandled part %T", p))
		}
	}
	return s
}

func resultWords(rs []message.ToolResult) string {
	s := ""
	for _, r := range rs {
		first, _, _ := strings.Cut(r.Text, "\n")
		s += fmt.Sprintf(" %s=%s %q", r.CallID, r.Status, first)
	}
	return s
}

func words(name, value string) string {
	if value == "" {
		return ""
	}
	return fmt.Sprintf(" %s=%q", name, value)
}

// eventLine prints what is told but not recorded; empty means nothing worth a
// line.
func eventLine(e loop.Event) string {
	switch e := e.(type) {
	case loop.Requested:
		return fmt.Sprintf("  requested turn=%d cause=%s attempt=%d model=%s\n", e.Turn, e.Cause, e.Attempt, e.Model)
	case loop.Withdrawn:
		return "  withdrawn\n"
	case loop.Waiting:
		return fmt.Sprintf("  waiting %v attempt=%d after %s\n", e.For, e.Attempt, e.Fault)
	case loop.Finish:
		return fmt.Sprintf("  finish %s\n", e.Terminal.Reason)
	case loop.Streamed, loop.Added, loop.ToolChanged, loop.Summarised, loop.Faulted, loop.Moved:
		return ""
	default:
		panic(fmt.Sprintf("looptest: unhandled event %T", e))
	}
}
