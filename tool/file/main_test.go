package file_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/tool"
	"github.com/daruma-dev/daruma/tool/file"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// world is a workspace with the three tools.
type world struct {
	t    *testing.T
	root string
	ws   *tool.Workspace
}

func newWorld(t *testing.T) *world {
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
	return &world{t, root, ws}
}

func (w *world) path(name string) string { return filepath.Join(w.root, name) }

func (w *world) put(name, content string) string {
	w.t.Helper()
	path := w.path(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		w.t.Fatal(err)
	}
	return path
}

func (w *world) get(name string) string {
	w.t.Helper()
	b, err := os.ReadFile(w.path(name))
	if err != nil {
		w.t.Fatal(err)
	}
	return string(b)
}

// want checks a file's bytes.
func (w *world) want(name, content string) {
	w.t.Helper()
	if got := w.get(name); got != content {
		w.t.Errorf("%s holds\n%.300q, want\n%.300q", name, got, content)
	}
}

// names lists everything below the root.
func (w *world) names() []string {
	var names []string
	_ = filepath.Walk(w.root, func(path string, _ os.FileInfo, _ error) error {
		if rel, _ := filepath.Rel(w.root, path); rel != "." {
			names = append(names, rel)
		}
		return nil
	})
	return names
}

type args map[string]any

func (w *world) run(t tool.Tool, in args) (tool.Result, error) {
	w.t.Helper()
	b, err := message.Marshal(in)
	if err != nil {
		w.t.Fatal(err)
	}
	return t.Run(context.Background(), tool.Call{ID: "1", Name: t.Spec().Name, Input: b, Progress: func(string) {}})
}

func (w *world) read(in args) (tool.Result, error) { w.t.Helper(); return w.run(file.Read(w.ws), in) }

func (w *world) write(in args) (tool.Result, error) { w.t.Helper(); return w.run(file.Write(w.ws), in) }

func (w *world) edit(in args) (tool.Result, error) { w.t.Helper(); return w.run(file.Edit(w.ws), in) }

// must is the result of a call that is expected to succeed.
func must(t *testing.T) func(tool.Result, error) tool.Result {
	return func(r tool.Result, err error) tool.Result {
		t.Helper()
		if err != nil {
			t.Fatalf("failed: %v", err)
		}
		return r
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
	if len(r.Files) > 0 {
		t.Errorf("a failed call reports %v", r.Files)
	}
}

func hash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

// accessor is a tool's Access, with its name and what it should say.
type accessor struct {
	name   string
	action tool.Action
	access func(args) (tool.Access, error)
}

func (w *world) tools() []accessor {
	var all []accessor
	for _, t := range []struct {
		tool   tool.Tool
		action tool.Action
	}{{file.Read(w.ws), tool.Read}, {file.Write(w.ws), tool.Write}, {file.Edit(w.ws), tool.Write}} {
		all = append(all, accessor{t.tool.Spec().Name, t.action, func(in args) (tool.Access, error) {
			b, err := message.Marshal(in)
			if err != nil {
				return tool.Access{}, err
			}
			return t.tool.(tool.Accessor).Access(b)
		}})
	}
	return all
}
