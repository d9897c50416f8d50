package walk_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/boyter/gocodewalker"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/daruma-dev/daruma/internal/unprivileged"
	"github.com/daruma-dev/daruma/internal/walk"
)

// files makes files of names and contents below dir; a name that ends in a slash
// is a directory.
func files(t interface{ Fatal(...any) }, dir string, tree map[string]string) {
	for name, content := range tree {
		path := filepath.Join(dir, name)
		if strings.HasSuffix(name, "/") {
			if err := os.MkdirAll(path, 0o755); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// found lists the paths of a walk in order: directories with a slash after them,
// ignored ones with "!" before.
func found(t interface{ Fatal(...any) }, root string, opt walk.Options) []string {
	var mu sync.Mutex
	var paths []string
	_, err := walk.Walk(context.Background(), root, opt, func() func(walk.Entry) {
		return func(e walk.Entry) {
			p := e.Path
			if e.Type.IsDir() {
				p += "/"
			}
			if e.Ignored {
				p = "!" + p
			}
			mu.Lock()
			defer mu.Unlock()
			paths = append(paths, p)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(paths)
	return paths
}

func tempDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestWalk(t *testing.T) {
	for _, tc := range []struct {
		name string
		tree map[string]string
		at   string // root of the walk
		opt  walk.Options
		want []string
	}{
		{"empty", nil, "", walk.Options{}, nil},
		{
			"hidden files are there and .git is not",
			map[string]string{".git/HEAD": "", ".github/x.yml": "", ".env": "", "a": "", "sub/.git": "gitdir: x"},
			"",
			walk.Options{},
			[]string{".env", ".github/", ".github/x.yml", "a", "sub/"},
		},
		{
			"ignored ones are told once",
			map[string]string{".git/": "", ".gitignore": "dist/\n*.log\n", "dist/a/b.js": "", "x.log": "", "a": ""},
			"",
			walk.Options{},
			[]string{"!dist/", "!x.log", ".gitignore", "a"},
		},
		{
			"all",
			map[string]string{".git/": "", ".gitignore": "dist/\n*.log\n", "dist/a/b.js": "", "x.log": ""},
			"",
			walk.Options{All: true},
			[]string{".gitignore", "dist/", "dist/a/", "dist/a/b.js", "x.log"},
		},
		{
			"without a repository",
			map[string]string{".gitignore": "*.log", "x.log": "", "a": ""},
			"",
			walk.Options{},
			[]string{"!x.log", ".gitignore", "a"},
		},
		{
			"rules from above the root",
			map[string]string{".git/": "", ".gitignore": "*.log\n/sub/x\n", "sub/deep/x.log": "", "sub/x": "", "sub/deep/a": ""},
			"sub",
			walk.Options{},
			[]string{"!x", "deep/", "deep/a", "!deep/x.log"},
		},
		{
			"an ignored root is walked all the same",
			map[string]string{".git/": "", ".gitignore": "dist/\n*.log\n", "dist/a.js": "", "dist/x.log": ""},
			"dist",
			walk.Options{},
			[]string{"!x.log", "a.js"},
		},
		{
			"a .ignore goes before",
			map[string]string{".git/": "", ".gitignore": "*.log\n", ".ignore": "!keep.log\nsecret\n", "keep.log": "", "x.log": "", "secret": ""},
			"",
			walk.Options{},
			[]string{"!secret", "!x.log", ".gitignore", ".ignore", "keep.log"},
		},
		{
			"a .ignore above goes before a .gitignore below",
			map[string]string{".git/": "", ".ignore": "!a\n", "s/.gitignore": "a\n", "s/a": ""},
			"",
			walk.Options{},
			[]string{".ignore", "s/", "s/.gitignore", "s/a"},
		},
		{
			"the repository's own rules come last",
			map[string]string{".git/info/exclude": "*.tmp\n*.bak\n", ".gitignore": "!keep.bak\n", "x.tmp": "", "keep.bak": "", "y.bak": ""},
			"",
			walk.Options{},
			[]string{"!x.tmp", "!y.bak", ".gitignore", "keep.bak"},
		},
		{
			"a linked working tree",
			map[string]string{"main/.git/info/exclude": "*.tmp\n", "main/.git/worktrees/w/commondir": "../..\n", "w/.git": "gitdir: ../main/.git/worktrees/w\n", "w/x.tmp": "", "w/a": ""},
			"w",
			walk.Options{},
			[]string{"!x.tmp", "a"},
		},
		{
			"a repository inside has its own rules",
			map[string]string{".git/": "", ".gitignore": "*.log\n", "mod/.git/": "", "mod/.gitignore": "*.o\n", "mod/x.log": "", "mod/y.o": ""},
			"",
			walk.Options{},
			[]string{"!mod/y.o", ".gitignore", "mod/", "mod/.gitignore", "mod/x.log"},
		},
		{
			"a rule file with a mark, CRLF and no end",
			map[string]string{".git/": "", ".gitignore": "\xef\xbb\xbf*.log\r\n# comment\r\n\r\n!keep.log", "x.log": "", "keep.log": ""},
			"",
			walk.Options{},
			[]string{"!x.log", ".gitignore", "keep.log"},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := tempDir(t)
			files(t, dir, tc.tree)
			got := found(t, filepath.Join(dir, tc.at), tc.opt)
			slices.Sort(tc.want)
			if d := cmp.Diff(tc.want, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

func TestRulesOfTheWorkspace(t *testing.T) {
	dir := tempDir(t)
	files(t, dir, map[string]string{"ws/.gitignore": "*.log\n", "ws/sub/x.log": "", "ws/sub/a": "", ".gitignore": "a\n"})
	got := found(t, filepath.Join(dir, "ws/sub"), walk.Options{Top: filepath.Join(dir, "ws")})
	if d := cmp.Diff([]string{"!x.log", "a"}, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	got = found(t, filepath.Join(dir, "ws/sub"), walk.Options{Top: filepath.Join(dir, "elsewhere")})
	if d := cmp.Diff([]string{"a", "x.log"}, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// B112: links are seen and not followed, also where they lead to a circle.
func TestLinksAreNotFollowed(t *testing.T) {
	dir := tempDir(t)
	files(t, dir, map[string]string{"out/secret": "", "ws/in/a": ""})
	for link, target := range map[string]string{"ws/out": "../out", "ws/circle": ".", "ws/file": "in/a", "ws/dead": "nowhere"} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"circle", "dead", "file", "in/", "in/a", "out"}
	if d := cmp.Diff(want, found(t, filepath.Join(dir, "ws"), walk.Options{})); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestManyFiles(t *testing.T) {
	dir := tempDir(t)
	tree := map[string]string{}
	var want []string
	for i := range 1000 {
		for _, name := range []string{fmt.Sprintf("f%04d", i), fmt.Sprintf("d%02d/e%d/f%d", i%100, i%7, i)} {
			tree[name] = ""
			want = append(want, name)
		}
	}
	files(t, dir, tree)
	slices.Sort(want)
	got := slices.DeleteFunc(found(t, dir, walk.Options{}), func(p string) bool { return strings.HasSuffix(p, "/") })
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestWalkEndsWithItsContext(t *testing.T) {
	dir := tempDir(t)
	files(t, dir, map[string]string{"a/b/c/d": "", "a/x": ""})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := walk.Walk(ctx, dir, walk.Options{}, func() func(walk.Entry) {
		return func(e walk.Entry) { t.Errorf("visited %s", e.Path) }
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v", err)
	}
}

func TestWalkOfWhatIsNoDirectory(t *testing.T) {
	dir := tempDir(t)
	files(t, dir, map[string]string{"f": ""})
	for _, name := range []string{"f", "missing"} {
		if _, err := walk.Walk(context.Background(), filepath.Join(dir, name), walk.Options{}, func() func(walk.Entry) {
			return func(walk.Entry) {}
		}); err == nil {
			t.Errorf("%s was walked", name)
		}
	}
}

// A directory that may not be read is told of, and the rest is walked.
func TestClosedDirectory(t *testing.T) {
	unprivileged.Run(t, func(t *testing.T) {
		dir := tempDir(t)
		files(t, dir, map[string]string{"open/a": "", "closed/b": ""})
		if err := os.Chmod(filepath.Join(dir, "closed"), 0); err != nil {
			t.Fatal(err)
		}
		defer os.Chmod(filepath.Join(dir, "closed"), 0o755)
		var mu sync.Mutex
		var seen []string
		errs, err := walk.Walk(context.Background(), dir, walk.Options{}, func() func(walk.Entry) {
			return func(e walk.Entry) {
				mu.Lock()
				defer mu.Unlock()
				seen = append(seen, e.Path)
			}
		})
		slices.Sort(seen)
		if d := cmp.Diff([]string{"closed", "open", "open/a"}, seen); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
		if err != nil || errs.Count != 1 || len(errs.First) != 1 || !errors.Is(errs.First[0], fs.ErrPermission) {
			t.Errorf("%+v, %v", errs, err)
		}
	})
}

// git is the list of files that git sees in a repository.
func git(t interface{ Fatal(...any) }, dir string) []string {
	run := func(args ...string) string {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=/nonexistent", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1"}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatal(fmt.Errorf("git %v: %w\n%s", args, err, out))
		}
		return string(out)
	}
	list := strings.Split(strings.TrimSuffix(run("ls-files", "-co", "--exclude-standard", "-z"), "\x00"), "\x00")
	if list[0] == "" {
		list = nil
	}
	slices.Sort(list)
	return list
}

// visible is what a walk finds but for directories and what is ignored.
func visible(t interface{ Fatal(...any) }, dir string) []string {
	return slices.DeleteFunc(found(t, dir, walk.Options{}), func(p string) bool {
		return strings.HasSuffix(p, "/") || strings.HasPrefix(p, "!")
	})
}

// The words that patterns and names are made of: few, so that they meet.
var (
	names = rapid.SampledFrom([]string{"a", "b", "ab", "a.o", "b.o", "x y", "[a]", "a*", ".a", "é", "#a", "#", `\`, "a ", "-", "lib"})
	parts = rapid.SampledFrom([]string{
		"a", "b", "ab", "*", "*.o", "?", "**", "a*", "*b", "[ab]", "[!a]", "[a-c]", "[^b]*", "x y", `\a`, `a\*`, "[[:alpha:]]", "[[:punct:]]*",
		"[a", "[]]", "***", ".a", "é", "lib", `\#a`, "a**b", "[]a]", `[\]a]`, "-", `\`,
	})
)

func drawPattern(t *rapid.T) string {
	p := strings.Join(rapid.SliceOfN(parts, 1, 3).Draw(t, "parts"), "/")
	return rapid.SampledFrom([]string{"", "", "", "!", "!", "/", "**/", "!/", " ", "#", `\!`}).Draw(t, "before") + p +
		rapid.SampledFrom([]string{"", "", "", "", "/", "/**", " ", `\ `, "//", "/*"}).Draw(t, "after")
}

// What is found is what git lists, for any tree and any rules.
func TestAgreesWithGit(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("needs git")
	}
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp("", "walk")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		if dir, err = filepath.EvalSymlinks(dir); err != nil {
			t.Fatal(err)
		}
		drawTree(t, dir, 3)
		exclude := strings.Join(rapid.SliceOfN(rapid.Custom(drawPattern), 0, 2).Draw(t, "exclude"), "\n")
		files(t, dir, map[string]string{ // an empty repository
			".git/HEAD": "ref: refs/heads/main\n", ".git/objects/": "", ".git/refs/": "", ".git/info/exclude": exclude,
		})
		if d := cmp.Diff(git(t, dir), visible(t, dir), cmpopts.EquateEmpty()); d != "" {
			t.Errorf("git's files and ours (-git +ours):\n%s", d)
		}
	})
}

func drawTree(t *rapid.T, dir string, depth int) {
	tree := map[string]string{}
	for _, name := range rapid.SliceOfNDistinct(names, 1, 5, rapid.ID).Draw(t, "names") {
		if depth > 0 && rapid.Bool().Draw(t, "is a directory") {
			if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
				t.Fatal(err)
			}
			drawTree(t, filepath.Join(dir, name), depth-1)
		} else {
			tree[name] = ""
		}
	}
	if rules := rapid.SliceOfN(rapid.Custom(drawPattern), 0, 3).Draw(t, "rules"); len(rules) > 0 {
		tree[".gitignore"] = strings.Join(rules, rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "line end"))
	}
	files(t, dir, tree)
}

// A second opinion on one tree of the usual kind.
func TestAgreesWithGocodewalker(t *testing.T) {
	dir := tempDir(t)
	files(t, dir, map[string]string{
		".git/HEAD": "", ".gitignore": "node_modules/\n/build\n*.log\n!keep.log\ndocs/**/*.pdf\n", "main.go": "", "x.log": "", "keep.log": "",
		"build/out": "", "sub/build/in": "", "node_modules/a/b.js": "", "docs/a/b/c.pdf": "", "docs/a/b/c.md": "",
		"sub/.gitignore": "*.tmp\n!/important.tmp\n", "sub/a.tmp": "", "sub/important.tmp": "", "sub/deep/important.tmp": "",
	})
	queue := make(chan *gocodewalker.File, 100)
	w := gocodewalker.NewFileWalker(dir, queue)
	w.IncludeHidden = true
	w.ExcludeDirectory = []string{".git"}
	var theirs []string
	var wg sync.WaitGroup
	wg.Go(func() {
		for f := range queue {
			rel, err := filepath.Rel(dir, f.Location)
			if err != nil {
				t.Error(err)
			}
			theirs = append(theirs, rel)
		}
	})
	if err := w.Start(); err != nil {
		t.Fatal(err)
	}
	wg.Wait()
	slices.Sort(theirs)
	if d := cmp.Diff(theirs, visible(t, dir)); d != "" {
		t.Errorf("(-gocodewalker +ours):\n%s", d)
	}
}
