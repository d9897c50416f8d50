package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/daruma-dev/daruma"
	"github.com/daruma-dev/daruma/loop"
	"github.com/daruma-dev/daruma/message"
)

// outcome is what came of a run, or of a start that no run followed.
type outcome struct {
	session  string
	terminal loop.Terminal
	err      error // what kept the program from doing its part; nil otherwise
	text     string
	took     time.Duration

	turns       int
	transitions []loop.Reason
	denials     []denial
	tally       loop.Tally
	usd         float64
	priced      bool // usd is all of the cost

	calls map[string]message.Call
}

// denial is a call that was not allowed.
type denial struct {
	Name  string          `json:"tool_name"`
	ID    string          `json:"tool_use_id"`
	Input json.RawMessage `json:"tool_input"`
}

// note takes in one event of the run.
func (o *outcome) note(e loop.Event) {
	switch e := e.(type) {
	case loop.Requested:
		o.turns = e.Turn
	case loop.Moved:
		o.transitions = append(o.transitions, e.Transition.Reason)
	case loop.Added:
		o.added(e.Message)
	case loop.Finish:
		o.terminal = e.Terminal
	case loop.Streamed, loop.ToolChanged, loop.Summarised, loop.Withdrawn, loop.Waiting, loop.Faulted:
	default:
		panic(fmt.Sprintf("cli: unhandled event %T", e))
	}
}

// added remembers calls and finds out which were denied.
func (o *outcome) added(m *message.Message) {
	for _, c := range m.Calls() {
		if o.calls == nil {
			o.calls = map[string]message.Call{}
		}
		o.calls[c.ID] = c
	}
	for _, r := range m.Results() {
		if r.Status == message.StatusDenied {
			o.denials = append(o.denials, denial{Name: r.Name, ID: r.CallID, Input: input(o.calls[r.CallID])})
		}
	}
}

// close takes in where the run has left its agent.
func (o *outcome) close(a *daruma.Agent) {
	s := a.State()
	o.session = a.Session()
	if o.turns == 0 { // what the session holds belongs to earlier runs
		return
	}
	o.text = loop.FinalText(s)
	o.tally = s.Tally.Since(s.RunBase)
	o.usd, o.priced = o.tally.Cost(a.Machine().Info)
}

// words say why the run ended, for people, with a hint that may be empty.
func (o *outcome) words() (text, hint string) {
	if o.err != nil {
		return explain(o.err)
	}
	t := o.terminal
	if aborted(t.Reason) {
		return cmp.Or(t.Detail, "interrupted"), cmp.Or(t.Hint, "--continue goes on from here")
	}
	text = t.Detail
	if text == "" && t.Err != nil {
		text = t.Err.Error()
	}
	return cmp.Or(text, "the run ended: "+strings.ReplaceAll(string(t.Reason), "_", " ")), t.Hint
}

func aborted(end loop.End) bool { return end == loop.AbortedStreaming || end == loop.AbortedTools }
