package cli

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"github.com/daruma-dev/daruma/model/modeltest"
)

const (
	ctrlC = "\x03"
	ctrlD = "\x04"
)

// line is a conversation in a terminal, with a person at it.
type line struct {
	t      *testing.T
	dir    string
	server *modeltest.Server
	cmd    *exec.Cmd
	ctrl   *os.File // the person's side
	tty    *os.File // the program's side
	before unix.Termios
	done   chan error

	mu   sync.Mutex
	out  bytes.Buffer // everything that was sent to the terminal
	seen int          // of it, by expect
}

// talkTo starts the program in a terminal; the model says what the script says.
func talkTo(t *testing.T, script string, args ...string) *line {
	return talkWith(t, script, "TERM=xterm-256color", args...)
}

func talkWith(t *testing.T, script, env string, args ...string) *line {
	t.Helper()
	l := &line{t: t, dir: t.TempDir(), done: make(chan error, 1)}
	l.server = modeltest.New(modeltest.MustParse(script), modeltest.Options{})
	check(t, l.server.Start())
	t.Cleanup(func() {
		check(t, l.server.Close())
		if problems := l.server.Problems(); len(problems) > 0 {
			t.Errorf("the server refused a request: %s", problems)
		}
	})
	var err error
	l.ctrl, l.tty, err = pty.Open()
	check(t, err)
	check(t, pty.Setsize(l.ctrl, &pty.Winsize{Rows: 24, Cols: 80}))
	l.before = l.termios()
	path, err := exec.LookPath("daruma")
	check(t, err)
	l.cmd = exec.Command(path, args...)
	l.cmd.Dir = l.dir
	l.cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "GORACE=atexit_sleep_ms=0", "GOTRACEBACK=all", env,
		"ANTHROPIC_BASE_URL=" + l.server.URL(), "ANTHROPIC_API_KEY=key",
	}
	l.cmd.Stdin, l.cmd.Stdout, l.cmd.Stderr = l.tty, l.tty, l.tty
	l.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	check(t, l.cmd.Start())
	go func() { l.done <- l.cmd.Wait() }()
	go l.watch()
	t.Cleanup(func() {
		_ = l.cmd.Process.Kill()
		_ = l.tty.Close()
		_ = l.ctrl.Close()
	})
	return l
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// watch takes in what is sent to the terminal.
func (l *line) watch() {
	buf := make([]byte, 4096)
	for {
		n, err := l.ctrl.Read(buf)
		l.mu.Lock()
		l.out.Write(buf[:n])
		l.mu.Unlock()
		if err != nil {
			return
		}
	}
}

func (l *line) termios() unix.Termios {
	l.t.Helper()
	got, err := unix.IoctlGetTermios(int(l.tty.Fd()), unix.TCGETS)
	check(l.t, err)
	return *got
}

// output is everything that was sent to the terminal.
func (l *line) output() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.out.String()
}

// expect waits until the text is shown, after what earlier calls waited for.
func (l *line) expect(text string) {
	l.t.Helper()
	for deadline := time.Now().Add(testPatience); ; time.Sleep(2 * time.Millisecond) {
		out := l.output()
		if i := strings.Index(out[l.seen:], text); i >= 0 {
			l.seen += i + len(text)
			return
		}
		if time.Now().After(deadline) {
			l.t.Fatalf("%q was not shown after:\n%q\nbut:\n%q\n%s", text, out[:l.seen], out[l.seen:], l.dump())
		}
	}
}

// dump ends a program that hangs, and returns its output with its goroutines.
func (l *line) dump() string {
	end := "it did not end"
	err := l.cmd.Process.Signal(syscall.SIGQUIT)
	select {
	case exit := <-l.done:
		end = fmt.Sprint(exit)
	case <-time.After(testPatience):
	}
	for n := -1; n < len(l.output()); time.Sleep(100 * time.Millisecond) { // until all of it has come
		n = len(l.output())
	}
	return fmt.Sprintf("%s\n(signal: %v; %s)", l.output(), err, end)
}

// sends types.
func (l *line) sends(keys string) {
	l.t.Helper()
	_, err := l.ctrl.WriteString(keys)
	check(l.t, err)
}

// requests waits until so many requests have come, and returns the text of the
// newest message of the last.
func (l *line) requests(n int) string {
	l.t.Helper()
	for deadline := time.Now().Add(testPatience); len(l.server.Requests()) < n; time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			l.t.Fatalf("only %d requests came, not %d:\n%s", len(l.server.Requests()), n, l.output())
		}
	}
	ms := l.server.Requests()[n-1].Request().Messages
	return ms[len(ms)-1].Text()
}

// ends waits for the end of the program, and wants the terminal as it was.
func (l *line) ends(code int) {
	l.t.Helper()
	select {
	case err := <-l.done:
		got := 0
		var e *exec.ExitError
		if errors.As(err, &e) {
			got = e.ExitCode()
		}
		if got != code {
			l.t.Errorf("the exit code is %d, not %d:\n%s", got, code, l.output())
		}
	case <-time.After(testPatience):
		l.t.Fatalf("the program still runs:\n%s", l.dump())
	}
	if after := l.termios(); !reflect.DeepEqual(l.before, after) {
		l.t.Errorf("the terminal was %+v and is %+v", l.before, after)
	}
	if strings.Contains(l.output(), "\x1b[?") {
		l.t.Errorf("a mode of the terminal was switched: %q", l.output())
	}
}

func (l *line) exists(name string) bool {
	_, err := os.Stat(filepath.Join(l.dir, name))
	return err == nil
}

// awaits waits for a file.
func (l *line) awaits(name string) {
	l.t.Helper()
	for deadline := time.Now().Add(testPatience); !l.exists(name); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			l.t.Fatalf("there is no %s:\n%s", name, l.output())
		}
	}
}

func TestLineAsksAndRuns(t *testing.T) {
	t.Parallel()
	l := talkTo(t, `
		text "I make it."
		call t1 shell {"command":"touch made"}
		---
		text "Done."`)
	l.expect("› ")
	l.sends("make it\n")
	l.expect("I make it.")
	l.expect("touch made")
	l.expect("y: once")
	if l.exists("made") {
		t.Error("the command ran before it was allowed")
	}
	l.sends("y\n")
	l.expect("✓ shell")
	l.expect("Done.")
	l.expect("› ")
	if !l.exists("made") {
		t.Error("the command did not run")
	}
	l.sends(ctrlD)
	l.ends(0)
}

func TestLineNeedsNoQuestionTwice(t *testing.T) {
	t.Parallel()
	l := talkTo(t, `
		call t1 write {"path":"a","content":"old\n"}
		---
		call t2 edit {"path":"a","old_string":"old","new_string":"new"}
		---
		call t3 shell {"command":"touch b"}
		---
		text "Done."`, "make them")
	l.expect("write")
	l.expect("a: always in this session (accept-edits)")
	l.sends("a\n")
	l.expect("✓ write")
	l.expect("✓ edit")
	l.expect("touch b") // something else is asked about
	l.sends("a\n")
	l.expect("Done.")
	l.sends("/quit\n")
	l.ends(0)
	if n := strings.Count(l.output(), "y: once"); n != 2 {
		t.Errorf("%d questions were asked, not 2", n)
	}
}

func TestLineTellsTheModelWhatTheUserSays(t *testing.T) {
	t.Parallel()
	l := talkTo(t, `
		call t1 shell {"command":"touch a"}
		---
		call t2 shell {"command":"touch b"}
		---
		text "All right."`, "make it")
	l.expect("y: once")
	l.sends("use mkdir instead\n")
	l.expect("✗ shell")
	l.expect("y: once")
	l.sends("\n") // no answer
	l.expect("y or n?")
	l.sends("n\n")
	l.expect("All right.")
	l.sends(ctrlD)
	l.ends(0)
	if l.exists("a") || l.exists("b") {
		t.Error("a command ran that was not allowed")
	}
	if body := string(l.server.Requests()[1].Body); !strings.Contains(body, "use mkdir instead") {
		t.Errorf("the model did not learn what the user said: %s", body)
	}
}

func TestLineInterrupt(t *testing.T) {
	t.Parallel()
	l := talkTo(t, `
		text "It takes long."
		call t1 shell {"command":"touch started; sleep 60"}
		---
		text "Here I am."`, "--allow", "shell", "wait")
	l.expect("It takes long.")
	l.expect("• shell touch started")
	l.awaits("started")
	l.sends(ctrlC)
	l.expect("interrupted")
	l.expect("› ")
	l.sends("are you there?\n")
	l.expect("Here I am.")
	l.sends(ctrlD)
	l.ends(0)
}

// A ctrl-C at the moment when the first tool starts is one ctrl-C, and not two.
func TestLineInterruptsAStart(t *testing.T) {
	for i := range 8 { // it was told twice about one time in ten
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			l := talkTo(t, `call t1 shell {"command":"sleep 60"}`, "--allow", "shell", "wait")
			l.expect("• shell")
			l.sends(ctrlC)
			l.expect("interrupted")
			l.expect("› ")
			l.sends(ctrlD)
			l.ends(0)
		})
	}
}

// A question that is interrupted leaves a prompt that works (B106).
func TestLineInterruptsAQuestion(t *testing.T) {
	t.Parallel()
	l := talkTo(t, `
		call t1 shell {"command":"touch made"}
		---
		text "Here I am."`, "make it")
	l.expect("y: once")
	l.sends(ctrlC)
	l.expect("interrupted")
	l.expect("› ")
	l.sends("y\n") // a prompt now, and no answer
	l.expect("Here I am.")
	if got := l.requests(2); got != "y" {
		t.Errorf("the prompt is %q", got)
	}
	l.sends(ctrlD)
	l.ends(0)
	if l.exists("made") {
		t.Error("the command ran")
	}
}

func TestLineQuits(t *testing.T) {
	const busy = `call t1 shell {"command":"trap '' TERM; touch started; sleep 60"}`
	for _, tc := range []struct {
		name string
		busy bool
		how  func(l *line)
		code int
	}{
		{"ctrl-D", false, func(l *line) { l.sends(ctrlD) }, 0},
		{"the command", false, func(l *line) { l.sends("/quit\n") }, 0},
		{"ctrl-C twice", false, func(l *line) {
			l.sends(ctrlC)
			l.expect("ctrl-C again")
			l.sends(ctrlC)
		}, 130},
		{"ctrl-C twice in a run", true, func(l *line) {
			l.sends(ctrlC)
			time.Sleep(50 * time.Millisecond) // quicker, and the kernel takes them for one
			l.sends(ctrlC)
		}, 130},
		{"SIGTERM", false, func(l *line) { check(l.t, l.cmd.Process.Signal(syscall.SIGTERM)) }, 143},
		{"SIGTERM in a run", true, func(l *line) { check(l.t, l.cmd.Process.Signal(syscall.SIGTERM)) }, 143},
		{"SIGHUP in a run", true, func(l *line) { check(l.t, l.cmd.Process.Signal(syscall.SIGHUP)) }, 129},
		{"the command in a run", true, func(l *line) { l.sends("/quit\n") }, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			l := talkTo(t, busy, "--allow", "shell")
			l.expect("› ")
			if tc.busy {
				l.sends("wait\n")
				l.awaits("started")
			}
			tc.how(l)
			l.ends(tc.code)
		})
	}
}

// A paste is one prompt, with and without the marks that some terminals put
// around it (B107).
func TestLinePaste(t *testing.T) {
	t.Parallel()
	var lines []string
	for i := range 40 {
		lines = append(lines, fmt.Sprintf("line %d", i+1))
	}
	text := strings.Join(lines, "\n")
	l := talkTo(t, `
		text "First."
		---
		text "Second."
		---
		text "Third."`)
	l.expect("› ")
	l.sends("\x1b[200~" + text + "\x1b[201~")
	time.Sleep(3 * burst) // a person looks at it before pressing Enter
	l.sends("\n")
	l.expect("First.")
	if got := l.requests(1); got != text {
		t.Errorf("the marked paste became %q", got)
	}
	l.expect("› ")
	l.sends(text)
	l.expect("39 lines pasted")
	l.sends("\n")
	l.expect("Second.")
	if got := l.requests(2); got != text {
		t.Errorf("the paste became %q", got)
	}
	l.expect("› ")
	l.sends(text + "\n")
	l.expect("40 lines pasted")
	l.sends("\n")
	l.expect("Third.")
	if got := l.requests(3); got != text {
		t.Errorf("the paste with a line end became %q", got)
	}
	l.sends(ctrlD)
	l.ends(0)
	if n := len(l.server.Requests()); n != 3 {
		t.Errorf("%d requests were made", n)
	}
}

// A line that the terminal cuts is not sent as if it were whole.
func TestLineTooLong(t *testing.T) {
	t.Parallel()
	l := talkTo(t, `text "Fine."`)
	l.expect("› ")
	l.sends(strings.Repeat("x", 5000) + "\n")
	l.expect("nothing was sent")
	l.sends("short\n")
	l.expect("Fine.")
	if got := l.requests(1); got != "short" {
		t.Errorf("the prompt is %q", got)
	}
	l.sends(ctrlD)
	l.ends(0)
}

// What is typed while the model works reaches it with its next turn.
func TestLineTypedMeanwhile(t *testing.T) {
	t.Parallel()
	l := talkTo(t, `
		call t1 shell {"command":"while [ ! -e go ]; do sleep 0.01; done"}
		---
		text "Noted."`, "--allow", "shell", "work")
	l.expect("• shell")
	l.sends("and mind the gap\n")
	l.expect("next turn")
	check(t, os.WriteFile(filepath.Join(l.dir, "go"), nil, 0o600))
	l.expect("Noted.")
	if body := string(l.server.Requests()[1].Body); !strings.Contains(body, "and mind the gap") {
		t.Errorf("it did not reach the model: %s", body)
	}
	l.sends(ctrlD)
	l.ends(0)
}

func TestLineRecoveries(t *testing.T) {
	t.Parallel()
	l := talkTo(t, `
		http 529
		---
		text "half of"
		cut
		---
		text "The whole."
		---
		http 401`, "go")
	l.expect("overloaded")
	l.expect("half of")
	l.expect("withdrawn")
	l.expect("The whole.")
	l.expect("› ")
	l.sends("again\n")
	l.expect("daruma: ")
	l.expect("invalid x-api-key")
	l.expect("hint: check the API key")
	l.expect("› ")
	l.sends(ctrlD)
	l.ends(0)
}

// Neither a model nor a tool nor a file can make the terminal do anything
// (B114).
func TestLineShowsEscapesAsText(t *testing.T) {
	t.Parallel()
	l := talkTo(t, `
		text "\x1b]52;c;ZXZpbA==\a\x1b[2J\u009b2Jred"
		call t1 shell {"command":"printf '\\033]0;own\\a'; printf '\u001b[2J\u0007'; touch made"}
		---
		call t2 read {"path":"\u001b[2J"}
		---
		http 400 "\x1b]0;own\a"`, "go")
	l.expect("red")
	l.expect("y: once")
	l.sends("y\n")
	l.expect("daruma: ")
	l.expect("› ")
	l.sends("/session\n")
	l.expect("session 01")
	l.sends(ctrlD)
	l.ends(0)
	for _, evil := range []string{"\x1b]", "\x1b[2J", "\u009b", "\a"} {
		if strings.Contains(l.output(), evil) {
			t.Errorf("%q reached the terminal: %q", evil, l.output())
		}
	}
}

func TestPrintOntoATerminal(t *testing.T) {
	t.Parallel()
	l := talkTo(t, `text "\x1b]0;own\ared"`, "-p", "go")
	l.expect("red")
	l.ends(0)
	if strings.Contains(l.output(), "\x1b") {
		t.Errorf("an escape code reached the terminal: %q", l.output())
	}
	l = talkTo(t, ``, "-p") // never waits for what is typed there
	l.expect("daruma: ")
	l.expect("hint: ")
	l.ends(2)
}

func TestLineWithoutColours(t *testing.T) {
	for _, env := range []string{"TERM=dumb", "NO_COLOR=1", "X="} {
		t.Run(env, func(t *testing.T) {
			t.Parallel()
			l := talkWith(t, `
				http 529
				---
				text "Hello."`, env, "hi")
			l.expect("Hello.")
			l.expect("› ")
			l.sends("/help\n")
			l.expect("/quit")
			l.sends("/nonsense\n")
			l.expect("no command /nonsense")
			l.sends(ctrlD)
			l.ends(0)
			if strings.Contains(l.output(), "\x1b") {
				t.Errorf("there are escape codes: %q", l.output())
			}
		})
	}
}
