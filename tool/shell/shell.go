package shell

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/daruma-dev/daruma/internal/procgroup"
	"github.com/daruma-dev/daruma/internal/shellsyntax"
	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/tool"
)

//go:embed shell.md
var description string

// The time limits of a call.
const (
	DefaultTimeout = 2 * time.Minute
	MaxTimeout     = 10 * time.Minute
)

// Options change how commands run. The zero value is good.
type Options struct {
	// Secrets names more variables to keep out of commands' environments.
	Secrets []string
	// Environ is the environment to start from; nil means the process's.
	Environ []string
	// MaxOutput is how many characters of output go to the model; 0 means
	// DefaultMaxOutput.
	MaxOutput int
	// Grace is how long a command has to end politely; 0 means
	// procgroup.Grace.
	Grace time.Duration
}

type input struct {
	Command     string `json:"command" jsonschema:"the command, as bash reads it"`
	Timeout     int    `json:"timeout,omitempty" jsonschema:"seconds until the command is ended; 120 if left out, at most 600"`
	Description string `json:"description,omitempty" jsonschema:"what the command does, in a few words, for the user"`
}

// New makes the tool. It is an io.Closer too: Close ends what commands have left
// running in the background. Without that, it ends with this process.
func New(ws *tool.Workspace, o Options) tool.Tool {
	if o.Grace == 0 {
		o.Grace = procgroup.Grace
	}
	s := &shell{ws: ws, options: o}
	s.Func = tool.New("shell", description, s.run)
	s.ReadOnlyFunc = func(in input) bool { return shellsyntax.ReadOnly(in.Command) }
	s.AccessFunc = s.access
	return s
}

type shell struct {
	*tool.Func[input]
	ws      *tool.Workspace
	options Options
	left    background
}

// Close implements io.Closer.
func (s *shell) Close() error {
	s.left.close(s.options.Grace)
	return nil
}

// run runs one command to its end.
func (s *shell) run(ctx context.Context, call tool.Call, in input) (tool.Result, error) {
	if err := check(in.Command); err != nil {
		return tool.Result{}, err
	}
	if err := s.checkDir(); err != nil {
		return tool.Result{CancelSiblings: true}, err
	}
	file, err := newDirFile()
	if err != nil {
		return tool.Result{}, tool.Errorf("the command was not run: %v", err)
	}
	defer file.remove()
	env, secrets := environment(s.options.Environ, s.options.Secrets)
	j := job{
		out: newOutput(call, s.options.MaxOutput, secrets), limit: limit(in.Timeout), grace: s.options.Grace,
		forks: startsBackground(in.Command),
	}
	if err := j.run(ctx, command(in.Command, s.ws.Dir(), env, file), &s.left); err != nil {
		return tool.Result{}, tool.Errorf("the command was not run: %v", err)
	}
	now := file.read()
	moved := now != "" && now != s.ws.Dir()
	res := j.result(in.Command, moved)
	if moved {
		s.ws.SetDir(now)
		res.Dir = now
		res.Text += fmt.Sprintf("\n[The working directory is now %s.]", now)
	}
	return res, nil
}

// check refuses what no shell could run.
func check(command string) error {
	switch {
	case strings.TrimSpace(command) == "":
		return tool.Refuse(message.StatusMalformed, "shell was not run: the command is empty.")
	case strings.ContainsRune(command, 0):
		return tool.Refuse(message.StatusMalformed, "shell was not run: the command contains a NUL byte. Write \\0 for printf, or leave it out.")
	case len(command) > maxCommand:
		return tool.Refuse(message.StatusMalformed,
			"shell was not run: the command has %d bytes, more than the %d that can be handed over. Write it to a file first, and run that.", len(command), maxCommand)
	}
	return nil
}

// checkDir goes back to the root when the working directory is gone. The
// command is not run there: it was meant for another place.
func (s *shell) checkDir() error {
	dir := s.ws.Dir()
	if st, err := os.Stat(dir); err == nil && st.IsDir() {
		return nil
	}
	s.ws.SetDir(s.ws.Root())
	return tool.Errorf("not run: the working directory %s does not exist any more. It is %s again now; send the command once more if it fits there.", dir, s.ws.Root())
}

func limit(seconds int) time.Duration {
	if seconds <= 0 {
		return DefaultTimeout
	}
	return min(time.Duration(seconds), MaxTimeout/time.Second) * time.Second
}
