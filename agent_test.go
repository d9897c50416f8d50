package daruma_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/daruma-dev/daruma"
	"github.com/daruma-dev/daruma/loop"
	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/model/modeltest"
)

// stage is an agent's surroundings: a directory, a strict server, an
// environment.
type stage struct {
	t      *testing.T
	dir    string
	state  string
	server *modeltest.Server
}

func newStage(t *testing.T, script string) stage {
	t.Helper()
	s := stage{t: t, dir: t.TempDir(), state: t.TempDir()}
	s.server = modeltest.New(modeltest.MustParse(script), modeltest.Options{})
	if err := s.server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.server.Close(); err != nil {
			t.Error(err)
		}
		for _, p := range s.server.Problems() {
			t.Errorf("the server refused a request: %s", p)
		}
	})
	return s
}

func (s stage) getenv(name string) string {
	switch name {
	case "ANTHROPIC_BASE_URL":
		return s.server.URL()
	case "ANTHROPIC_API_KEY":
		return "key"
	case "HOME", "XDG_CONFIG_HOME":
		return "/nonexistent"
	default:
		return ""
	}
}

func (s stage) options() daruma.Options {
	return daruma.Options{
		Dir: s.dir, StateDir: s.state, Model: "anthropic/claude-opus-5-5", Mode: "bypass", Getenv: s.getenv,
	}
}

func (s stage) agent(o daruma.Options) *daruma.Agent {
	s.t.Helper()
	a, err := daruma.New(o)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		if err := a.Close(); err != nil {
			s.t.Error(err)
		}
	})
	return a
}

// run runs a prompt to its end.
func run(ctx context.Context, t *testing.T, a *daruma.Agent, prompt string) loop.Terminal {
	t.Helper()
	var end loop.Terminal
	for e, err := range a.Run(ctx, prompt) {
		if err != nil {
			t.Fatal(err)
		}
		if f, ok := e.(loop.Finish); ok {
			end = f.Terminal
		}
	}
	return end
}

func (s stage) write(name, text string) {
	s.t.Helper()
	if err := os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

func (s stage) read(name string) string {
	s.t.Helper()
	b, err := os.ReadFile(filepath.Join(s.dir, name))
	if err != nil {
		s.t.Fatal(err)
	}
	return string(b)
}

// The main job over the real wire: read and edit a file, run a command, answer.
func TestMainJob(t *testing.T) {
	s := newStage(t, `
thinking "first look" sig=s1
text "I'll read it."
call t1 read {"path":"a.txt"}
---
call t2 edit {"path":"a.txt","old_string":"limit = 40","new_string":"limit = 41"}
call t3 shell {"command":"cat a.txt"}
---
text "The limit is 41 now."
`)
	s.write("a.txt", "limit = 40\r\n# na\xefve\r\n")
	a := s.agent(s.options())
	end := run(t.Context(), t, a, "raise the limit")
	if !end.OK() || loop.FinalText(a.State()) != "The limit is 41 now." {
		t.Errorf("ended as %v with %q", end, loop.FinalText(a.State()))
	}
	if got := s.read("a.txt"); got != "limit = 41\r\n# na\xefve\r\n" {
		t.Errorf("the file is now %q", got)
	}
	if n := len(s.server.Requests()); n != 3 {
		t.Errorf("%d requests for 3 turns", n)
	}
}

// A rule that was mistyped holds nothing back; the user is told.
func TestIdleRulesAreTold(t *testing.T) {
	s := newStage(t, "")
	o := s.options()
	o.Deny = []string{"raed(.env)", "Bash(rm *)", "read(.env)", "mcp__x"}
	if got := strings.Join(s.agent(o).Notices(), "\n"); strings.Count(got, "\n") != 0 || !strings.Contains(got, `"raed(.env)" speaks of no tool`) {
		t.Errorf("notices: %s", got)
	}
}

// A deny rule for reading holds for a search as well.
func TestSearchObeysDenyRules(t *testing.T) {
	s := newStage(t, "call t1 grep {\"pattern\":\"KEY\"}\ncall t2 read {\"path\":\".env\"}\n---\ntext \"done\"")
	s.write(".env", "KEY=hunter2\n")
	s.write("main.go", "// KEY is read from .env\n")
	o := s.options()
	o.Deny = []string{"read(.env)"}
	a := s.agent(o)
	run(t.Context(), t, a, "find the key")
	for _, m := range a.State().Messages {
		for _, r := range m.Results() {
			if strings.Contains(r.Text, "hunter2") {
				t.Errorf("%s shows what a rule hides: %q", r.Name, r.Text)
			}
		}
	}
	if got := a.State().Messages[2].Results()[0].Text; !strings.Contains(got, "main.go") {
		t.Errorf("grep found nothing: %q", got)
	}
}

// A session goes on in another process; what was interrupted is answered, and
// the requests stay valid (B001, B082).
func TestGoesOnInAnotherProcess(t *testing.T) {
	s := newStage(t, `
call t1 shell {"command":"sleep 30"}
---
text "ok"
---
text "and once more"
`)
	first := s.agent(s.options())
	ctx, cancel := context.WithCancel(t.Context())
	for e, err := range first.Run(ctx, "wait") {
		if err != nil {
			t.Fatal(err)
		}
		if c, ok := e.(loop.ToolChanged); ok && c.Phase == "executing" {
			cancel()
		}
	}
	cancel()
	if end := first.State().Terminal; end == nil || end.Reason != loop.AbortedTools {
		t.Errorf("ended as %v", end)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	o := s.options()
	o.Continue = true
	second := s.agent(o)
	if second.Session() != first.Session() {
		t.Errorf("another session: %s", second.Session())
	}
	if end := run(t.Context(), t, second, "go on"); !end.OK() {
		t.Errorf("ended as %v", end)
	}
	ms := s.server.Requests()[1].Request().Messages
	if rs := ms[2].Results(); len(rs) != 1 || !rs[0].IsError() {
		t.Errorf("the interrupted call is answered by %+v", rs)
	}
	if err := second.Close(); err != nil {
		t.Fatal(err)
	}
	o.Fork = true
	third := s.agent(o)
	if third.Session() == first.Session() {
		t.Error("a fork has the id of its original")
	}
	if end := run(t.Context(), t, third, "again"); !end.OK() {
		t.Errorf("ended as %v", end)
	}
}

// An empty prompt goes on where an error ended the run.
func TestEmptyPromptGoesOn(t *testing.T) {
	s := newStage(t, "http 401 type=authentication_error \"no\"\n---\ntext \"ok\"")
	a := s.agent(s.options())
	if end := run(t.Context(), t, a, "hi"); end.Reason != loop.ModelError {
		t.Errorf("ended as %v", end)
	}
	if end := run(t.Context(), t, a, ""); !end.OK() || loop.FinalText(a.State()) != "ok" {
		t.Errorf("ended as %v", end)
	}
}

func TestSendJoinsTheRun(t *testing.T) {
	s := newStage(t, "call t1 shell {\"command\":\"true\"}\n---\ntext \"ok\"\n---\ntext \"ok too\"")
	a := s.agent(s.options())
	for e, err := range a.Run(t.Context(), "go") {
		if err != nil {
			t.Fatal(err)
		}
		switch e := e.(type) {
		case loop.ToolChanged:
			if e.Phase == "executing" {
				a.Send("and b too")
			}
		case loop.Finish:
			a.Send("one more")
		}
	}
	last := s.server.Requests()[1].Request().Messages
	if text := last[len(last)-1].Text(); text != "and b too" {
		t.Errorf("the message is not in the next turn: %q", text)
	}
	if !a.Pending() {
		t.Error("what was sent in the last moment is lost")
	}
	if end := run(t.Context(), t, a, ""); !end.OK() || loop.FinalText(a.State()) != "ok too" {
		t.Errorf("ended as %v", end)
	}
}

// What the user can mend is one sentence with a hint, and leaves nothing.
func TestUsageErrors(t *testing.T) {
	s := newStage(t, "")
	s.write("file", "")
	for name, change := range map[string]func(*daruma.Options){
		"no key":           func(o *daruma.Options) { o.Getenv = func(string) string { return "" } },
		"unknown provider": func(o *daruma.Options) { o.Model = "acme/x" },
		"unknown model": func(o *daruma.Options) {
			o.Model = "gpt-5"
			o.Getenv = func(n string) string {
				if n == "ANTHROPIC_API_KEY" {
					return "k"
				}
				return ""
			}
		},
		"unknown fallback":   func(o *daruma.Options) { o.Fallbacks = []string{"acme/x"} },
		"nameless fallback":  func(o *daruma.Options) { o.Fallbacks = []string{" "} },
		"no such directory":  func(o *daruma.Options) { o.Dir = "/nonexistent/x" },
		"no directory":       func(o *daruma.Options) { o.Dir = filepath.Join(s.dir, "file") },
		"bad mode":           func(o *daruma.Options) { o.Mode = "yolo" },
		"bad rule":           func(o *daruma.Options) { o.Allow = []string{"shell(git"} },
		"no such session":    func(o *daruma.Options) { o.Resume = "zzz" },
		"nothing to go on":   func(o *daruma.Options) { o.Continue = true },
		"fork of nothing":    func(o *daruma.Options) { o.Fork = true },
		"both ways to go on": func(o *daruma.Options) { o.Continue, o.Resume = true, "x" },
	} {
		o := s.options()
		change(&o)
		_, err := daruma.New(o)
		var u *daruma.UsageError
		if !errors.As(err, &u) || u.Text == "" || u.Hint == "" || strings.Contains(u.Text, "\n") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if left, _ := os.ReadDir(s.state); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// The fold of the journal is the live state, over the real wire as well.
func TestJournalHoldsTheSession(t *testing.T) {
	s := newStage(t, "call t1 shell {\"command\":\"touch f\"}\ncall t2 read {\"path\":\"f\"}\n---\ntext \"done\"")
	a := s.agent(s.options())
	run(t.Context(), t, a, "go")
	live := a.State()
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	o := s.options()
	o.Resume = a.Session()[:12]
	loaded := s.agent(o).State()
	if d := loop.Diff(live, loaded); d != "" {
		t.Error(d)
	}
	if !message.Equal(live.Messages[1], loaded.Messages[1]) {
		t.Error("the reply differs")
	}
}
