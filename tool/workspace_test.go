package tool_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/tool"
)

// tree makes files (ending in content), directories (ending in "/") and links
// ("name -> target") below a new directory.
func tree(t *testing.T, entries ...string) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		name, target, isLink := strings.Cut(e, " -> ")
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		switch {
		case isLink:
			err = os.Symlink(strings.ReplaceAll(target, "ROOT", root), path)
		case strings.HasSuffix(name, "/"):
			err = os.MkdirAll(path, 0o755)
		default:
			err = os.WriteFile(path, []byte(name), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// B112, and its kind: where a path leads is decided by the links on the way,
// also when the file at the end does not exist yet.
func TestResolve(t *testing.T) {
	root := tree(t,
		"ws/main.go", "ws/sub/x.go", "neighbour/y", "outer/deep/",
		"ws/shared -> ../neighbour",
		"ws/inner -> sub",
		"ws/abs -> ROOT/neighbour",
		"ws/new -> ../neighbour/not-yet",
		"ws/new-inside -> sub/not-yet",
		"ws/chain1 -> chain2",
		"ws/chain2 -> sub/../chain3",
		"ws/chain3 -> ../neighbour/missing/deeper",
		"ws/loop1 -> loop2",
		"ws/loop2 -> loop1",
		"ws/self -> self/x",
		"ws/gone -> missing/../../neighbour/y",
		"ws/dots -> ./././sub//x.go",
		"ws/up -> ../../../../../../../../../../../../../..",
		"outer/deep/back -> ../top",
		"ws/viaouter -> ../outer/deep",
		"byname -> ws",
	)
	ws, err := tool.NewWorkspace(filepath.Join(root, "byname"))
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name, path, want string // want below root; "" means an error
		inside           bool
	}{
		{"a plain file", "main.go", "ws/main.go", true},
		{"a file that does not exist", "a/b/c.go", "ws/a/b/c.go", true},
		{"an absolute path by the name of a link", filepath.Join(root, "byname/sub/x.go"), "ws/sub/x.go", true},
		{"dots are taken from the text", "sub/../main.go", "ws/main.go", true},
		{"dots out of the workspace", "../neighbour/y", "neighbour/y", false},
		{"a linked directory outside", "shared/y", "neighbour/y", false},
		{"a new file in a linked directory outside", "shared/n/new", "neighbour/n/new", false},
		{"an absolute link", "abs/y", "neighbour/y", false},
		{"a linked directory inside", "inner/x.go", "ws/sub/x.go", true},
		{"a link to a missing file outside", "new", "neighbour/not-yet", false},
		{"a link to a missing file inside", "new-inside", "ws/sub/not-yet", true},
		{"a chain to a missing file outside", "chain1", "neighbour/missing/deeper", false},
		{"below a dangling link", "new/below", "neighbour/not-yet/below", false},
		{"a target that goes up from what is missing", "gone", "neighbour/y", false},
		{"a target with idle dots", "dots", "ws/sub/x.go", true},
		{"a link's dots start where the link is", "viaouter/back", "outer/top", false},
		{"two links in a circle", "loop1", "", false},
		{"a link below itself", "self", "", false},
		{"a file used as a directory", "main.go/x", "", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := ws.Resolve(tc.path)
			if tc.want == "" {
				if err == nil {
					t.Fatalf("Resolve(%s) = %s, want an error", tc.path, got)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if want := filepath.Join(root, tc.want); got != want {
				t.Errorf("Resolve(%s) = %s, want %s", tc.path, got, want)
			}
			if ws.Contains(got) != tc.inside {
				t.Errorf("Contains(%s) = %v, want %v", got, !tc.inside, tc.inside)
			}
		})
	}
	if got, err := ws.Resolve("up"); err != nil || got != "/" {
		t.Errorf("a link above the root: %q, %v", got, err)
	}
}

// What exists resolves as the standard library says.
func TestResolveAgreesWithEvalSymlinks(t *testing.T) {
	root := tree(t, "a/b/c/f", "a/l -> b/c", "a/b/m -> ../l/f", "n -> a/b/m", "o -> ROOT/n", "a/b/c/up -> ../../..")
	ws, err := tool.NewWorkspace(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{".", "a", "a/l", "a/l/f", "a/b/m", "n", "o", "a/b/c/up", "a/l/up/o"} {
		want, err := filepath.EvalSymlinks(filepath.Join(root, p))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := ws.Resolve(p); err != nil || got != want {
			t.Errorf("Resolve(%s) = %q, %v; want %q", p, got, err, want)
		}
	}
}

func TestContains(t *testing.T) {
	root := tree(t, "ws/", "ws2/", "more/")
	ws, err := tool.NewWorkspace(filepath.Join(root, "ws"), filepath.Join(root, "more"))
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{
		"ws": true, "ws/a": true, "ws2": false, "ws2/a": false, "more/x": true, "": false, "mor": false,
	} {
		if got := ws.Contains(filepath.Join(root, path)); got != want {
			t.Errorf("Contains(%s) = %v", path, got)
		}
	}
}

func TestRel(t *testing.T) {
	root := tree(t, "ws/sub/", "neighbour/")
	ws, err := tool.NewWorkspace(filepath.Join(root, "ws"))
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(root, "neighbour/x")
	for path, want := range map[string]string{
		filepath.Join(root, "ws/sub/a"):   "sub/a",
		filepath.Join(root, "ws"):         ".",
		filepath.Join(root, "ws/..a/b"):   "..a/b",
		filepath.Join(root, "ws/...conf"): "...conf",
		out:                               out,
		root:                              root,
	} {
		if got := ws.Rel(path); got != want {
			t.Errorf("Rel(%s) = %q, want %q", path, got, want)
		}
	}
}

func TestRelativePathsFollowTheWorkingDirectory(t *testing.T) {
	root := tree(t, "ws/sub/a")
	ws, err := tool.NewWorkspace(filepath.Join(root, "ws"))
	if err != nil {
		t.Fatal(err)
	}
	ws.SetDir(filepath.Join(root, "ws/sub"))
	if got, err := ws.Resolve("a"); err != nil || got != filepath.Join(root, "ws/sub/a") {
		t.Errorf("Resolve(a) = %q, %v", got, err)
	}
	for _, path := range []string{"a", ".", filepath.Join(root, "ws/b")} {
		abs, err := ws.Resolve(path)
		if got := ws.Short(abs); err != nil || got != path {
			t.Errorf("Short(%s) = %s, want %s", abs, got, path)
		}
	}
	if ws.Root() != filepath.Join(root, "ws") {
		t.Errorf("the root moved to %s", ws.Root())
	}
}

func TestHomeIsWhereTheTildePoints(t *testing.T) {
	root := tree(t, "ws/", "home/notes")
	t.Setenv("HOME", filepath.Join(root, "home"))
	ws, err := tool.NewWorkspace(filepath.Join(root, "ws"))
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{"~/notes": "home/notes", "~notes": "ws/~notes", "./~/notes": "ws/~/notes"} {
		if got, err := ws.Resolve(path); err != nil || got != filepath.Join(root, want) {
			t.Errorf("Resolve(%s) = %q, %v; want %s", path, got, err, want)
		}
	}
}

func TestSeen(t *testing.T) {
	ws, err := tool.NewWorkspace(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	ws.Note(message.FileVersion{Path: "/a", Hash: "1", Action: "read"}, message.FileVersion{Path: "/b", Hash: "2", Action: "created"})
	ws.Note(message.FileVersion{Path: "/a", Hash: "3", Before: "1", Action: "changed"}, message.FileVersion{Path: "/b", Action: "deleted"})
	if h, ok := ws.Seen("/a"); h != "3" || !ok {
		t.Errorf("Seen(/a) = %q, %v", h, ok)
	}
	if h, ok := ws.Seen("/b"); h != "" || ok {
		t.Errorf("Seen(/b) = %q, %v; it was deleted", h, ok)
	}
}
