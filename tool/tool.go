package tool

import (
	"context"
	"encoding/json"
	"io"

	"github.com/daruma-dev/daruma/message"
)

// Spec describes a tool to the model.
type Spec struct {
	Name        string          // [A-Za-z0-9_-]{1,64}
	Description string          // Markdown, for the model
	Schema      json.RawMessage // JSON Schema of the input, an object; the same bytes at each call
}

// Tool runs calls of one kind. It may be used by many goroutines at once when
// its calls are concurrency-safe, and never otherwise.
type Tool interface {
	Spec() Spec
	// Run does the work. A failure that the model can act upon is a Result
	// with a Status other than ok, or an error made by Errorf or Refuse, whose
	// text tells the model what to try next; any other error is shown to the
	// model as it is. Run returns soon after ctx ends, and leaves nothing
	// running. A panic becomes a result; the loop survives.
	Run(ctx context.Context, call Call) (Result, error)
}

// ReadOnly is implemented by tools some of whose calls change nothing and so
// may run beside others. A tool without it is never concurrency-safe. ReadOnly
// is called with inputs that have not been checked.
type ReadOnly interface {
	ReadOnly(input json.RawMessage) bool
}

// Accessor is implemented by tools that can tell what a call would touch, so
// that rules can speak about it. A tool without it is judged by its name alone.
// The error says why the input cannot be judged; such a call is not run.
type Accessor interface {
	Access(input json.RawMessage) (Access, error)
}

// Action is what a call does to what it touches.
type Action string

// The actions, from the most harmless on.
const (
	Read    Action = "read"    // files
	Write   Action = "write"   // files
	Execute Action = "execute" // a shell command
	Fetch   Action = "fetch"   // the network
	Other   Action = "other"   // none of these; judged by the tool's name
)

// Access is what one call would touch.
type Access struct {
	Action  Action
	Paths   []string // absolute, symbolic links resolved as far as they exist
	Named   []string // the same as the call names them, absolute; links are not resolved
	Command string   // for Execute: the text handed to the shell
	Target  string   // for Fetch: the URL
}

// Call is one call, as a tool sees it.
type Call struct {
	ID    string
	Name  string
	Input json.RawMessage // a valid JSON object
	// Progress shows text to the user while the call runs. It may be called
	// from any goroutine until Run returns, and it may block: back-pressure.
	// It is never nil.
	Progress func(text string)
	// Blob opens a file in the session's folder for output that is too large
	// for the conversation. It is nil where there is no such folder.
	Blob func(name string) (Blob, error)
}

// Blob is a file in the session's folder, open for writing.
type Blob interface {
	io.WriteCloser
	Path() string // absolute
}

// Result is what a call gives back. The zero value is a success without text.
type Result struct {
	Status message.Status // zero means message.StatusOK
	Text   string         // for the model
	Media  []message.Media
	Title  string                // one line for people, such as "read main.go (120 lines)"
	Diff   string                // unified diff for people
	Blob   *message.Blob         // where the whole text lies, when Text is only a part of it
	Files  []message.FileVersion // what was read or changed
	Dir    string                // the working directory afterwards, where the call changed it
	// CancelSiblings says that the other calls of the same reply had better
	// not go on: the environment is likely broken. A failing shell command
	// sets it.
	CancelSiblings bool
}

// message turns r into the form that is recorded.
func (r Result) message(call message.Call) message.ToolResult {
	if r.Status == "" {
		r.Status = message.StatusOK
	}
	return message.ToolResult{
		CallID: call.ID, Name: call.Name, Status: r.Status, Text: r.Text, Media: r.Media,
		Title: r.Title, Diff: r.Diff, Blob: r.Blob, Files: r.Files, Dir: r.Dir,
	}
}
