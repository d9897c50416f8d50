package loop

import (
	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/model"
)

// Result is what came of a command, or what happened by itself. The set is
// closed; each kind has its own function in apply.go and its name in the
// journal (codec.go).
type Result interface{ isResult() }

//sumtype:decl

// Received is a message from the user.
type Received struct {
	Message *message.Message `json:"message"`
}

// Began says that a call which changes something is about to run while its
// reply is still streaming, or, with an empty Parts, after it. It is durable
// before the call starts.
type Began struct {
	ID     string        `json:"id"`              // of the reply
	Parts  message.Parts `json:"parts,omitempty"` // of the reply, those not recorded yet, the call's last
	Model  string        `json:"model,omitempty"`
	Wire   string        `json:"wire,omitempty"`
	CallID string        `json:"call_id"`
}

// Finished is the result of a call that Began was recorded for.
type Finished struct {
	Result message.ToolResult `json:"result"`
}

// Sampled is the model's reply, or how it failed.
type Sampled struct {
	// Reply holds the finished parts that Began has not recorded already; it
	// is nil when there are none and no whole reply came.
	Reply *message.Message `json:"reply,omitempty"`
	// Err is the failure; nil when the reply came whole.
	Err    *model.Error `json:"error,omitempty"`
	Detail string       `json:"detail,omitempty"` // the provider's words on why it stopped
	// Usage is what a failed reply cost, as far as the provider told; that of a
	// whole one stands in Reply.
	Usage *message.Usage `json:"usage,omitempty"`
	Model string         `json:"model"`
	// NoAnswer is true when no reply was begun, so nothing was spent.
	NoAnswer bool `json:"no_answer,omitempty"`
}

// Vetted holds one verdict for each call.
type Vetted struct {
	Verdicts []Verdict `json:"verdicts"`
}

// Answered holds the user's answer for each question.
type Answered struct {
	Answers []Answer `json:"answers"`
}

// Answer is the user's word on one call.
type Answer struct {
	CallID string `json:"call_id"`
	Allow  bool   `json:"allow"`
	Reason string `json:"reason,omitempty"` // the user's words, for the model
}

// Executed says that every call of the newest reply has its result.
type Executed struct {
	ID      string               `json:"id"`                // of the message that will hold the results
	Results []message.ToolResult `json:"results,omitempty"` // those not recorded by Finished, in order
	Stopped string               `json:"stopped,omitempty"` // a tool hook's reason to stop the loop
}

// Attached holds what was gathered for the next turn.
type Attached struct {
	Messages []*message.Message `json:"messages,omitempty"`
}

// Consulted is what the stop hooks said.
type Consulted struct {
	Prevented string `json:"prevented,omitempty"` // forbids going on, with this reason
	Objection string `json:"objection,omitempty"` // wants the model to go on, with these words
}

// Waited says that the delay is over.
type Waited struct{}

// Refreshed says whether there are new credentials.
type Refreshed struct {
	OK     bool   `json:"ok"`
	Detail string `json:"detail,omitempty"`
}

// Compacted is what came of a compaction.
type Compacted struct {
	Summary *message.Message `json:"summary,omitempty"`
	Failed  string           `json:"failed,omitempty"`
}

// Interrupted says that the user, or the program, wants the run to end now.
type Interrupted struct{}

// Resumed says that a session was loaded whose process had died or ended in
// the middle of a turn.
type Resumed struct {
	// Continue takes up a run that was under way; otherwise the user has the
	// word.
	Continue bool `json:"continue,omitempty"`
}

// Ended closes a run.
type Ended struct {
	Terminal Terminal `json:"terminal"`
}

func (Received) isResult()    {}
func (Began) isResult()       {}
func (Finished) isResult()    {}
func (Sampled) isResult()     {}
func (Vetted) isResult()      {}
func (Answered) isResult()    {}
func (Executed) isResult()    {}
func (Attached) isResult()    {}
func (Consulted) isResult()   {}
func (Waited) isResult()      {}
func (Refreshed) isResult()   {}
func (Compacted) isResult()   {}
func (Interrupted) isResult() {}
func (Resumed) isResult()     {}
func (Ended) isResult()       {}
