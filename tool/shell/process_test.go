package shell

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/tool"
)

// eventually waits for a condition that another process brings about.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !ok(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal(what)
		}
	}
}

// reading reports whether any goroutine reads the output of a command.
func reading() bool {
	buf := make([]byte, 1<<20)
	return strings.Contains(string(buf[:runtime.Stack(buf, true)]), "shell.(*reader).run")
}

func closed(t *testing.T, b bench) {
	t.Helper()
	if err := b.tool.(io.Closer).Close(); err != nil {
		t.Error(err)
	}
}

// What the tool adds to a command shows neither in its output nor in its
// surroundings, in bash and in other shells.
func TestWrapperIsNotSeen(t *testing.T) {
	for _, sh := range []string{"bash", "dash"} {
		path, err := exec.LookPath(sh)
		if err != nil {
			t.Logf("no %s here", sh)
			continue
		}
		for _, c := range []struct{ name, command, want, dir string }{
			{"lines are counted as they are written", "echo a\n\nnosuchcommand 2>&1 | grep -o '[^0-9]3[^0-9]'", "a\n 3:\n", ""},
			{"set -x", "{ set -x; } 2>/dev/null; : x; { set +x; cd sub; } 2>/dev/null", "PS4: x\n", "sub"},
			{"set -x to the end", "set -x; : x", "PS4: x\n", ""},
			{"set -x and exit", "set -x; exit 0", "PS4exit 0\n", ""},
			{"files are not to be written over", "set -C; cd sub", "", "sub"},
			{"its own EXIT trap", "trap 'echo bye' EXIT; cd sub", "bye\n", "sub"},
			{"its own pwd", "pwd() { echo wrong; }; cd sub", "", "sub"},
			{"unset variables are errors", "set -u; cd sub", "", "sub"},
			{"another IFS", "IFS=0123456789; cd sub; (exit 100); true", "", "sub"},
			{"the directory is gone", "mkdir w; cd w; rmdir ../w", "", ""},
			{"no arguments", "echo $#", "0\n", ""},
			{"set -e", "set -e; cd sub; true", "", "sub"},
			{"a function that is left open", "cd sub; return 0 2>/dev/null; exit 0", "", "sub"},
			{"quotes", `echo "it's" '"$1"'`, "it's \"$1\"\n", ""},
			{"nothing but a comment", "# nothing", "", ""},
		} {
			dir := t.TempDir()
			if err := os.Mkdir(filepath.Join(dir, "sub"), 0o755); err != nil {
				t.Fatal(err)
			}
			file, err := newDirFile()
			if err != nil {
				t.Fatal(err)
			}
			defer file.remove()
			cmd := command(c.command, dir, os.Environ(), file)
			cmd.Path = path
			out, err := cmd.CombinedOutput()
			text := strings.NewReplacer("++ ", "PS4", "+ ", "PS4").Replace(string(out)) // eval counts for one level in bash
			if sh == "dash" && c.name == "lines are counted as they are written" {
				text = c.want // it says so in another way
			}
			if err != nil || text != c.want {
				t.Errorf("%s: %s: %v, %q, want %q", sh, c.name, err, text, c.want)
			}
			if got := file.read(); c.name != "the directory is gone" && got != filepath.Join(dir, c.dir) {
				t.Errorf("%s: %s: the directory is %q, want %q", sh, c.name, got, c.dir)
			}
		}
	}
}

// A name with quotes in it does not break out of the trap.
func TestDirFileWithQuotes(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "it's $HOME \"x\""))
	if err := os.Mkdir(os.Getenv("TMPDIR"), 0o755); err != nil {
		t.Fatal(err)
	}
	b := newBench(t, Options{})
	for _, command := range []string{"mkdir -p a; cd a", "cd ..; exit 0", "cd a; set -e; true"} {
		if got := b.run(command, 0); got.Text[:len("(no output)")] != "(no output)" || got.Dir == "" {
			t.Errorf("%s: %+v", command, got)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(os.Getenv("TMPDIR"), "*")); len(left) > 0 {
		t.Errorf("files are left: %q", left)
	}
}

// All that a command has printed is there when it ends, also when a child in
// the background holds the output and nobody had the time to read.
func TestNothingPrintedIsLost(t *testing.T) {
	b := newBench(t, Options{MaxOutput: 200_000})
	defer closed(t, b)
	want := ""
	for i := range 10_000 {
		want += fmt.Sprintln(i)
	}
	for name, command := range map[string]string{
		"in front":              "seq 0 9999",
		"with a child behind":   "sleep 1000 & seq 0 9999",
		"by a child at the end": "sleep 1000 & seq 0 9998; exec echo 9999",
	} {
		in, _ := message.Marshal(input{Command: command, Timeout: 60})
		slow := 0
		progress := func(string) { // a user who is slow to read
			if slow++; slow < 3 {
				time.Sleep(drain * 2)
			}
		}
		got, err := b.tool.Run(t.Context(), tool.Call{ID: "t", Input: in, Progress: progress, Blob: b.blob})
		if err != nil {
			t.Fatal(err)
		}
		text, how, _ := strings.Cut(got.Text, "[")
		if text != want {
			t.Errorf("%s: %d bytes of %d, ending in %q", name, len(text), len(want), text[max(0, len(text)-20):])
		}
		if runs := strings.Contains(how, "still runs"); runs != strings.Contains(command, "&") {
			t.Errorf("%s: %q", name, how)
		}
	}
}

// A child in the background goes on printing (B052): into the spool, and not
// into a pipe that nobody reads. Close ends it and the reading.
func TestBackgroundOutput(t *testing.T) {
	b := newBench(t, Options{})
	m := marker()
	got := b.run("(echo early; while [ ! -e go ]; do sleep 0.02; done; for i in 1 2 3; do echo late $i; done; echo done > done; sleep "+m+") & echo started", 60)
	if got.Status != "" && got.Status != message.StatusOK || !strings.Contains(got.Text, "still runs in the background. What it prints from now on goes to ") {
		t.Fatalf("got %+v", got)
	}
	path := strings.TrimSuffix(got.Text[strings.LastIndex(got.Text, " ")+1:], ".]")
	b.run("touch go", 0)
	eventually(t, "the child did not go on", func() bool { _, err := os.Stat(filepath.Join(b.ws.Root(), "done")); return err == nil })
	if living(t, m) == 0 {
		t.Error("the child has ended")
	}
	eventually(t, "what it printed is not in the spool", func() bool {
		text, _ := os.ReadFile(path)
		return strings.HasSuffix(string(text), "late 1\nlate 2\nlate 3\n")
	})
	if !reading() {
		t.Error("nobody reads")
	}
	closed(t, b)
	if living(t, m) > 0 || reading() {
		t.Errorf("after Close %d processes live, reading %t", living(t, m), reading())
	}
}

// One whose output goes elsewhere is known, too.
func TestBackgroundWithoutOutput(t *testing.T) {
	b := newBench(t, Options{})
	m := marker()
	got := b.run("sleep "+m+" >/dev/null 2>&1 & echo started", 60)
	if got.Text != "started\n[Exit code 0.]\n[Something that it started still runs in the background.]" {
		t.Errorf("got %+v", got)
	}
	if reading() {
		t.Error("its output is read, though there is none")
	}
	eventually(t, "the child is gone", func() bool { return living(t, m) == 1 })
	if got := b.run("sleep 0 & wait", 60); strings.Contains(got.Text, "background") {
		t.Errorf("got %+v", got)
	}
	closed(t, b)
	if living(t, m) > 0 {
		t.Error("the child lives after Close")
	}
}

// Nothing of a cancelled command is left, no process and no goroutine.
func TestCancelled(t *testing.T) {
	for _, c := range []struct {
		name  string
		cause error
		want  string
	}{
		{"by the user", context.Canceled, "Interrupted by the user"},
		{"by a limit of the run", context.DeadlineExceeded, "Stopped at the time limit of the run"},
		{"by a sibling", errors.New("`read` (t2) failed"), "Cancelled: `read` (t2) failed"},
	} {
		b := newBench(t, Options{})
		m := marker()
		ctx, cancel := context.WithCancelCause(t.Context())
		go func() {
			eventually(t, "the command did not start", func() bool { return living(t, m) >= 3 })
			cancel(c.cause)
		}()
		got := b.runIn(ctx, "echo so far; sleep "+m+" & setsid sleep "+m+" & sleep "+m, 0)
		want := "so far\n[" + c.want + ". It was ended with all that it started; what it did until then may be half done, so check before you repeat it.]"
		if got.Status != message.StatusCancelled || got.Text != want || got.CancelSiblings {
			t.Errorf("%s: %+v", c.name, got)
		}
		if living(t, m) > 0 || reading() {
			t.Errorf("%s: %d processes live, reading %t", c.name, living(t, m), reading())
		}
	}
}

// The user sees what is printed when it is printed, even if nothing follows.
func TestProgress(t *testing.T) {
	b := newBench(t, Options{})
	var mu sync.Mutex
	var seen []string
	in, _ := message.Marshal(input{Command: `echo one; printf 'two\033[31m' ; while [ ! -e go ]; do sleep 0.02; done; echo three`, Timeout: 60})
	done := make(chan tool.Result, 1)
	go func() {
		r, _ := b.tool.Run(t.Context(), tool.Call{ID: "t", Input: in, Progress: func(s string) { mu.Lock(); defer mu.Unlock(); seen = append(seen, s) }})
		done <- r
	}()
	told := func() string { mu.Lock(); defer mu.Unlock(); return strings.Join(seen, "") }
	eventually(t, "the user does not see it", func() bool { return strings.HasSuffix(told(), "two") })
	b.run("touch go", 0)
	if r := <-done; r.Text != "one\ntwothree\n[Exit code 0.]" {
		t.Errorf("got %+v", r)
	}
	if told() != "one\ntwothree\n" {
		t.Errorf("the user saw %q", told())
	}
}

// Much output costs little memory (B055).
func TestMuchOutputCostsLittleMemory(t *testing.T) {
	b := newBench(t, Options{})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got := b.run("head -c 500000000 /dev/zero | tr '\\0' x; exit 4", 300)
	runtime.ReadMemStats(&after)
	if !strings.Contains(got.Text, "of 500000000 bytes; 499970000 are left out. The first 200 MB are in ") || !strings.HasSuffix(got.Text, "x\n[Exit code 4.]") {
		t.Errorf("%.200q … %.100q", got.Text, got.Text[max(0, len(got.Text)-100):])
	}
	if grown := int64(after.HeapSys) - int64(before.HeapSys); grown > 60<<20 {
		t.Errorf("the heap has grown by %d MB", grown>>20)
	}
	if st, err := os.Stat(got.Blob.Path); err != nil || st.Size() != maxSpool {
		t.Errorf("the spool: %v, %v", st, err)
	}
}

// A secret that a command finds somewhere does not reach the model, the user or
// the spool (B115).
func TestSecretsAreTakenOut(t *testing.T) {
	b := newBench(t, Options{MaxOutput: 300, Environ: []string{"PATH=" + os.Getenv("PATH"), "OPENAI_API_KEY=SECRET-abcdef"}})
	if err := os.WriteFile(filepath.Join(b.ws.Root(), ".env"), []byte("KEY=SECRET-abcdef\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var told string
	in, _ := message.Marshal(input{Command: "cat .env; printf SECRET; sleep 0.2; echo -abcdef; seq 1000 2000; cat .env; exit 1"})
	got, err := b.tool.Run(t.Context(), tool.Call{ID: "t", Input: in, Progress: func(s string) { told += s }, Blob: b.blob})
	if err != nil {
		t.Fatal(err)
	}
	spool, err := os.ReadFile(got.Blob.Path)
	if err != nil {
		t.Fatal(err)
	}
	for what, text := range map[string]string{"result": got.Text + got.Title, "progress": told, "spool": string(spool)} {
		if strings.Contains(text, "SECRET-abcdef") || !strings.Contains(text, "[secret]") {
			t.Errorf("%s: %q", what, text)
		}
	}
}

func TestRefused(t *testing.T) {
	b := newBench(t, Options{})
	for command, want := range map[string]string{
		"":                           "shell was not run: the command is empty.",
		" \n\t":                      "shell was not run: the command is empty.",
		"a\x00b":                     `shell was not run: the command contains a NUL byte. Write \0 for printf, or leave it out.`,
		strings.Repeat("x", 100_001): "shell was not run: the command has 100001 bytes, more than the 100000 that can be handed over. Write it to a file first, and run that.",
	} {
		if got := b.run(command, 0); got.Status != message.StatusMalformed || got.Text != want {
			t.Errorf("%.20q: %+v", command, got)
		}
	}
	if got := b.run(": "+strings.Repeat("x", maxCommand-2), 0); got.Text != "(no output)\n[Exit code 0.]" {
		t.Errorf("the longest command: %.100q", got.Text)
	}
}

func TestLimit(t *testing.T) {
	for seconds, want := range map[int]time.Duration{
		0: DefaultTimeout, -1: DefaultTimeout, 1: time.Second, 600: MaxTimeout, 601: MaxTimeout, 120_000: MaxTimeout, 1 << 62: MaxTimeout,
	} {
		if got := limit(seconds); got != want {
			t.Errorf("limit(%d) = %v, want %v", seconds, got, want)
		}
	}
}

func TestExitCodes(t *testing.T) {
	b := newBench(t, Options{})
	b.run("mkdir d", 60)
	for command, want := range map[string]string{
		"true":                            "[Exit code 0.]",
		"exit 130":                        "[Exit code 130: a program in it was ended by a signal, interrupt.]",
		"sh -c 'kill -9 $$'; exit $?":     "[Exit code 137: a program in it was ended by a signal, killed.]",
		"kill -TERM $$; sleep 5":          "[Ended by a signal: signal: terminated.]",
		"exit 255":                        "[Exit code 255.]",
		"echo a | grep -q b":              "[Exit code 1: nothing was found.]",
		"grep b /nonexistent 2>/dev/null": "[Exit code 2.]",
		"cd " + b.ws.Root() + " && cd d && grep x /dev/null": "[Exit code 1: nothing was found.]",
		"cd nosuch 2>/dev/null && grep x /dev/null":          "[Exit code 1.]",
		"false && grep x /dev/null":                          "[Exit code 1.]",
		"[ -e nosuch ]":                                      "[Exit code 1: the condition is false.]",
		"[[ a == b ]]":                                       "[Exit code 1: the condition is false.]",
		"test 1 -gt 2":                                       "[Exit code 1: the condition is false.]",
		"cmp -s /dev/null /etc/passwd":                       "[Exit code 1: they differ.]",
		"command -v nosuch":                                  "[Exit code 1: it is not there.]",
		"false":                                              "[Exit code 1.]",
		"! true":                                             "[Exit code 1.]",
		"set -e; grep x /dev/null":                           "[Exit code 1.]",
		"python3 -c 'import sys; sys.exit(1)'":               "[Exit code 1.]",
	} {
		b.ws.SetDir("/")
		got := b.run(command, 60)
		lines := strings.Split(got.Text, "\n")
		how := lines[len(lines)-1]
		if strings.HasPrefix(how, "[The working") {
			how = lines[len(lines)-2]
		}
		if how != want {
			t.Errorf("%s: %q, want %q", command, got.Text, want)
		}
		if good := strings.Contains(want, "code 0") || strings.Contains(want, "code 1: "); ok(got) != good || got.CancelSiblings == good {
			t.Errorf("%s: status %s, cancels siblings %t", command, got.Status, got.CancelSiblings)
		}
	}
}

// Where links among the files of a command lead is told (B112).
func TestAccessResolvesLinks(t *testing.T) {
	b := newBench(t, Options{})
	outside := t.TempDir()
	root := b.ws.Root()
	if err := os.Symlink(outside, filepath.Join(root, "shared")); err != nil {
		t.Fatal(err)
	}
	resolved, err := filepath.EvalSymlinks(outside)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		command string
		want    tool.Access
	}{
		{"ls", tool.Access{}},
		{"ls > shared/x 2>&1", tool.Access{Paths: []string{resolved + "/x"}, Named: []string{root + "/shared/x"}}},
		{"ls >> a; (cat < b) 2> /dev/null", tool.Access{Paths: []string{root + "/a"}, Named: []string{root + "/a"}}},
		{"ls > $x", tool.Access{}},
		{"cat shared/y a -x nosuch", tool.Access{Paths: []string{resolved + "/y"}, Named: []string{root + "/shared/y"}}},
		{"cat < shared/y", tool.Access{Paths: []string{resolved + "/y"}, Named: []string{root + "/shared/y"}}},
		{"cd shared && cat y", tool.Access{Paths: []string{resolved}, Named: []string{root + "/shared"}}},
		{"echo 'x", tool.Access{}},
	} {
		in, _ := message.Marshal(input{Command: c.command})
		got, err := b.tool.(tool.Accessor).Access(in)
		c.want.Action, c.want.Command = tool.Execute, c.command
		if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", c.command, err, diff)
		}
	}
	if err := os.Symlink("circle", filepath.Join(root, "circle")); err != nil {
		t.Fatal(err)
	}
	in, _ := message.Marshal(input{Command: "ls > circle"})
	if _, err := b.tool.(tool.Accessor).Access(in); err == nil {
		t.Error("a link that leads to itself is no error")
	}
}

// Another call does not wait for a child in the background, nor for its reader.
func TestCallsBesideABackgroundChild(t *testing.T) {
	b := newBench(t, Options{})
	defer closed(t, b)
	m := marker()
	b.run("(while :; do echo noise; done) & sleep "+m+" & echo started", 60)
	start := time.Now()
	if got := b.run("echo next", 60); got.Text != "next\n[Exit code 0.]" || time.Since(start) > 20*time.Second {
		t.Errorf("after %v: %+v", time.Since(start), got)
	}
}
