// Package demo shows the product at work without a network: a real repository
// with a failing test, real tools, the real wire protocol over loopback. Only
// the model is scripted.
package demo

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/daruma-dev/daruma"
	"github.com/daruma-dev/daruma/model/modeltest"
)

// Options of the demonstration.
type Options struct {
	Fast bool      // without pauses for the eye
	Out  io.Writer // what happens
}

// Run gives the demonstration. The error says what did not work; nil means that
// the test passes now and failed before. Nothing stays on disk.
func Run(ctx context.Context, o Options) error {
	for _, name := range []string{"git", "go"} {
		if _, err := exec.LookPath(name); err != nil {
			return &daruma.UsageError{
				Text: fmt.Sprintf("the demonstration needs %s, which is not in the PATH", name),
				Hint: "install it, or try daruma on a repository of yours",
			}
		}
	}
	dir, err := os.MkdirTemp("", "daruma-demo-")
	if err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	d := stage{Options: o, home: dir}
	return d.play(ctx)
}

// stage is a demonstration under way.
type stage struct {
	Options
	home string
}

func (d stage) play(ctx context.Context) error {
	work := filepath.Join(d.home, "greeter")
	if err := os.Mkdir(work, 0o755); err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	r, err := makeRepo(ctx, work)
	if err != nil {
		return err
	}
	d.say("daruma works on a small Go repository whose test fails. The repository, the tools and the\n" +
		"wire protocol are real; the model is scripted and runs in this process, so no key and no\n" +
		"network are needed.\n\n")
	before, err := r.run(ctx, "go", "test", "./...")
	if err == nil {
		return fmt.Errorf("demo: the test passes before anything was done:\n%s", before)
	}
	d.say("$ go test ./...\n%s\n", indent(before))
	if err := d.work(ctx, work); err != nil {
		return err
	}
	return d.verify(ctx, r)
}

// work lets the agent loose.
func (d stage) work(ctx context.Context, dir string) error {
	o := modeltest.Options{}
	if !d.Fast {
		o.Pace = 30 * time.Millisecond
	}
	server := modeltest.New(modeltest.Func(script), o)
	if err := server.Start(); err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	defer func() { _ = server.Close() }()
	agent, err := daruma.New(daruma.Options{
		Dir: dir, Model: "anthropic/claude-opus-5-5", StateDir: filepath.Join(d.home, "state"),
		Mode: "accept-edits", Allow: []string{"shell(go test *)"}, Getenv: environment(server.URL()),
	})
	if err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	defer func() { _ = agent.Close() }()
	d.say("› %s\n\n", prompt)
	err = d.watch(agent.Run(ctx, prompt))
	if problems := server.Problems(); err == nil && len(problems) > 0 {
		err = fmt.Errorf("demo: the server refused a request: %s", strings.Join(problems, "; "))
	}
	return err
}

// environment leads the real client to the scripted server, whatever the user
// has set.
func environment(url string) func(string) string {
	return func(name string) string {
		switch {
		case name == "ANTHROPIC_BASE_URL":
			return url
		case name == "ANTHROPIC_API_KEY":
			return "demo"
		case strings.HasPrefix(name, "ANTHROPIC_"):
			return ""
		default:
			return os.Getenv(name)
		}
	}
}

// verify shows what has changed and that the test really passes.
func (d stage) verify(ctx context.Context, r repo) error {
	diff, err := r.run(ctx, "git", "--no-pager", "diff", "--no-color")
	if err != nil {
		return fmt.Errorf("demo: git diff: %w\n%s", err, diff)
	}
	d.say("$ git diff\n%s\n", indent(diff))
	after, err := r.run(ctx, "go", "test", "-count=1", "./...")
	d.say("$ go test ./...\n%s\n", indent(after))
	if err != nil {
		return fmt.Errorf("demo: the test still fails")
	}
	d.say("The model was scripted. To use a real one:\n\n" +
		"    export ANTHROPIC_API_KEY=…\n" +
		"    daruma \"explain this repository\"\n")
	return nil
}

func (d stage) say(format string, args ...any) { fmt.Fprintf(d.Out, format, args...) }

func indent(text string) string {
	text = strings.TrimRight(text, "\n")
	return "    " + strings.ReplaceAll(text, "\n", "\n    ") + "\n"
}
