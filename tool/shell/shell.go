package shell

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
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

// drain is how long the output is read on after the command itself has ended,
// for what is still in the pipe. A child in the background may hold the pipe
// open for ever.
const drain = 300 * time.Millisecond

// Options change how commands run. The zero value is good.
type Options struct {
	// Secrets names more variables to keep out of commands' environments.
	Secrets []string
	// Environ is the environment to start from; nil means the process's.
	Environ []string
	// MaxOutput is how many bytes of output go to the model; 0 means
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

// New makes the tool.
func New(ws *tool.Workspace, o Options) tool.Tool {
	s := shell{ws: ws, options: o}
	t := tool.New("shell", description, s.run)
	t.ReadOnlyFunc = func(in input) bool { return shellsyntax.ReadOnly(in.Command) }
	t.AccessFunc = func(in input) (tool.Access, error) {
		return tool.Access{Action: tool.Execute, Command: in.Command}, nil
	}
	return t
}

type shell struct {
	ws      *tool.Workspace
	options Options
}

// run runs one command to its end.
func (s shell) run(ctx context.Context, call tool.Call, in input) (tool.Result, error) {
	if strings.TrimSpace(in.Command) == "" {
		return tool.Result{}, tool.Refuse(message.StatusMalformed, "shell was not run: the command is empty.")
	}
	if err := s.checkDir(); err != nil {
		return tool.Result{}, err
	}
	out := newOutput(call, s.options.MaxOutput)
	dir, err := newDirFile()
	if err != nil {
		return tool.Result{}, tool.Errorf("the command was not run: %v", err)
	}
	defer dir.remove()
	j := job{out: out, limit: limit(in.Timeout), grace: s.options.Grace}
	cmd := s.command(in.Command, dir)
	if err := j.run(ctx, cmd); err != nil {
		return tool.Result{}, tool.Errorf("the command was not run: %v", err)
	}
	now := dir.read()
	moved := now != "" && now != s.ws.Dir()
	res := j.result(in.Command, moved)
	if moved {
		s.ws.SetDir(now)
		res.Dir = now
		res.Text += fmt.Sprintf("\n[The working directory is now %s.]", now)
	}
	return res, nil
}

// checkDir goes back to the root when the working directory is gone. The
// command is not run there: it was meant for another place.
func (s shell) checkDir() error {
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
	return min(time.Duration(seconds)*time.Second, MaxTimeout)
}

// wrapper runs the command as it is, without anything glued to it that a
// here-document or a comment could swallow, and leaves the working directory it
// ended in behind. A command that sets its own EXIT trap leaves none, and then
// the directory stays as it was.
const wrapper = `trap 'pwd -P >%s' EXIT
eval "set --
$1"`

// command is the shell for one command.
func (s shell) command(text string, dir dirFile) *exec.Cmd {
	name := "bash"
	path, err := exec.LookPath(name)
	if err != nil {
		name, path = "sh", "/bin/sh"
	}
	cmd := exec.Command(path, "-c", fmt.Sprintf(wrapper, dir.quoted()), name, text)
	cmd.Args[0] = name
	cmd.Dir = s.ws.Dir()
	cmd.Env = environment(s.options.Environ, s.options.Secrets, cmd.Dir)
	return cmd
}

// job is a command being run.
type job struct {
	out   *output
	limit time.Duration
	grace time.Duration

	took     time.Duration
	err      error  // of the command
	ended    string // "timeout" or "cancelled"; empty when it ended by itself
	heldOpen bool   // a child still holds the output
}

// run starts the command, reads what it prints and waits for its end. The error
// says why it could not be started.
func (j *job) run(ctx context.Context, cmd *exec.Cmd) error {
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }()
	cmd.Stdout, cmd.Stderr = w, w
	start := time.Now()
	g, err := procgroup.Start(cmd)
	_ = w.Close()
	if err != nil {
		return err
	}
	read := make(chan struct{})
	go func() {
		defer close(read)
		j.out.copy(r)
	}()
	j.await(ctx, g)
	j.took = time.Since(start)
	j.err = g.Wait()
	select {
	case <-read:
	case <-time.After(drain):
		j.heldOpen = true
		_ = r.Close() // ends the reading
		<-read
	}
	j.out.close()
	return nil
}

// await waits for the command to end, and ends it when its time is over or the
// user interrupts.
func (j *job) await(ctx context.Context, g *procgroup.Group) {
	grace := j.grace
	if grace == 0 {
		grace = procgroup.Grace
	}
	t := time.NewTimer(j.limit)
	defer t.Stop()
	select {
	case <-g.Done():
		return
	case <-t.C:
		j.ended = "timeout"
	case <-ctx.Done():
		j.ended = "cancelled"
	}
	g.Kill(grace)
}
