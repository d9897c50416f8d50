package search_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestGlob(t *testing.T) {
	files := []file{
		{"main.go", ""},
		{"cmd/tool/main.go", ""},
		{"cmd/tool/main_test.go", ""},
		{"web/app.ts", ""},
		{"web/app.tsx", ""},
		{"web/pages/[id]/page.tsx", ""},
		{".github/ci.yml", ""},
		{"dist/app.js", ""},
		{"dist/deep/lib.js", ""},
		{"build.log", ""},
		{".gitignore", "dist/\n*.log\n"},
	}
	for _, tc := range []struct {
		name string
		in   args
		want string
	}{
		{"a name at any depth", args{"pattern": "main.go"}, "main.go\ncmd/tool/main.go\n"},
		{"an ending at any depth", args{"pattern": "*.go"}, "main.go\ncmd/tool/main.go\ncmd/tool/main_test.go\n"},
		{"two stars", args{"pattern": "**/*.go"}, "main.go\ncmd/tool/main.go\ncmd/tool/main_test.go\n"},
		{"two stars in the middle", args{"pattern": "cmd/**/*_test.go"}, "cmd/tool/main_test.go\n"},
		{"a star is one directory", args{"pattern": "*/*.ts"}, "web/app.ts\n"},
		{"from where the search starts", args{"pattern": "./*.go"}, "main.go\n"},
		{"alternatives", args{"pattern": "web/*.{ts,tsx}"}, "web/app.ts\nweb/app.tsx\n"},
		{"a class", args{"pattern": "web/app.t[rs]"}, "web/app.ts\n"},
		{"a path", args{"pattern": "*.go", "path": "cmd"}, "cmd/tool/main.go\ncmd/tool/main_test.go\n"},
		{"dots", args{"pattern": "../web/*.ts", "path": "cmd"}, "web/app.ts\n"},
		{"hidden files", args{"pattern": "**/*.yml"}, ".github/ci.yml\n"},
		{"a directory stands for its files", args{"pattern": "cmd"}, "cmd/tool/main.go\ncmd/tool/main_test.go\n"},
		{"a directory with a slash", args{"pattern": "cmd/"}, "cmd/tool/main.go\ncmd/tool/main_test.go\n"},
		{"brackets in a directory's name", args{"pattern": "web/pages/[id]/*.tsx"}, "web/pages/[id]/page.tsx\n"},
		{"brackets in a path", args{"pattern": "web/pages/[id]/page.tsx"}, "web/pages/[id]/page.tsx\n"},

		// B079
		{"an ignored file that is named", args{"pattern": "dist/app.js"}, "dist/app.js\n"},
		{"an ignored name", args{"pattern": "build.log"}, "build.log\n"},
		{"below an ignored directory that is named", args{"pattern": "dist/**"}, "dist/app.js\ndist/deep/lib.js\n"},
		{"an ignored path", args{"pattern": "*.js", "path": "dist"}, "dist/app.js\ndist/deep/lib.js\n"},
		{"ignored files are counted", args{"pattern": "**/*.js"}, "No file below . matches \"**/*.js\".\n[Left out, because .gitignore or the like ignores them: 2 matching files. To list them, set include_ignored.]"},
		{"one ignored file", args{"pattern": "*.log"}, "No file below . matches \"*.log\".\n[Left out, because .gitignore or the like ignores them: 1 matching file. To list them, set include_ignored.]"},
		{"ignored files when asked", args{"pattern": "**/*.js", "include_ignored": true}, "dist/app.js\ndist/deep/lib.js\n"},

		{"nothing", args{"pattern": "*.rs"}, "No file below . matches \"*.rs\"."},
		{"a limit", args{"pattern": "*.go", "limit": 2}, "main.go\ncmd/tool/main.go\n\n[These are 2 of 3 files, those changed last first. For the others, make the pattern narrower or raise limit.]"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(t, files...)
			if d := cmp.Diff(tc.want, must(t)(w.glob(tc.in))); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

func TestGlobByAbsolutePath(t *testing.T) {
	w := newWorld(t, file{"a/x.go", ""}, file{"a/b/y.go", ""})
	if got := must(t)(w.glob(args{"pattern": w.path("a/**/*.go")})); got != "a/x.go\na/b/y.go\n" {
		t.Errorf("got %q", got)
	}
	if got := must(t)(w.glob(args{"pattern": w.path("a/*.go"), "path": "b"})); got != "a/x.go\n" {
		t.Errorf("got %q", got)
	}
}

func TestGlobOfLinks(t *testing.T) {
	w := newWorld(t, file{"real", ""}, file{"dir/x", ""})
	w.link("to-file", "real")
	w.link("to-dir", "dir")
	w.link("to-nothing", "gone")
	got := must(t)(w.glob(args{"pattern": "to-*"}))
	if !strings.Contains(got, "to-file\n") || !strings.Contains(got, "to-nothing\n") || strings.Contains(got, "to-dir") {
		t.Errorf("got %q", got)
	}
}

// The ignored files are counted only so far.
func TestGlobOfVeryManyIgnoredFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("makes 21,000 files")
	}
	w := newWorld(t, file{".gitignore", "node_modules/\n"}, file{"a.js", ""})
	for i := range 21_000 {
		w.put(fmt.Sprintf("node_modules/d%d/f%d.js", i%20, i), "")
	}
	got := must(t)(w.glob(args{"pattern": "*.js"}))
	if !strings.HasPrefix(got, "a.js\n\n[Left out, because .gitignore or the like ignores them: at least ") || !strings.Contains(got, " matching files") {
		t.Errorf("got %q", got)
	}
}

func TestGlobRefuses(t *testing.T) {
	w := newWorld(t, file{"src/main.go", "x"})
	for _, tc := range []struct {
		name string
		in   args
		says []string
	}{
		{"no pattern", args{"pattern": ""}, []string{"pattern is empty"}},
		{"a bad pattern", args{"pattern": "src/{a"}, []string{"is not valid"}},
		{"a missing path", args{"pattern": "*", "path": "scr"}, []string{"does not exist", "src"}},
		{"a missing directory in the pattern", args{"pattern": "scr/*.go"}, []string{"does not exist", "src"}},
		{"a file as path", args{"pattern": "*", "path": "src/main.go"}, []string{"is a file", "directory"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r, err := w.glob(tc.in)
			refused(t, r, err, tc.says...)
		})
	}
}
