package shell

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/daruma-dev/daruma/internal/procgroup"
	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/tool"
)

// bench is a workspace with a shell to try commands in.
type bench struct {
	t    *testing.T
	ws   *tool.Workspace
	tool tool.Tool
}

func newBench(t *testing.T, o Options) bench {
	t.Helper()
	ws, err := tool.NewWorkspace(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if o.Grace == 0 {
		o.Grace = 200 * time.Millisecond
	}
	return bench{t, ws, New(ws, o)}
}

// run runs a command, with more fields of the input as "name=value" pairs.
func (b bench) run(command string, timeout int) tool.Result {
	b.t.Helper()
	return b.runIn(b.t.Context(), command, timeout)
}

func (b bench) runIn(ctx context.Context, command string, timeout int) tool.Result {
	b.t.Helper()
	in, err := message.Marshal(input{Command: command, Timeout: timeout})
	if err != nil {
		b.t.Fatal(err)
	}
	res, err := b.tool.Run(ctx, tool.Call{ID: "t1", Name: "shell", Input: in, Progress: func(string) {}, Blob: b.blob})
	if err != nil {
		return tool.Failure(err)
	}
	return res
}

type blob struct{ *os.File }

func (b blob) Path() string { return b.Name() }

func (b bench) blob(name string) (tool.Blob, error) {
	f, err := os.CreateTemp(b.t.TempDir(), name)
	return blob{f}, err
}

func (b bench) file(name string) string {
	b.t.Helper()
	text, err := os.ReadFile(filepath.Join(b.ws.Root(), name))
	if err != nil {
		b.t.Fatal(err)
	}
	return string(text)
}

func ok(r tool.Result) bool { return r.Status == "" || r.Status == message.StatusOK }

// What stands at the end of a command is not mixed up with what the tool adds
// (B057); the exit code is the command's.
func TestCommandsRunAsTheyAre(t *testing.T) {
	for _, tc := range []struct{ name, command, want, status string }{
		{"here-document without a line end", "cat <<'EOF'\nbody $HOME\nEOF", "body $HOME\n[Exit code 0.]", "ok"},
		{"comment at the end", "echo hi # note", "hi\n[Exit code 0.]", "ok"},
		{"backslash at the end", `echo hi \`, "hi \\\n[Exit code 0.]", "ok"},
		{"exit", "echo a; exit 3", "a\n[Exit code 3.]", "error"},
		{"set -e", "set -e; false; echo never", "(no output)\n[Exit code 1.]", "error"},
		{"an EXIT trap of its own", "trap 'echo bye' EXIT; echo hi", "hi\nbye\n[Exit code 0.]", "ok"},
		{"no arguments leak in", `echo "[$*$#]"`, "[0]\n[Exit code 0.]", "ok"},
		{"errors and output are in order", "echo a; echo b >&2; echo c", "a\nb\nc\n[Exit code 0.]", "ok"},
		{"a signal", "kill -KILL $$", "(no output)\n[Ended by a signal: signal: killed.]", "error"},
		{"syntax error", "if", "", "error"},
		{"grep that finds nothing", "echo a | grep b", "(no output)\n[Exit code 1: nothing was found.]", "ok"},
		{"grep that fails", "grep b /nonexistent", "", "error"},
		{"diff", "echo a > a; echo b > b; diff a b > c", "(no output)\n[Exit code 1: they differ.]", "ok"},
		{"no line end", "printf x", "x\n[Exit code 0.]", "ok"},
		{"several lines", "x=1\necho $x\n", "1\n[Exit code 0.]", "ok"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := newBench(t, Options{}).run(tc.command, 0)
			if ok(got) != (tc.status == "ok") || tc.want != "" && got.Text != tc.want {
				t.Errorf("status %q, text %q; want %s, %q", got.Status, got.Text, tc.status, tc.want)
			}
			if got.CancelSiblings == ok(got) {
				t.Errorf("status %q, but cancels siblings: %t", got.Status, got.CancelSiblings)
			}
		})
	}
}

// The working directory carries over, whatever its name; nothing that happens
// in a subshell or fails changes it (B058).
func TestWorkingDirectory(t *testing.T) {
	b := newBench(t, Options{})
	for _, d := range []string{"my dir", "it's", "sub", "über\nline"} {
		if err := os.Mkdir(filepath.Join(b.ws.Root(), d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, tc := range []struct{ command, want string }{
		{"cd 'my dir'; pwd", "my dir"},
		{"pwd", "my dir"},
		{"(cd ..)", "my dir"},
		{"cd nope; true", "my dir"},
		{`echo "a && cd .."`, "my dir"},
		{`cd "../it's"`, "it's"},
		{"cd .. && cd sub && exit 4", "sub"},
		{"cd ..; false", ""},
		{"pushd sub >/dev/null; echo x > here", "sub"},
		{"cd ..; cd 'über\nline'", "über\nline"},
		{"exec true", "über\nline"},
		{"cd ..; sleep 0", ""},
	} {
		res := b.run(tc.command, 0)
		want := filepath.Join(b.ws.Root(), tc.want)
		if b.ws.Dir() != want {
			t.Fatalf("after %q: %s, want %s", tc.command, b.ws.Dir(), want)
		}
		if res.Dir != "" && res.Dir != want {
			t.Errorf("after %q the result says %s", tc.command, res.Dir)
		}
	}
	if b.file("sub/here") != "x\n" {
		t.Error("a relative path went elsewhere")
	}
	if got := b.run("export A=1; f() { :; }", 0); !ok(got) {
		t.Fatal(got)
	}
	if got := b.run("echo [$A]; type f", 0); !strings.Contains(got.Text, "[]") {
		t.Errorf("variables carried over: %q", got.Text)
	}
}

// A deleted working directory is named, and the call after it works (B059).
func TestDeletedDirectory(t *testing.T) {
	b := newBench(t, Options{})
	b.run("mkdir w && cd w", 0)
	b.run("rm -rf ../w", 0)
	got := b.run("echo hi", 0)
	if ok(got) || !strings.Contains(got.Text, filepath.Join(b.ws.Root(), "w")) {
		t.Errorf("got %+v", got)
	}
	if got := b.run("echo hi", 0); got.Text != "hi\n[Exit code 0.]" {
		t.Errorf("got %+v", got)
	}
}

// Nothing waits for a person: no input, no terminal, no pager, no editor (B050,
// B051).
func TestNothingWaits(t *testing.T) {
	b := newBench(t, Options{Environ: append(os.Environ(), "PAGER=less", "GIT_PAGER=less", "HOME="+t.TempDir())})
	for _, command := range []string{
		"cat", "read x; echo got [$x]", "cat </dev/tty || true",
		"git init -q . && git config core.pager less && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x && git log && git commit --amend --allow-empty; true",
	} {
		start := time.Now()
		got := b.run(command, 20)
		if got.Status == message.StatusTimeout || time.Since(start) > 15*time.Second {
			t.Errorf("%q waited: %+v", command, got)
		}
	}
}

// living counts the processes whose command line holds the marker.
func living(t *testing.T, marker string) int {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Skip("there is no /proc here")
	}
	n := 0
	for _, e := range entries {
		if b, err := os.ReadFile("/proc/" + e.Name() + "/cmdline"); err == nil && strings.Contains(string(b), marker) {
			n++
		}
	}
	return n
}

// marker is a number of seconds that no other test sleeps.
func marker() string { return fmt.Sprintf("%d", 100000+time.Now().UnixNano()%899999) }

// A child in the background does not hold the call (B052), and lives on.
func TestBackgroundChild(t *testing.T) {
	b := newBench(t, Options{})
	m := marker()
	start := time.Now()
	got := b.run("sleep "+m+" & echo started", 60)
	if !ok(got) || !strings.HasPrefix(got.Text, "started\n") || time.Since(start) > 20*time.Second {
		t.Errorf("after %v: %+v", time.Since(start), got)
	}
	if living(t, m) != 1 {
		t.Error("the child in the background is gone")
	}
	closed(t, b)
}

// The time limit ends the whole tree (B053), also what ignores the polite
// signal (B054) and what went off into a session of its own.
func TestTimeLimitEndsTheTree(t *testing.T) {
	for name, command := range map[string]string{
		"a pipeline":                   "echo before; sh -c 'sleep %s | cat'",
		"ignoring the polite signal":   "trap '' TERM INT; echo before; sh -c 'trap \"\" TERM; sleep %[1]s; sleep %[1]s' & sleep %[1]s; sleep %[1]s",
		"a session of its own":         "echo before; setsid sh -c 'sleep %[1]s' & sleep %[1]s",
		"an orphan in its own session": "echo before; (setsid sh -c 'sleep %[1]s; :' &) ; sleep %[1]s",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, Options{})
			m := marker()
			got := b.run(fmt.Sprintf(command, m), 1)
			if got.Status != message.StatusTimeout || !strings.HasPrefix(got.Text, "before\n") {
				t.Errorf("got %+v", got)
			}
			if n := living(t, m); n > 0 {
				t.Errorf("%d processes are left", n)
			}
			if got := b.run("echo next", 0); got.Text != "next\n[Exit code 0.]" {
				t.Errorf("the next call: %+v", got)
			}
		})
	}
}

func TestInterruptEndsTheTree(t *testing.T) {
	b := newBench(t, Options{Grace: procgroup.Grace})
	m := marker()
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(500*time.Millisecond, cancel)
	got := b.runIn(ctx, "echo so far; sleep "+m+" | cat", 0)
	if got.Status != message.StatusCancelled || !strings.HasPrefix(got.Text, "so far\n") {
		t.Errorf("got %+v", got)
	}
	if n := living(t, m); n > 0 {
		t.Errorf("%d processes are left", n)
	}
}

// However much is printed, the result is bounded, says what is missing and
// where the whole is, and the exit code is right (B055).
func TestMuchOutput(t *testing.T) {
	b := newBench(t, Options{})
	got := b.run("seq 1 300000; exit 7", 60)
	if len(got.Text) > DefaultMaxOutput+1000 || !strings.HasPrefix(got.Text, "1\n2\n") || !strings.HasSuffix(got.Text, "299999\n300000\n[Exit code 7.]") {
		t.Errorf("%d bytes: %.60q … %.60q", len(got.Text), got.Text, got.Text[max(0, len(got.Text)-60):])
	}
	if got.Blob == nil {
		t.Fatal("the whole output is nowhere")
	}
	whole, err := os.ReadFile(got.Blob.Path)
	if err != nil || int64(len(whole)) != got.Blob.Size || !strings.HasPrefix(string(whole), "1\n2\n") || !strings.HasSuffix(string(whole), "\n300000\n") {
		t.Errorf("the spool has %d bytes, said %d (%v)", len(whole), got.Blob.Size, err)
	}
	if lines := strings.Count(string(whole), "\n"); lines != 300000 {
		t.Errorf("the spool has %d lines", lines)
	}
}

// Output of any bytes is readable for the model and harmless for a terminal
// (B056, B114).
func TestOddOutput(t *testing.T) {
	b := newBench(t, Options{})
	got := b.run(`printf 'a\000b \033]0;own\a\033[2J \377 é\r\n'`, 0)
	if strings.ContainsAny(got.Text, "\x00\x1b\a\r") || !strings.Contains(got.Text, "é\n") || !strings.Contains(got.Text, "own") {
		t.Errorf("got %q", got.Text)
	}
	got = b.run("head -c 100000 /dev/urandom", 0)
	if strings.ContainsAny(got.Text, "\x00\x1b") || strings.ToValidUTF8(got.Text, "") != got.Text {
		t.Error("random bytes came through")
	}
	got = b.run("yes é | head -c 500000", 0)
	if strings.Contains(got.Text, "\uFFFD") {
		t.Error("a character was cut in two")
	}
}

// Daruma's own keys are not in a command's environment (B115), nor are files
// that a variable would run first.
func TestSecretsStayOut(t *testing.T) {
	b := newBench(t, Options{Secrets: []string{"MY_TOKEN"}, Environ: []string{
		"PATH=" + os.Getenv("PATH"), "ANTHROPIC_API_KEY=SECRET-a", "OPENAI_API_KEY=SECRET-b", "DARUMA_X=SECRET-c",
		"MY_TOKEN=SECRET-d", "BASH_ENV=/nonexistent", "KEEP=this", "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=a.b", "GIT_CONFIG_VALUE_0=c",
	}})
	got := b.run("env; git config a.b; git config core.pager", 0)
	if strings.Contains(got.Text, "SECRET") || !strings.Contains(got.Text, "KEEP=this") || strings.Contains(got.Text, "BASH_ENV") {
		t.Errorf("got %q", got.Text)
	}
	if !strings.HasSuffix(got.Text, "c\ncat\n[Exit code 0.]") {
		t.Errorf("git's configuration: %q", got.Text)
	}
}

func TestReadOnlyAndAccess(t *testing.T) {
	b := newBench(t, Options{})
	for command, want := range map[string]bool{"ls -l": true, "rm x": false, "ls > x": false, "cd sub": false} {
		in, _ := message.Marshal(input{Command: command})
		if got := b.tool.(tool.ReadOnly).ReadOnly(in); got != want {
			t.Errorf("ReadOnly(%q) = %t", command, got)
		}
		a, err := b.tool.(tool.Accessor).Access(in)
		if err != nil || a.Action != tool.Execute || a.Command != command {
			t.Errorf("Access(%q) = %+v, %v", command, a, err)
		}
	}
}

func TestEmptyCommand(t *testing.T) {
	if got := newBench(t, Options{}).run(" \n", 0); got.Status != message.StatusMalformed {
		t.Errorf("got %+v", got)
	}
}
