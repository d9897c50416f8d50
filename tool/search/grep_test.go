//go:build unix

package search_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/daruma-dev/daruma/internal/unprivileged"
	"github.com/daruma-dev/daruma/tool"
	"github.com/daruma-dev/daruma/tool/search"
)

var project = []file{
	{"main.go", "package main\n\nfunc main() {\n\trun()\n}\n"},
	{"run.go", "package main\n\n// run runs.\nfunc run() {}\n"},
	{"web/app.ts", "export function run() {}\r\nconst x = 1;\r\n"},
	{"web/app.d.tsx", "run\n"},
	{".github/ci.yml", "run: go test\n"},
	{"dist/app.js", "function run(){}\n"},
	{".gitignore", "dist/\n"},
}

func TestGrep(t *testing.T) {
	for _, tc := range []struct {
		name string
		in   args
		want string
	}{
		{
			"files changed last first",
			args{"pattern": `run\(`},
			"main.go\n4:\trun()\n\nrun.go\n4:func run() {}\n\nweb/app.ts\n1:export function run() {}\n",
		},
		{"a glob", args{"pattern": "run", "glob": "*.ts"}, "web/app.ts\n1:export function run() {}\n"},
		{"a glob with alternatives", args{"pattern": "run", "glob": "*.{ts,tsx}"}, "web/app.ts\n1:export function run() {}\n\nweb/app.d.tsx\n1:run\n"},
		{"a glob for the path", args{"pattern": "run", "glob": "web/**/*.tsx"}, "web/app.d.tsx\n1:run\n"},
		{"a glob that excludes", args{"pattern": `run\(`, "glob": "!*.go"}, "web/app.ts\n1:export function run() {}\n"},
		{"a type", args{"pattern": "run", "type": "ts"}, "web/app.ts\n1:export function run() {}\n\nweb/app.d.tsx\n1:run\n"},
		{"a type and a glob", args{"pattern": "run", "type": "ts", "glob": "*.d.*"}, "web/app.d.tsx\n1:run\n"},
		{"an ending as a type", args{"pattern": "run", "type": "yml"}, ".github/ci.yml\n1:run: go test\n"},
		{"a directory", args{"pattern": "run", "path": "web", "glob": "*.tsx"}, "web/app.d.tsx\n1:run\n"},
		{"a file", args{"pattern": "run", "path": "run.go"}, "run.go\n3:// run runs.\n4:func run() {}\n"},
		{"B079: an ignored file that is named", args{"pattern": "run", "path": "dist/app.js"}, "dist/app.js\n1:function run(){}\n"},
		{"an ignored directory that is named", args{"pattern": "run", "path": "dist"}, "dist/app.js\n1:function run(){}\n"},
		{"ignored files when asked", args{"pattern": `function run`, "include_ignored": true}, "web/app.ts\n1:export function run() {}\n\ndist/app.js\n1:function run(){}\n"},
		{"any case", args{"pattern": "PACKAGE", "ignore_case": true, "mode": "files"}, "main.go\nrun.go\n"},
		{"the end of a CRLF line", args{"pattern": "1;$"}, "web/app.ts\n2:const x = 1;\n"},
		{"context", args{"pattern": "func", "context": 1, "type": "go"}, "main.go\n2-\n3:func main() {\n4-\trun()\n\nrun.go\n3-// run runs.\n4:func run() {}\n"},
		{"files", args{"pattern": "run", "mode": "files", "type": "go"}, "main.go\nrun.go\n"},
		{"count", args{"pattern": "run", "mode": "count", "type": "go"}, "main.go: 1\nrun.go: 2\n"},
		{"over lines", args{"pattern": `main\n+func`, "multiline": true}, "main.go\n1:package main\n2:\n3:func main() {\n"},
		{"over lines with a dot", args{"pattern": `func main.*}`, "multiline": true, "type": "go"}, "main.go\n3:func main() {\n4:\trun()\n5:}\n"},
		{"numbers as text (B014)", args{"pattern": "func", "path": "run.go", "context": "1", "limit": "5"}, "run.go\n3-// run runs.\n4:func run() {}\n"},
		{"nothing", args{"pattern": "nowhere"}, "No line matches \"nowhere\" in the 6 files searched below .. Ignored files were not searched; to search them too, set include_ignored."},
		{"nothing in a file", args{"pattern": "nowhere", "path": "main.go"}, "No line matches \"nowhere\" in main.go."},
		{"no such files", args{"pattern": "run", "glob": "*.rs"}, "No line matches \"run\" in the 0 files searched below .. No file has the glob or type asked for; leave it out or change it."},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(t, project...)
			if d := cmp.Diff(tc.want, must(t)(w.grep(tc.in))); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

// The context of matches that are near each other is shown once, and places
// apart are parted.
func TestGrepContext(t *testing.T) {
	w := newWorld(t, file{"f", "1\nhit 2\n3\nhit 4\n5\n6\n7\n8\nhit 9\nhit 10\n11"})
	for context, want := range map[int]string{
		0: "f\n2:hit 2\n4:hit 4\n9:hit 9\n10:hit 10\n",
		1: "f\n1-1\n2:hit 2\n3-3\n4:hit 4\n5-5\n--\n8-8\n9:hit 9\n10:hit 10\n11-11\n",
		2: "f\n1-1\n2:hit 2\n3-3\n4:hit 4\n5-5\n6-6\n7-7\n8-8\n9:hit 9\n10:hit 10\n11-11\n",
	} {
		if d := cmp.Diff(want, must(t)(w.grep(args{"pattern": "hit", "context": context}))); d != "" {
			t.Errorf("context %d (-want +got):\n%s", context, d)
		}
	}
	want := "f\n1-1\n2:hit 2\n3-3\n\n[These are 1 of 4 matching lines, in 1 of 1 file. Those changed last come first. For the others, search for less (pattern, path, glob) or raise limit.]"
	if d := cmp.Diff(want, must(t)(w.grep(args{"pattern": "hit", "context": 1, "limit": 1}))); d != "" {
		t.Errorf("with a limit (-want +got):\n%s", d)
	}
}

func TestGrepIsBounded(t *testing.T) {
	var files []file
	for i := range 50 {
		files = append(files, file{fmt.Sprintf("f%02d", i), strings.Repeat("needle here\n", 30)})
	}
	w := newWorld(t, files...)
	got := must(t)(w.grep(args{"pattern": "needle"}))
	if n := strings.Count(got, "needle"); n != 200 {
		t.Errorf("%d lines are shown", n)
	}
	if !strings.HasPrefix(got, "f00\n1:") || !strings.Contains(got, "\nf06\n") || strings.Contains(got, "\nf07\n") ||
		!strings.Contains(got, "[These are 200 of 1500 matching lines, in 7 of 50 files.") {
		t.Errorf("got %.100q ... %q", got, got[len(got)-200:])
	}
	got = must(t)(w.grep(args{"pattern": "needle", "mode": "files", "limit": 3}))
	if !strings.HasPrefix(got, "f00\nf01\nf02\n\n[These are 3 of 50 files.") {
		t.Errorf("got %q", got)
	}
	got = must(t)(w.grep(args{"pattern": "needle", "mode": "count", "limit": 2}))
	if !strings.HasPrefix(got, "f00: 30\nf01: 30\n\n[These are 2 of 50 files.") {
		t.Errorf("got %q", got)
	}
	w.put("wide", strings.Repeat(strings.Repeat("é", 100)+" needle\n", 5000))
	got = must(t)(w.grep(args{"pattern": "needle", "limit": 5000}))
	if len(got) > tool.MaxResult || !strings.Contains(got, "of 6500 matching lines") {
		t.Errorf("%d bytes, ending in %q", len(got), got[len(got)-200:])
	}
}

// B076: a hit in a line of megabytes is shown with what is around it, and where
// to read on.
func TestGrepInALongLine(t *testing.T) {
	line := strings.Repeat("0123456789", 250_000) + "NEEDLE" + strings.Repeat("é", 250_000)
	w := newWorld(t, file{"min.js", line})
	got := must(t)(w.grep(args{"pattern": "NEEDLE"}))
	if len(got) > 1000 || !strings.Contains(got, "789NEEDLEéé") || !strings.HasPrefix(got, "min.js\n1:…") || !strings.HasSuffix(got, "é… [from character 2499881]\n") {
		t.Errorf("%d bytes: %q", len(got), got)
	}
	got = must(t)(w.grep(args{"pattern": "^0123"}))
	if len(got) > 1000 || !strings.HasPrefix(got, "min.js\n1:0123456789") || !strings.HasSuffix(got, "… [from character 1]\n") {
		t.Errorf("%d bytes: %q", len(got), got)
	}
}

func TestGrepOfOtherEncodings(t *testing.T) {
	w := newWorld(t,
		file{"utf16", "\xff\xfen\x00e\x00e\x00d\x00l\x00e\x00 \x00\xe9\x00\r\x00\n\x00"},
		file{"bom", "\xef\xbb\xbfneedle 1\n"},
		file{"latin1", "n\xe9edle needle\n"},
		file{"binary", "needle\x00\x01"},
		file{"late", strings.Repeat("text\n", 3000) + "needle\x00\n"},
	)
	want := "utf16\n1:needle é\n\nbom\n1:needle 1\n\nlatin1\n1:n\uFFFDedle needle\n\nlate\n3001:needle␀\n"
	if d := cmp.Diff(want, must(t)(w.grep(args{"pattern": "needle"}))); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if got := must(t)(w.grep(args{"pattern": "^needle", "mode": "files"})); got != "utf16\nbom\nlate\n" {
		t.Errorf("at the start of lines: %q", got)
	}
	r, err := w.grep(args{"pattern": "needle", "path": "binary"})
	refused(t, r, err, "is not text")
}

// B112: what is outside is reached by no link, and a path that leads there says
// so before anything is read.
func TestSearchesStayInside(t *testing.T) {
	w := newWorld(t, file{"a", "needle\n"}, file{"sub/b", "needle\n"})
	outside := filepath.Join(filepath.Dir(w.root), "neighbour")
	if err := os.Mkdir(outside, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(outside, "secret"), []byte("needle\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	w.link("shared", "../neighbour")
	w.link("secret", "../neighbour/secret")
	w.link("inner", "sub")
	w.link("circle", ".")
	if got := must(t)(w.grep(args{"pattern": "needle", "mode": "files"})); got != "a\nsub/b\n" {
		t.Errorf("grep found %q", got)
	}
	if got := must(t)(w.grep(args{"pattern": "needle", "mode": "files", "path": "inner"})); got != "sub/b\n" {
		t.Errorf("grep through a link inside found %q", got)
	}
	if got := must(t)(w.glob(args{"pattern": "inner/*"})); got != "sub/b\n" {
		t.Errorf("glob through a link inside found %q", got)
	}
	if got := must(t)(w.glob(args{"pattern": "**/secret"})); got != "secret\n" {
		t.Errorf("glob found %q", got) // the link itself, not what it leads to
	}
	for _, tc := range []struct {
		tool tool.Tool
		in   args
		want string
	}{
		{search.Grep(w.ws), args{"pattern": "x"}, w.root},
		{search.Grep(w.ws), args{"pattern": "x", "path": "shared"}, outside},
		{search.Grep(w.ws), args{"pattern": "x", "path": "secret"}, filepath.Join(outside, "secret")},
		{search.Glob(w.ws), args{"pattern": "*"}, w.root},
		{search.Glob(w.ws), args{"pattern": "*", "path": "shared"}, outside},
		{search.Glob(w.ws), args{"pattern": "shared/*"}, outside},
		{search.Glob(w.ws), args{"pattern": "shared"}, outside},
		{search.Glob(w.ws), args{"pattern": "../neighbour/**"}, outside},
		{search.Glob(w.ws), args{"pattern": outside + "/*"}, outside},
		{search.Glob(w.ws), args{"pattern": "sub/../*"}, w.root},
	} {
		a := access(t, tc.tool, tc.in)
		if want := (tool.Access{Action: tool.Read, Paths: []string{tc.want}}); !cmp.Equal(a, want) {
			t.Errorf("%s %v touches %+v, want %+v", tc.tool.Spec().Name, tc.in, a, want)
		}
	}
}

// A search must not read for the model what a rule keeps it from reading.
func TestGrepLeavesHiddenFilesOut(t *testing.T) {
	w := newWorld(t, file{"a.txt", "secret one\n"}, file{".env", "secret two\n"})
	w.ws.Hide(func(path string) bool { return filepath.Base(path) == ".env" })
	res, err := w.grep(args{"pattern": "secret"})
	if err != nil {
		t.Fatal(err)
	}
	got := res.Text
	if strings.Contains(got, "two") || !strings.Contains(got, "one") || !strings.Contains(got, "because a rule forbids reading: 1 file.") {
		t.Errorf("got %q", got)
	}
}

func TestGrepRefuses(t *testing.T) {
	w := newWorld(t, file{"main.go", "x"})
	if err := syscall.Mkfifo(w.path("pipe"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name string
		in   args
		says []string
	}{
		{"no pattern", args{"pattern": ""}, []string{"pattern is empty"}},
		{"a bad pattern", args{"pattern": "foo("}, []string{"the pattern is not valid", "backslash"}},
		{"look-around", args{"pattern": "(?!x)y"}, []string{"RE2", "no look-around"}},
		{"a line end", args{"pattern": `a\nb`}, []string{"multiline"}},
		{"a bad glob", args{"pattern": "x", "glob": "[a"}, []string{`the glob "[a" is not valid`}},
		{"an unknown mode", args{"pattern": "x", "mode": "lines"}, []string{"content, files or count"}},
		{"a missing path", args{"pattern": "x", "path": "mian.go"}, []string{"does not exist", "main.go"}},
		{"a path below a file", args{"pattern": "x", "path": "main.go/x"}, []string{"does not exist"}},
		{"a pipe", args{"pattern": "x", "path": "pipe"}, []string{"a named pipe (FIFO)"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r, err := w.grep(tc.in)
			refused(t, r, err, tc.says...)
		})
	}
	if got := must(t)(w.grep(args{"pattern": "x"})); got != "main.go\n1:x\n" { // a pipe in the tree is passed over
		t.Errorf("got %q", got)
	}
}

// What may not be read is told of, and the rest is searched.
func TestGrepWithoutPermission(t *testing.T) {
	unprivileged.Run(t, func(t *testing.T) {
		w := newWorld(t, file{"a", "needle\n"}, file{"secret", "needle\n"}, file{"closed/x", "needle\n"})
		for _, name := range []string{"secret", "closed"} {
			if err := os.Chmod(w.path(name), 0); err != nil {
				t.Fatal(err)
			}
		}
		defer os.Chmod(w.path("closed"), 0o755)
		got := must(t)(w.grep(args{"pattern": "needle"}))
		if !strings.HasPrefix(got, "a\n1:needle\n\n[Not searched, because it could not be read: ") ||
			!strings.Contains(got, "secret: permission denied") || !strings.Contains(got, "closed: permission denied") {
			t.Errorf("got %q", got)
		}
		if got := must(t)(w.glob(args{"pattern": "*"})); !strings.Contains(got, "closed: permission denied") {
			t.Errorf("got %q", got)
		}
		r, err := w.grep(args{"pattern": "needle", "path": "secret"})
		refused(t, r, err, "permission denied")
	})
}

// A file too large for the buffer is searched in pieces, and numbers its lines
// as others do.
func TestGrepInALargeFile(t *testing.T) {
	if testing.Short() {
		t.Skip("writes 40 MB")
	}
	filler := strings.Repeat("0123456789abcde\n", 1<<20) // 16 MB
	w := newWorld(t, file{"big.log", "needle first\n" + filler + "needle middle\n" + filler + "needle last"})
	want := "big.log\n1:needle first\n--\n1048578:needle middle\n--\n2097155:needle last\n" // without the context
	if d := cmp.Diff(want, must(t)(w.grep(args{"pattern": "needle", "context": 1}))); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if got := must(t)(w.grep(args{"pattern": "NEEDLE l", "mode": "count", "ignore_case": true})); got != "big.log: 1\n" {
		t.Errorf("got %q", got)
	}
	if got := must(t)(w.grep(args{"pattern": "needle", "multiline": true})); !strings.Contains(got, "larger than 16 MB: 1 file.") {
		t.Errorf("got %q", got)
	}
	w.put("line.json", strings.Repeat("x", 20<<20)+"needle"+strings.Repeat("y", 1000)+"\nneedle\n")
	want = "line.json\n1:…" + strings.Repeat("x", 120) + "needle" + strings.Repeat("y", 120) + "… [from character 20971401]\n2:needle\n"
	if d := cmp.Diff(want, must(t)(w.grep(args{"pattern": "needle", "path": "line.json"}))); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// A match over very many lines does not flood the result.
func TestGrepOfALongMatch(t *testing.T) {
	w := newWorld(t, file{"f", "begin\n" + strings.Repeat("x\n", 1000) + "end\nmore\n"})
	got := must(t)(w.grep(args{"pattern": "begin.*end", "multiline": true, "context": 1}))
	if !strings.HasPrefix(got, "f\n1:begin\n2:x\n") || !strings.HasSuffix(got, "\n40:x\n41:… the match goes on …\n--\n1003-more\n") {
		t.Errorf("got %q", got)
	}
}

// B114: titles have no control characters; the model's text keeps them.
func TestTitlesAreSafe(t *testing.T) {
	w := newWorld(t, file{"evil\x1b[2J\nname", "a \x1b[31mred\n"})
	r, err := w.grep(args{"pattern": "\x1b|red"})
	if want := "\"evil\\x1b[2J\\nname\"\n1:a \x1b[31mred\n"; err != nil || r.Text != want {
		t.Errorf("got %q, %v; want %q", r.Text, err, want)
	}
	if strings.ContainsAny(r.Title, "\x1b\n") {
		t.Errorf("title %q", r.Title)
	}
	r, err = w.glob(args{"pattern": "*\x1b*"})
	if want := "\"evil\\x1b[2J\\nname\"\n"; err != nil || r.Text != want || strings.ContainsAny(r.Title, "\x1b\n") {
		t.Errorf("got %q, title %q, %v", r.Text, r.Title, err)
	}
}

func TestTitles(t *testing.T) {
	w := newWorld(t, project...)
	for _, tc := range []struct {
		call func(args) (tool.Result, error)
		in   args
		want string
	}{
		{w.grep, args{"pattern": "run", "type": "go"}, `grep "run" (3 lines in 2 files)`},
		{w.grep, args{"pattern": "run", "mode": "files"}, `grep "run" (5 files)`},
		{w.grep, args{"pattern": "nowhere"}, `grep "nowhere" (0 files)`},
		{w.glob, args{"pattern": "*.go"}, `glob *.go (2 files)`},
	} {
		if r, err := tc.call(tc.in); err != nil || r.Title != tc.want {
			t.Errorf("title %q, %v; want %q", r.Title, err, tc.want)
		}
	}
}

// Paths are told from the working directory, so that they can be given back.
func TestPathsAreOfTheWorkingDirectory(t *testing.T) {
	w := newWorld(t, project...)
	w.ws.SetDir(w.path("web"))
	if got := must(t)(w.grep(args{"pattern": "function", "mode": "files"})); got != "app.ts\n" {
		t.Errorf("got %q", got)
	}
	if got := must(t)(w.grep(args{"pattern": "package", "mode": "files", "path": ".."})); got != w.path("main.go")+"\n"+w.path("run.go")+"\n" {
		t.Errorf("got %q", got)
	}
	if got := must(t)(w.glob(args{"pattern": "*.ts"})); got != "app.ts\n" {
		t.Errorf("got %q", got)
	}
}

func TestSearchIsCancelled(t *testing.T) {
	w := newWorld(t, project...)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, tl := range []tool.Tool{search.Grep(w.ws), search.Glob(w.ws)} {
		if _, err := tl.Run(ctx, tool.Call{Input: []byte(`{"pattern":"*"}`)}); err == nil {
			t.Errorf("%s went on", tl.Spec().Name)
		}
	}
	if _, err := search.Grep(w.ws).Run(ctx, tool.Call{Input: []byte(`{"pattern":"run"}`)}); err == nil || errors.Is(err, os.ErrNotExist) {
		t.Errorf("grep: %v", err)
	}
}

func TestDescriptions(t *testing.T) {
	w := newWorld(t)
	for _, tl := range []tool.Tool{search.Grep(w.ws), search.Glob(w.ws)} {
		s := tl.Spec()
		if len(s.Description) < 300 || len(s.Description) > 2500 {
			t.Errorf("%s: the description has %d bytes", s.Name, len(s.Description))
		}
		if !tl.(tool.ReadOnly).ReadOnly([]byte(`{"pattern":"x"}`)) {
			t.Errorf("%s is not read-only", s.Name)
		}
	}
}
