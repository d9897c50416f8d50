package message

import (
	"bytes"
	"encoding/json"
)

// Part is a piece of a message: [Text], [Thinking], [Call], [ToolResult],
// [Media] or [Opaque]. The set is closed; switches over it name every case.
//
// The Raw field of the parts a model writes is the block as the provider sent
// it, kept only where encoding the typed fields again would not give the same
// block (fields we do not know, odd spellings). A client whose wire is the
// message's Wire sends Raw back as it is; others use the typed fields.
type Part interface{ isPart() }

//sumtype:decl

// Text is plain text.
type Text struct {
	Text string
	Raw  json.RawMessage
}

// Thinking is the model's reasoning. Text may be empty while Signature is not
// (the provider shows no reasoning but wants the block back). Redacted is the
// encrypted form of a block the provider hides altogether.
type Thinking struct {
	Text      string
	Signature string
	Redacted  string
	Raw       json.RawMessage
}

// Call is the model's wish to run a tool. Input is the JSON text as it came,
// to the byte; it may be malformed, so ask [Call.Malformed] before decoding.
type Call struct {
	ID    string
	Name  string
	Input json.RawMessage
	Raw   json.RawMessage
}

// Malformed reports whether Input is anything but one JSON object.
func (c Call) Malformed() bool {
	in := bytes.TrimSpace(c.Input)
	return len(in) == 0 || in[0] != '{' || !json.Valid(in)
}

// Status says how a call ended. Every call ends with exactly one.
type Status string

// The statuses. Only StatusOK is a success; StatusError is a tool's own
// failure, the others say why the tool did not run to its end.
const (
	StatusOK          Status = "ok"
	StatusError       Status = "error"
	StatusDenied      Status = "denied"       // by a rule, a hook or the user
	StatusUnknown     Status = "unknown_tool" // no tool of that name
	StatusMalformed   Status = "malformed"    // input is not JSON or not what the tool takes
	StatusCancelled   Status = "cancelled"    // by the user, or after a sibling failed
	StatusTimeout     Status = "timeout"
	StatusPanic       Status = "panic"       // the tool crashed; the loop did not
	StatusInterrupted Status = "interrupted" // the process died while it ran: outcome unknown
	StatusCutOff      Status = "cut_off"     // the call itself was cut off at the output limit
)

// ToolResult answers the call of the same ID. Text and Media are for the
// model; Title and Diff are for people and never sent.
type ToolResult struct {
	CallID string  `json:"call_id"`
	Name   string  `json:"name,omitempty"`
	Status Status  `json:"status"`
	Text   string  `json:"text"`
	Media  []Media `json:"media,omitempty"`

	Title string        `json:"title,omitempty"` // one line, such as "edited main.go (+3 -1)"
	Diff  string        `json:"diff,omitempty"`  // unified diff of what changed
	Blob  *Blob         `json:"blob,omitempty"`  // where the whole text lies when Text is only head and tail
	Files []FileVersion `json:"files,omitempty"` // files the call read or changed
	Dir   string        `json:"dir,omitempty"`   // working directory after the call, where the call changed it
}

// IsError reports whether the model is to be told that the call failed.
func (r ToolResult) IsError() bool { return r.Status != StatusOK }

// Blob names a text that was paged out to the session's folder.
type Blob struct {
	Path string `json:"path"`
	Size int64  `json:"size"` // bytes
}

// FileVersion is a file as a call left or found it.
type FileVersion struct {
	Path   string `json:"path"`             // absolute, links resolved
	Hash   string `json:"hash,omitempty"`   // hex SHA-256 of the whole content; empty when deleted
	Action string `json:"action"`           // "read", "created", "changed" or "deleted"
	Before string `json:"before,omitempty"` // hash before a change
}

// Media is an image or a document.
type Media struct {
	Kind string `json:"kind"` // "image" or "document"
	MIME string `json:"mime"`
	Data []byte `json:"data,omitempty"`
	Name string `json:"name,omitempty"`
}

// Opaque is a block only its provider understands, such as the result of a
// provider-side search. It goes back as it came and means nothing to us.
type Opaque struct {
	Type string          `json:"block"`
	Raw  json.RawMessage `json:"raw"`
}

func (Text) isPart()       {}
func (Thinking) isPart()   {}
func (Call) isPart()       {}
func (ToolResult) isPart() {}
func (Media) isPart()      {}
func (Opaque) isPart()     {}
