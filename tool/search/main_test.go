package search_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/tool"
	"github.com/daruma-dev/daruma/tool/search"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// world is a workspace with files; each is one second older than the one before
// it, so that results have an order.
type world struct {
	t    *testing.T
	root string
	ws   *tool.Workspace
	age  time.Duration
}

type file struct{ name, content string }

func newWorld(t *testing.T, files ...file) *world {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root = filepath.Join(root, "ws")
	if err := os.Mkdir(root, 0o755); err != nil {
		t.Fatal(err)
	}
	ws, err := tool.NewWorkspace(root)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, root: root, ws: ws}
	for _, f := range files {
		w.put(f.name, f.content)
	}
	return w
}

func (w *world) path(name string) string { return filepath.Join(w.root, name) }

func (w *world) put(name, content string) {
	w.t.Helper()
	if err := os.MkdirAll(filepath.Dir(w.path(name)), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(w.path(name), []byte(content), 0o644); err != nil {
		w.t.Fatal(err)
	}
	when := time.Now().Add(-w.age)
	if err := os.Chtimes(w.path(name), when, when); err != nil {
		w.t.Fatal(err)
	}
	w.age += time.Second
}

func (w *world) link(name, target string) {
	w.t.Helper()
	if err := os.Symlink(target, w.path(name)); err != nil {
		w.t.Fatal(err)
	}
}

type args map[string]any

func run(t tool.Tool, in args) (tool.Result, error) {
	b, err := message.Marshal(in)
	if err != nil {
		return tool.Result{}, err
	}
	return t.Run(context.Background(), tool.Call{ID: "1", Name: t.Spec().Name, Input: b, Progress: func(string) {}})
}

func (w *world) grep(in args) (tool.Result, error) { return run(search.Grep(w.ws), in) }
func (w *world) glob(in args) (tool.Result, error) { return run(search.Glob(w.ws), in) }

// must is the text of a call that is expected to succeed.
func must(t *testing.T) func(tool.Result, error) string {
	return func(r tool.Result, err error) string {
		t.Helper()
		if err != nil {
			t.Fatalf("failed: %v", err)
		}
		return r.Text
	}
}

// refused checks that a call failed with an answer that says all of that.
func refused(t *testing.T, r tool.Result, err error, says ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("succeeded with %q, want a refusal", r.Text)
	}
	for _, s := range says {
		if !strings.Contains(err.Error(), s) {
			t.Errorf("the answer does not say %q:\n%s", s, err)
		}
	}
}

func access(t *testing.T, tl tool.Tool, in args) tool.Access {
	t.Helper()
	b, err := message.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	a, err := tl.(tool.Accessor).Access(b)
	if err != nil {
		t.Fatal(err)
	}
	return a
}
