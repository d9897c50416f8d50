package daruma

import (
	"context"
	"os"
	"time"

	"github.com/daruma-dev/daruma/loop"
	"github.com/daruma-dev/daruma/model"
	"github.com/daruma-dev/daruma/tool"
)

// DefaultModel is used where nobody names a model.
const DefaultModel = "anthropic/claude-sonnet-5-5"

// Options say how an [Agent] is made. The zero value of each field means what
// its comment says.
type Options struct {
	Dir     string   // working directory; empty means the process's
	AddDirs []string // more directories that are as good as inside it

	Model     string   // "provider/model"; empty means $ANTHROPIC_MODEL, then DefaultModel
	Fallbacks []string // tried in order when the model is overloaded or unavailable
	Effort    string   // "low" … "max"; empty leaves it to the model
	// Models overrides what the catalogue knows, by "provider/model".
	Models map[string]model.Info
	// Client finds the client of a "provider/model"; nil means
	// [FromEnvironment] with Getenv and Timeouts.
	Client   func(name string) (model.Client, error)
	Timeouts Timeouts

	Tools  []tool.Tool // nil means the built-in ones
	Mode   string      // permission mode; empty means "default"
	Allow  []string    // permission rules, such as "shell(go test *)"
	Ask    []string
	Deny   []string
	Limits loop.Limits
	Early  loop.Early
	// Question puts calls that need consent before the user; nil means that
	// nobody is there, and such calls are denied with the reason.
	Question func(ctx context.Context, qs []loop.Question) ([]loop.Answer, error)

	System       string // replaces the built-in system prompt
	AppendSystem string // follows it

	// StateDir is where sessions are kept; empty means $DARUMA_STATE_DIR, then
	// the user's state directory.
	StateDir  string
	NoJournal bool   // keep nothing on disk
	Resume    string // id, or its unambiguous beginning, of a session to go on with
	Continue  bool   // go on with the newest session of Dir
	Fork      bool   // with Resume or Continue: go on in a copy

	// Getenv reads the environment; nil means os.Getenv.
	Getenv func(string) string
}

// Timeouts bound how long a model may be silent. Zero means the client's
// default, negative no limit.
type Timeouts struct {
	FirstByte time.Duration
	Idle      time.Duration
}

// UsageError is a mistake that the user can mend, in one sentence and a hint.
type UsageError struct {
	Text string
	Hint string
	Err  error // the cause below; may be nil
}

func (e *UsageError) Error() string { return e.Text }

// Unwrap gives the cause below.
func (e *UsageError) Unwrap() error { return e.Err }

func (o Options) getenv(name string) string {
	if o.Getenv != nil {
		return o.Getenv(name)
	}
	return os.Getenv(name)
}
