package session

import (
	"slices"

	"github.com/daruma-dev/daruma/loop"
	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/model"
)

// bridge leads a fold over a gap, so that a lost entry costs no more than
// itself. What could not come next in a whole journal shows what is lost:
//
//   - Something follows a reply that is still streaming: the end of that is
//     lost. It is kept as far as it was recorded.
//   - The turn goes on, or the next begins, with calls that are not answered:
//     their results are lost, and that is the answer.
//   - A reply arrives while none is owed: the end of the turn or of the run
//     before it is lost. What the user typed since then joins the record before
//     the reply, not after it.
func bridge(f *loop.Folding, next loop.Result) {
	switch r := next.(type) {
	case loop.Sampled:
		if r.Reply != nil {
			await(f, r.Reply.ID)
		}
	case loop.Began:
		if len(r.Parts) > 0 {
			await(f, r.ID)
		}
	case loop.Executed:
		endReply(f)
		answer(f, r.Results)
	case loop.Attached, loop.Consulted:
		endReply(f)
		closeCalls(f)
	case loop.Vetted, loop.Answered, loop.Interrupted, loop.Ended:
		endReply(f)
	case loop.Received, loop.Finished, loop.Waited, loop.Refreshed, loop.Compacted, loop.Resumed:
	}
}

// await makes the session wait for a reply of that id, or for more of it.
func await(f *loop.Folding, id string) {
	s := f.State()
	if s.Phase == loop.PhaseSample && (s.Partial != nil && s.Partial.ID == id || s.Partial == nil && len(s.Calls) == 0) {
		return
	}
	endReply(f)
	closeCalls(f)
	f.Apply(loop.Resumed{Continue: true})
}

// endReply ends a reply that is still streaming.
func endReply(f *loop.Folding) {
	if p := f.State().Partial; p != nil {
		f.Apply(loop.Sampled{Model: p.Model, Err: &model.Error{Kind: model.Cut}, NoAnswer: true})
	}
}

// closeCalls puts the results of the newest reply's calls into the record, as
// far as they are known.
func closeCalls(f *loop.Folding) {
	if calls := f.State().Calls; len(calls) > 0 {
		answer(f, nil)
		f.Apply(loop.Executed{ID: "lost-" + calls[0].Call.ID})
	}
}

// answer answers each call whose result is neither recorded nor about to come.
func answer(f *loop.Folding, coming []message.ToolResult) {
	for _, c := range f.State().Calls {
		if c.Result != nil || slices.ContainsFunc(coming, func(r message.ToolResult) bool { return r.CallID == c.Call.ID }) {
			continue
		}
		f.Apply(loop.Finished{Result: message.ToolResult{
			CallID: c.Call.ID, Name: c.Call.Name, Status: message.StatusInterrupted,
			Text: "The result of this call was lost with a damaged line of the session's journal. " +
				"It may have run: check before repeating it.",
		}})
	}
}
