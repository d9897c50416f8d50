package session

import (
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/daruma-dev/daruma/internal/visible"
	"github.com/daruma-dev/daruma/loop"
	"github.com/daruma-dev/daruma/message"
)

// TraceLine is one step of a session, for people who ask what happened and why.
type TraceLine struct {
	Seq        int64          `json:"seq"`
	Time       time.Time      `json:"time"`
	Kind       string         `json:"kind"`                 // of the result, as in the journal
	Turn       int            `json:"turn,omitempty"`       // the turn it is part of or leads to; 0 when not known
	Transition loop.Reason    `json:"transition,omitempty"` // why the loop went on
	Layer      string         `json:"layer,omitempty"`      // the recovery layer behind it
	Attempt    int            `json:"attempt,omitempty"`    // of that layer in this turn
	Cause      string         `json:"cause,omitempty"`      // what made it go on
	End        loop.End       `json:"end,omitempty"`        // why the run ended
	Model      string         `json:"model,omitempty"`
	Usage      *message.Usage `json:"usage,omitempty"`  // tokens of the reply
	Detail     string         `json:"detail,omitempty"` // one line
}

// Traces is what the entries of a journal tell, a line each, with the turn of
// every line; it fits [Read]. The error is that of the entries, and comes with
// the lines before it.
func Traces(entries iter.Seq2[loop.Entry, error]) ([]TraceLine, error) {
	var ls []TraceLine
	turn, running := 0, false
	for e, err := range entries {
		if err != nil {
			return ls, err
		}
		l := Trace(e)
		if _, ok := e.Result.(loop.Received); ok && !running {
			turn, running = 1, true
		}
		if l.Turn > 0 {
			turn = l.Turn
		}
		l.Turn = turn
		if _, ok := e.Result.(loop.Ended); ok {
			running = false
		}
		ls = append(ls, l)
	}
	return ls, nil
}

// Trace is the line of one entry. It knows the turn only where that begins.
func Trace(e loop.Entry) TraceLine {
	l := TraceLine{Seq: e.Seq, Time: e.Time, Kind: loop.Kind(e.Result)}
	if t := e.Transition; t != nil {
		l.Turn, l.Transition, l.Layer, l.Attempt, l.Cause = t.Turn, t.Reason, t.Layer, t.Attempt, oneLine(t.Cause)
	}
	switch r := e.Result.(type) {
	case loop.Received:
		l.Detail = textOf(r.Message)
	case loop.Began:
		l.Detail = callOf(r)
	case loop.Finished:
		l.Detail = results(r.Result)
	case loop.Sampled:
		l.sampled(r)
	case loop.Vetted:
		l.Detail = list(r.Verdicts, verdict)
	case loop.Answered:
		l.Detail = list(r.Answers, yesOrNo)
	case loop.Executed:
		l.Detail = join(results(r.Results...), r.Stopped)
	case loop.Attached:
		l.Detail = list(r.Messages, textOf)
	case loop.Consulted:
		l.Detail = join(r.Prevented, r.Objection)
	case loop.Refreshed:
		l.Detail = r.Detail
	case loop.Compacted:
		l.Detail = join(r.Failed, textOf(r.Summary))
	case loop.Resumed:
		if r.Continue {
			l.Detail = "goes on with the run"
		}
	case loop.Ended:
		l.End, l.Detail = r.Terminal.Reason, r.Terminal.Detail
	case loop.Waited, loop.Interrupted:
	default:
		panic(fmt.Sprintf("session: unhandled result %T", r))
	}
	l.Detail = oneLine(l.Detail)
	return l
}

// sampled says what the model answered or how it failed, and what it cost.
func (l *TraceLine) sampled(r loop.Sampled) {
	l.Model, l.Usage = r.Model, r.Usage
	if r.Reply != nil {
		if l.Usage == nil {
			l.Usage = r.Reply.Usage
		}
		calls := list(r.Reply.Calls(), func(c message.Call) string { return "calls " + c.Name + " " + c.ID })
		l.Detail = join(calls, r.Reply.Text())
	}
	if r.Err != nil {
		l.Detail = r.Err.Error()
	}
}

func verdict(v loop.Verdict) string {
	text := string(v.Decision) + " " + v.CallID
	if v.Reason != "" {
		text += ": " + v.Reason
	}
	return text
}

func yesOrNo(a loop.Answer) string {
	text := "no to " + a.CallID
	if a.Allow {
		text = "yes to " + a.CallID
	}
	if a.Reason != "" {
		text += ": " + a.Reason
	}
	return text
}

func callOf(b loop.Began) string {
	for _, p := range b.Parts {
		if c, ok := p.(message.Call); ok && c.ID == b.CallID {
			return c.Name + " " + c.ID
		}
	}
	return b.CallID
}

func results(rs ...message.ToolResult) string {
	return list(rs, func(r message.ToolResult) string {
		what := r.Title
		if what == "" {
			what = r.Name
		}
		return fmt.Sprintf("%s %s: %s", r.Status, r.CallID, what)
	})
}

func textOf(m *message.Message) string {
	if m == nil {
		return ""
	}
	return m.Text()
}

// list is a list of things as text.
func list[T any](things []T, text func(T) string) string {
	words := make([]string, len(things))
	for i, t := range things {
		words[i] = text(t)
	}
	return join(words...)
}

// join is texts behind one another; those that are empty are left out.
func join(texts ...string) string {
	out := ""
	for _, t := range texts {
		switch {
		case t == "":
		case out == "":
			out = t
		default:
			out += "; " + t
		}
	}
	return out
}

// oneLine is a text without line ends and control characters, and not longer
// than a line has use for.
func oneLine(s string) string {
	const most = 200
	s = s[:min(len(s), 8*most)]
	r := []rune(visible.Line(strings.ToValidUTF8(strings.Join(strings.Fields(s), " "), "")))
	if len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return string(r)
}
