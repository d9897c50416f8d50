package cli

import (
	"cmp"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/daruma-dev/daruma/model/modeltest"
)

var update = flag.Bool("update", false, "write the expected output anew")

// The scripts run the real program: this test binary under the name daruma.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"daruma": func() { os.Exit(Main(os.Args[1:])) }})
}

// TestScripts runs testdata/script. Beside the commands of testscript there are
//
//	model FILE                    a server that replies as the script in FILE says; its requests must be valid
//	requests N                    it was asked so many times
//	request N FILE                writes the N-th request, from 1, to FILE
//	prompt N TEXT                 the user's newest words in the N-th request are TEXT, a string as in Go
//	exit CODE PROGRAM ARG…        runs it; the exit code must be CODE
//	held CODE PROGRAM ARG…        the same with a pipe on stdin that stays open and empty
//	signal SIG WHEN CODE PROGRAM… sends it a signal once the file WHEN is there, or after so many requests
//	await WHEN                    waits until the file WHEN is there, or so many requests have come
//	id VAR                        sets VAR to the first session that the JSON on stdout names
//	normal FROM TO                copies a file, with ids, times and directories made the same in every run
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		UpdateScripts:       *update,
		RequireUniqueNames:  true,
		RequireExplicitExec: false,
		Setup:               setup,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"model": cmdModel, "requests": cmdRequests, "request": cmdRequest, "prompt": cmdPrompt,
			"await": cmdAwait,
			"exit":  cmdExit, "held": cmdHeld, "signal": cmdSignal, "id": cmdID, "normal": cmdNormal,
		},
	})
}

// testPatience is how long a test waits for something that takes milliseconds.
const testPatience = 20 * time.Second

// world is what one script has around it.
type world struct{ server *modeltest.Server }

type worldKey struct{}

func setup(env *testscript.Env) error {
	w := &world{}
	env.Values[worldKey{}] = w
	home := filepath.Join(env.WorkDir, "home")
	env.Vars = append(env.Vars, "HOME="+home, "GORACE=atexit_sleep_ms=0", "TERM=dumb")
	if cache, err := os.UserCacheDir(); err == nil { // the demo builds, and a cold cache takes long
		env.Vars = append(env.Vars, "GOCACHE="+cmp.Or(os.Getenv("GOCACHE"), filepath.Join(cache, "go-build")))
	}
	env.Defer(func() {
		if problem := w.close(); problem != "" {
			env.T().Log(problem)
			env.T().FailNow()
		}
	})
	return os.MkdirAll(home, 0o700)
}

// close ends the server and tells what was wrong with the requests.
func (w *world) close() string {
	if w.server == nil {
		return ""
	}
	err := w.server.Close()
	problems := w.server.Problems()
	w.server = nil
	switch {
	case err != nil:
		return err.Error()
	case len(problems) > 0:
		return "the server refused a request: " + strings.Join(problems, "; ")
	default:
		return ""
	}
}

func worldOf(ts *testscript.TestScript) *world { return ts.Value(worldKey{}).(*world) }

func cmdModel(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: model FILE")
	}
	w := worldOf(ts)
	if problem := w.close(); problem != "" {
		ts.Fatalf("%s", problem)
	}
	replies, err := modeltest.Parse(ts.ReadFile(args[0]))
	ts.Check(err)
	w.server = modeltest.New(replies, modeltest.Options{Key: "key"})
	ts.Check(w.server.Start())
	ts.Setenv("ANTHROPIC_BASE_URL", w.server.URL())
	ts.Setenv("ANTHROPIC_API_KEY", "key")
}

func cmdRequests(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: requests N")
	}
	if got := len(worldOf(ts).server.Requests()); strconv.Itoa(got) != args[0] {
		ts.Fatalf("the server was asked %d times, not %s", got, args[0])
	}
}

func nth(ts *testscript.TestScript, n string) modeltest.Recorded {
	i, err := strconv.Atoi(n)
	ts.Check(err)
	all := worldOf(ts).server.Requests()
	if i < 1 || i > len(all) {
		ts.Fatalf("there is no request %d among %d", i, len(all))
	}
	return all[i-1]
}

func cmdRequest(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: request N FILE")
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), append(nth(ts, args[0]).Body, '\n'), 0o600))
}

func cmdPrompt(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: prompt N TEXT")
	}
	want, err := strconv.Unquote(`"` + args[1] + `"`)
	ts.Check(err)
	ms := nth(ts, args[0]).Request().Messages
	if got := ms[len(ms)-1].Text(); got != want {
		ts.Fatalf("request %s: the user said %q, not %q", args[0], got, want)
	}
}

func cmdExit(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exit CODE PROGRAM ARG…")
	}
	wantCode(ts, args[0], ts.Exec(args[1], args[2:]...))
}

// wantCode checks the exit code that the error of a process stands for.
func wantCode(ts *testscript.TestScript, want string, err error) {
	code := 0
	var e *exec.ExitError
	if errors.As(err, &e) {
		code = e.ExitCode()
	} else {
		ts.Check(err)
	}
	if strconv.Itoa(code) != want {
		ts.Fatalf("the exit code is %d, not %s", code, want)
	}
}

// started is a program that runs beside the script.
type started struct {
	*exec.Cmd
	done chan error
}

// start runs a program; its output goes to the files stdout.txt and stderr.txt,
// for the script to look at.
func start(ts *testscript.TestScript, stdin *os.File, args []string) started {
	path := ""
	for _, dir := range filepath.SplitList(ts.Getenv("PATH")) {
		if _, err := os.Stat(filepath.Join(dir, args[0])); err == nil {
			path = filepath.Join(dir, args[0])
			break
		}
	}
	cmd := exec.Command(path, args[1:]...)
	cmd.Dir = ts.MkAbs(".")
	for _, name := range []string{"HOME", "PATH", "GORACE", "TERM", "ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY", "WORK"} {
		cmd.Env = append(cmd.Env, name+"="+ts.Getenv(name))
	}
	out, err := os.Create(ts.MkAbs("stdout.txt"))
	ts.Check(err)
	errs, err := os.Create(ts.MkAbs("stderr.txt"))
	ts.Check(err)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, out, errs
	ts.Check(cmd.Start())
	s := started{cmd, make(chan error, 1)}
	go func() {
		s.done <- cmd.Wait()
		_, _ = out.Close(), errs.Close()
	}()
	ts.Defer(func() { _ = cmd.Process.Kill() })
	return s
}

// end waits for the program and checks its exit code.
func (s started) end(ts *testscript.TestScript, code string) {
	select {
	case err := <-s.done:
		ts.Logf("[stdout]\n%s[stderr]\n%s", ts.ReadFile("stdout.txt"), ts.ReadFile("stderr.txt"))
		wantCode(ts, code, err)
	case <-time.After(testPatience):
		ts.Fatalf("the program still runs after %v", testPatience)
	}
}

func cmdHeld(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: held CODE PROGRAM ARG…")
	}
	r, w, err := os.Pipe()
	ts.Check(err)
	defer w.Close()
	defer r.Close()
	start(ts, r, args[1:]).end(ts, args[0])
}

func cmdSignal(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 4 {
		ts.Fatalf("usage: signal SIG WHEN CODE PROGRAM ARG…")
	}
	sig, ok := signalNames[args[0]]
	if !ok {
		ts.Fatalf("there is no signal %s", args[0])
	}
	s := start(ts, nil, args[3:])
	cmdAwait(ts, false, args[1:2])
	ts.Check(s.Process.Signal(sig))
	s.end(ts, args[2])
}

func cmdAwait(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: await WHEN")
	}
	for deadline := time.Now().Add(testPatience); !happened(ts, args[0]); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			ts.Fatalf("%s did not happen in %v", args[0], testPatience)
		}
	}
}

// happened reports whether a file exists, or so many requests have come.
func happened(ts *testscript.TestScript, when string) bool {
	if n, err := strconv.Atoi(when); err == nil {
		return len(worldOf(ts).server.Requests()) >= n
	}
	_, err := os.Stat(ts.MkAbs(when))
	return err == nil
}

func cmdID(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: id VAR")
	}
	m := regexp.MustCompile(`"(?:session_)?id":"(01[^"]+)"`).FindStringSubmatch(ts.ReadFile("stdout"))
	if m == nil {
		ts.Fatalf("stdout names no session")
	}
	ts.Setenv(args[0], m[1])
}

// volatile is what differs from run to run.
var volatile = []struct{ re, with string }{
	{`[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}`, "UUID"},
	{`\b01[0-9a-hjkmnp-tv-z]{24}\b`, "SESSION"},
	{`\b01[0-9A-HJKMNP-TV-Z]{24}\b`, "ULID"},
	{`("(?:duration_ms|retry_delay_ms|elapsed_time_seconds)":)[0-9.e-]+`, "${1}0"},
	{`("(?:duration_ms|retry_delay_ms|elapsed_time_seconds)": )[0-9.e-]+`, "${1}0"},
	{`("(?:input_tokens|cache_read_input_tokens|cache_creation_input_tokens)":)[0-9]+`, "${1}0"},
	{`\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?`, "TIME"},
	{`\b\d\d:\d\d:\d\d\.\d{3}\b`, "TIME"},
}

func cmdNormal(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: normal FROM TO")
	}
	text := strings.ReplaceAll(ts.ReadFile(args[0]), ts.Getenv("WORK"), "WORK")
	for _, v := range volatile {
		text = regexp.MustCompile(v.re).ReplaceAllString(text, v.with)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(text), 0o600))
}
