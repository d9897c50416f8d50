package session

import (
	"fmt"
	"strings"
	"time"

	"github.com/daruma-dev/daruma/loop"
	"github.com/daruma-dev/daruma/message"
)

// TraceLine is one step of a session, for people who ask what happened and why.
type TraceLine struct {
	Seq        int64          `json:"seq"`
	Time       time.Time      `json:"time"`
	Kind       string         `json:"kind"`                 // of the result, as in the journal
	Transition loop.Reason    `json:"transition,omitempty"` // why the loop went on
	Turn       int            `json:"turn,omitempty"`       // the turn it went on to
	Layer      string         `json:"layer,omitempty"`      // the recovery layer behind it
	Attempt    int            `json:"attempt,omitempty"`
	Cause      string         `json:"cause,omitempty"`
	End        loop.End       `json:"end,omitempty"`
	Model      string         `json:"model,omitempty"`
	Usage      *message.Usage `json:"usage,omitempty"`
	Detail     string         `json:"detail,omitempty"` // one line
}

// Trace is the line of one entry.
func Trace(e loop.Entry) TraceLine {
	l := TraceLine{Seq: e.Seq, Time: e.Time, Kind: loop.Kind(e.Result)}
	if t := e.Transition; t != nil {
		l.Transition, l.Turn, l.Layer, l.Attempt, l.Cause = t.Reason, t.Turn, t.Layer, t.Attempt, t.Cause
	}
	switch r := e.Result.(type) {
	case loop.Received:
		l.Detail = r.Message.Text()
	case loop.Began:
		l.Detail = r.CallID
	case loop.Finished:
		l.Detail = results(r.Result)
	case loop.Sampled:
		l.sampled(r)
	case loop.Vetted:
		for _, v := range r.Verdicts {
			l.Detail += fmt.Sprintf("%s %s; ", v.Decision, v.CallID)
		}
	case loop.Answered:
		for _, a := range r.Answers {
			l.Detail += fmt.Sprintf("%s: %t; ", a.CallID, a.Allow)
		}
	case loop.Executed:
		l.Detail = results(r.Results...) + r.Stopped
	case loop.Attached:
		for _, m := range r.Messages {
			l.Detail += m.Text() + "; "
		}
	case loop.Consulted:
		l.Detail = r.Prevented + r.Objection
	case loop.Refreshed:
		l.Detail = r.Detail
	case loop.Compacted:
		l.Detail = r.Failed
	case loop.Ended:
		l.End, l.Detail = r.Terminal.Reason, r.Terminal.Detail
	case loop.Waited, loop.Interrupted, loop.Resumed:
	default:
		panic(fmt.Sprintf("session: unhandled result %T", r))
	}
	l.Detail = oneLine(l.Detail)
	return l
}

// sampled says what the model answered, and what it cost.
func (l *TraceLine) sampled(r loop.Sampled) {
	l.Model, l.Usage = r.Model, r.Usage
	if r.Reply != nil {
		if l.Usage == nil {
			l.Usage = r.Reply.Usage
		}
		for _, c := range r.Reply.Calls() {
			l.Detail += fmt.Sprintf("%s %s; ", c.Name, c.ID)
		}
		l.Detail += r.Reply.Text()
	}
	if r.Err != nil {
		l.Detail = r.Err.Error()
	}
}

func results(rs ...message.ToolResult) string {
	s := ""
	for _, r := range rs {
		what := r.Title
		if what == "" {
			what = r.Name
		}
		s += fmt.Sprintf("%s %s: %s; ", r.Status, r.CallID, what)
	}
	return s
}

// oneLine is a text without line ends and not longer than a line has use for.
func oneLine(s string) string {
	const most = 200
	s = strings.TrimSuffix(strings.Join(strings.Fields(s), " "), ";")
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}
