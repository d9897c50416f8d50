package tool_test

import (
	"context"
	"errors"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/tool"
)

// nasty is an error whose text panics.
type nasty struct{ text *string }

func (n nasty) Error() string { return *n.text }

func TestCrash(t *testing.T) {
	var nilError *tool.Error
	var nilMap map[string]int
	const (
		head = "`fake` crashed: "
		tail = `. That is a fault in the tool, and what it did before is unknown: ` +
			`check, then try another way instead of sending the same call again.`
	)
	for _, c := range []struct {
		name string
		run  func() (tool.Result, error)
		want string // what it says of the crash
		at   string // a function on its stack
	}{
		{"a panic", func() (tool.Result, error) { panic("boom") }, "boom", "TestCrash"},
		{"a panic with an error", func() (tool.Result, error) { panic(errors.New("bad state")) }, "bad state", "TestCrash"},
		{"a panic with nil", func() (tool.Result, error) { panic(nil) }, "panic called with nil argument", "TestCrash"},
		{"a panic of the runtime", func() (tool.Result, error) { nilMap["a"] = 1; return tool.Result{}, nil }, "assignment to entry in nil map", "TestCrash"},
		{"the end of the goroutine", func() (tool.Result, error) { runtime.Goexit(); return tool.Result{}, nil }, "it ended without an answer", "TestCrash"},
		{"a nil *Error", func() (tool.Result, error) { return tool.Result{}, nilError }, "runtime error: invalid memory address or nil pointer dereference", "tool.Failure"},
		{"an error that panics", func() (tool.Result, error) { return tool.Result{}, nasty{} }, "runtime error: invalid memory address or nil pointer dereference", "nasty.Error"},
		{"a huge value", func() (tool.Result, error) { panic(strings.Repeat("ä", 1<<20)) }, strings.Repeat("ä", 250) + "…", "TestCrash"},
		{"a value that is no text", func() (tool.Result, error) { panic("a\x00\xff") }, "a\uFFFD\uFFFD", "TestCrash"},
	} {
		t.Run(c.name, func(t *testing.T) {
			each(t, func(t *testing.T, newExecutor tool.NewExecutor) {
				var finished []message.ToolResult
				x := newExecutor(t.Context(), tool.Env{Finished: func(r message.ToolResult) { finished = append(finished, r) }})
				x.Submit(job("a", unsafe, func(context.Context, tool.Call) (tool.Result, error) { return c.run() }))
				x.Submit(job("b", unsafe, ok(0)))
				results := x.Wait()
				if diff := cmp.Diff([]string{"a panic", "b ok"}, statuses(results)); diff != "" {
					t.Fatalf("results (-want +got):\n%s", diff)
				}
				if diff := cmp.Diff(results, finished); diff != "" {
					t.Errorf("finished (-results +finished):\n%s", diff)
				}
				text, stack, _ := strings.Cut(results[0].Text, "\n")
				if want := head + c.want + tail; text != want {
					t.Errorf("got  %s\nwant %s", text, want)
				}
				checkStack(t, stack, c.at)
			})
		})
	}
}

// checkStack wants a few lines that lead to the fault, and no directories.
func checkStack(t *testing.T, stack, at string) {
	t.Helper()
	lines := strings.Split(stack, "\n")
	form := regexp.MustCompile(`^  [^ /]+ \([^ /]+\.go:\d+\)$`)
	for _, l := range lines {
		if !form.MatchString(l) {
			t.Errorf("stack line %q", l)
		}
	}
	if len(lines) > 8 || !strings.Contains(stack, at) {
		t.Errorf("stack:\n%s", stack)
	}
}

func TestDeepStackIsCut(t *testing.T) {
	var deep func(n int) (tool.Result, error)
	deep = func(n int) (tool.Result, error) {
		if n == 0 {
			panic("bottom")
		}
		return deep(n - 1)
	}
	x := tool.Streaming(t.Context(), tool.Env{})
	x.Submit(job("a", safe, func(context.Context, tool.Call) (tool.Result, error) { return deep(1000) }))
	text := x.Wait()[0].Text
	if n := strings.Count(text, "\n"); n != 8 || len(text) > 2000 {
		t.Errorf("%d lines of stack, %d bytes:\n%s", n, len(text), text)
	}
}
