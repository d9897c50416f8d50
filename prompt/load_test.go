package prompt

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

// tree writes the files of a txtar archive. A file whose content is "-> X" is
// made a symbolic link to X, "=> X" a hard link to the file X of the tree.
func tree(t *testing.T, archive string) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range txtar.Parse([]byte(archive)).Files {
		name, text := filepath.Join(root, f.Name), string(f.Data)
		err := os.MkdirAll(filepath.Dir(name), 0o755)
		if err == nil {
			switch line := strings.TrimSpace(text); {
			case strings.HasPrefix(line, "-> "):
				err = os.Symlink(line[3:], name)
			case strings.HasPrefix(line, "=> "):
				err = os.Link(filepath.Join(root, line[3:]), name)
			default:
				err = os.WriteFile(name, []byte(strings.ReplaceAll(text, "ROOT", filepath.ToSlash(root))), 0o644)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// summary is what was loaded, one line a file, with paths relative to root.
func summary(root string, in Instructions) []string {
	root = filepath.ToSlash(root) + "/"
	rel := func(s string) string { return strings.ReplaceAll(filepath.ToSlash(s), root, "") }
	var lines []string
	for _, f := range in.Files {
		line := rel(f.Path) + ": " + strings.ReplaceAll(f.Text, "\n", "|")
		if f.By != "" {
			line += " (by " + rel(f.By) + ")"
		}
		lines = append(lines, strings.ReplaceAll(line, root, ""))
	}
	for _, n := range in.Notes {
		lines = append(lines, "note: "+rel(n))
	}
	return lines
}

func TestLoad(t *testing.T) {
	tests := []struct {
		name  string
		files string
		dir   string // below p; p itself is the git root
		want  []string
	}{
		{name: "nothing there", files: "-- p/.git/HEAD --\n"},
		{
			name:  "from the broadest to the most specific",
			files: "-- home/.claude/CLAUDE.md --\nhome\n-- config/AGENTS.md --\nconfig\n-- p/AGENTS.md --\ntop\n-- p/a/CLAUDE.md --\na\n-- p/a/b/AGENTS.md --\nb\n-- p/a/b/c/AGENTS.md --\nbelow\n-- AGENTS.md --\nabove the root\n",
			dir:   "a/b",
			want:  []string{"home/.claude/CLAUDE.md: home", "config/AGENTS.md: config", "p/AGENTS.md: top", "p/a/CLAUDE.md: a", "p/a/b/AGENTS.md: b"},
		},
		{
			name:  "one file a directory, the local one beside it",
			files: "-- p/AGENTS.override.md --\noverride\n-- p/AGENTS.md --\nagents\n-- p/CLAUDE.md --\nclaude\n-- p/CLAUDE.local.md --\nlocal\n-- p/a/AGENTS.md --\nagents\n-- p/a/CLAUDE.md --\nclaude\n",
			dir:   "a",
			want:  []string{"p/AGENTS.override.md: override", "p/CLAUDE.local.md: local", "p/a/AGENTS.md: agents"},
		},
		{
			name:  "an empty file makes way for the next",
			files: "-- p/AGENTS.override.md --\n-- p/AGENTS.md --\n  \n<!-- nothing\nyet -->\n-- p/.claude/CLAUDE.md --\nclaude\n",
			want:  []string{"p/.claude/CLAUDE.md: claude"},
		},
		{
			name:  "a symbolic link to a file that is loaded",
			files: "-- p/AGENTS.md --\nagents\n-- p/CLAUDE.local.md --\n-> AGENTS.md\n-- p/a/AGENTS.md --\n-> ../AGENTS.md\n",
			dir:   "a",
			want:  []string{"p/AGENTS.md: agents"},
		},
		{
			name:  "a hard link to a file that is loaded",
			files: "-- p/AGENTS.md --\nagents\n-- p/CLAUDE.local.md --\n=> p/AGENTS.md\n",
			want:  []string{"p/AGENTS.md: agents"},
		},
		{
			name:  "CLAUDE.md that is a bridge to AGENTS.md",
			files: "-- p/AGENTS.md --\nagents\n-- p/a/CLAUDE.md --\n@../AGENTS.md\nmore\n",
			dir:   "a",
			want:  []string{"p/AGENTS.md: agents", "p/a/CLAUDE.md: @../AGENTS.md|more"},
		},
		{
			name:  "imports stand before their importer, each once",
			files: "-- p/AGENTS.md --\nsee @docs/a.md, (@docs/b.md) and @docs/a.md.\n-- p/docs/a.md --\na: @b.md\n-- p/docs/b.md --\nb\n",
			want: []string{
				"p/docs/b.md: b (by p/docs/a.md)", "p/docs/a.md: a: @b.md (by p/AGENTS.md)",
				"p/AGENTS.md: see @docs/a.md, (@docs/b.md) and @docs/a.md.",
			},
		},
		{
			name:  "no import in code or comments, and none of what is no file",
			files: "-- p/AGENTS.md --\n`@x.md` ``a ` @x.md`` me@x.md @nobody @types/node @docs\n```sh\n@x.md\n```\n<!-- @x.md\n@x.md --> end\n~~~~\n~~~\n@x.md\n~~~~\n-- p/x.md --\nx\n-- p/docs/y.md --\ny\n",
			want:  []string{"p/AGENTS.md: `@x.md` ``a ` @x.md`` me@x.md @nobody @types/node @docs|```sh|@x.md|```| end|~~~~|~~~|@x.md|~~~~"},
		},
		{
			name:  "a blank in an imported path",
			files: "-- p/AGENTS.md --\n@my\\ docs/a.md\n-- p/my docs/a.md --\na\n",
			want:  []string{"p/my docs/a.md: a (by p/AGENTS.md)", "p/AGENTS.md: @my\\ docs/a.md"},
		},
		{
			name:  "cycles are cut",
			files: "-- p/AGENTS.md --\n@a.md\n-- p/a.md --\n@b.md @a.md\n-- p/b.md --\n@AGENTS.md @a.md\n",
			want:  []string{"p/b.md: @AGENTS.md @a.md (by p/a.md)", "p/a.md: @b.md @a.md (by p/AGENTS.md)", "p/AGENTS.md: @a.md"},
		},
		{
			name:  "four hops and no more",
			files: "-- p/AGENTS.md --\n@1\n-- p/1 --\n@2\n-- p/2 --\n@3\n-- p/3 --\n@4\n-- p/4 --\n@5\n-- p/5 --\n5\n",
			want: []string{
				"p/4: @5 (by p/3)", "p/3: @4 (by p/2)", "p/2: @3 (by p/1)", "p/1: @2 (by p/AGENTS.md)", "p/AGENTS.md: @1",
				"note: p/5 is left out: more than 4 imports follow one another",
			},
		},
		{
			name:  "a project's imports stay in the project",
			files: "-- p/AGENTS.md --\n@../secret @ROOT/secret @~/key @in\n-- p/in --\n-> ../secret\n-- secret --\ns\n-- home/key --\nk\n",
			want: []string{
				"p/AGENTS.md: @../secret @secret @~/key @in",
				"note: secret is left out: p/AGENTS.md imports it from outside the project",
				"note: secret is left out: p/AGENTS.md imports it from outside the project",
				"note: home/key is left out: p/AGENTS.md imports it from outside the project",
				"note: p/in is left out: p/AGENTS.md imports it from outside the project",
			},
		},
		{
			name:  "an instruction file that is a link out of the project",
			files: "-- p/AGENTS.md --\n-> ../secret\n-- p/CLAUDE.md --\nclaude\n-- secret --\ns\n",
			want:  []string{"p/CLAUDE.md: claude", "note: p/AGENTS.md is left out: it is a link to a file outside the project"},
		},
		{
			name:  "a directory that is a link out of the project",
			files: "-- p/.claude --\n-> ../other\n-- other/CLAUDE.md --\ns\n-- p/AGENTS.md --\n@docs/x.md\n-- p/docs --\n-> ../other\n-- other/x.md --\nx\n",
			want:  []string{"p/AGENTS.md: @docs/x.md", "note: p/docs/x.md is left out: p/AGENTS.md imports it from outside the project"},
		},
		{
			name:  "the user's file imports from anywhere, what it imports does not",
			files: "-- home/.claude/CLAUDE.md --\n-> ../dot/CLAUDE.md\n-- home/dot/CLAUDE.md --\n@~/dot/more.md @ROOT/other/x.md\n-- home/dot/more.md --\nmore\n-- other/x.md --\n@y.md @../secret\n-- other/y.md --\ny\n-- secret --\ns\n",
			want: []string{
				"home/dot/more.md: more (by home/.claude/CLAUDE.md)", "other/y.md: y (by other/x.md)",
				"other/x.md: @y.md @../secret (by home/.claude/CLAUDE.md)", "home/.claude/CLAUDE.md: @~/dot/more.md @other/x.md",
				"note: secret is left out: other/x.md imports it from outside the project",
			},
		},
		{
			name:  "what is not text is left out",
			files: "-- p/AGENTS.md --\na\x00b\n-- p/CLAUDE.md --\n\xef\xbb\xbfone\r\ntw\xff\r\n",
			want:  []string{"p/CLAUDE.md: one|tw�", "note: p/AGENTS.md is left out: it is not text"},
		},
		{
			name:  "a directory and a dangling link in the place of a file",
			files: "-- p/AGENTS.override.md --\n-> nowhere\n-- p/AGENTS.md/x --\nx\n-- p/.claude --\na file\n-- p/CLAUDE.local.md --\nlocal\n",
			want:  []string{"p/CLAUDE.local.md: local", "note: p/AGENTS.md could not be read: not a regular file"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			root := tree(t, tt.files)
			p := filepath.Join(root, "p")
			in := Load(Where{Dir: filepath.Join(p, tt.dir), Root: p, Home: filepath.Join(root, "home"), Config: filepath.Join(root, "config")})
			if d := cmp.Diff(tt.want, summary(root, in)); d != "" {
				t.Errorf("loaded (-want +got):\n%s", d)
			}
		})
	}
}

func TestLoadWithoutGit(t *testing.T) {
	root := tree(t, "-- AGENTS.md --\nabove\n-- p/AGENTS.md --\nhere\n")
	got := summary(root, Load(Where{Dir: filepath.Join(root, "p")}))
	if d := cmp.Diff([]string{"p/AGENTS.md: here"}, got); d != "" {
		t.Errorf("loaded (-want +got):\n%s", d)
	}
}

func TestLoadBounds(t *testing.T) {
	line := strings.Repeat("x", 99) + "\n"
	full := strings.Repeat(line, 400) // 40,000 bytes
	root := tree(t, "-- p/AGENTS.md --\n"+full+"-- p/a/AGENTS.md --\n"+full+"-- p/a/b/AGENTS.md --\n"+full+"-- p/a/b/c/AGENTS.md --\nshort\n")
	p := filepath.Join(root, "p")
	in := Load(Where{Dir: filepath.Join(p, "a/b/c"), Root: p})
	type row struct {
		Path      string
		Size      int64
		Text      int
		Truncated bool
	}
	var got []row
	total := 0
	for _, f := range in.Files {
		got = append(got, row{strings.TrimPrefix(filepath.ToSlash(f.Path), filepath.ToSlash(p)+"/"), f.Size, len(f.Text), f.Truncated})
		total += len(f.Text)
	}
	want := []row{
		{"AGENTS.md", 40000, 99, true},
		{"a/AGENTS.md", 40000, 32699, true},
		{"a/b/AGENTS.md", 40000, 32699, true},
		{"a/b/c/AGENTS.md", 6, 5, false},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("files (-want +got):\n%s", d)
	}
	if total > MaxTotal {
		t.Errorf("%d bytes in all, more than %d", total, MaxTotal)
	}
	wantNotes := []string{
		filepath.Join(p, "AGENTS.md") + " is too long: 99 of its 40000 bytes are in the prompt",
		filepath.Join(p, "a/AGENTS.md") + " is too long: 32699 of its 40000 bytes are in the prompt",
		filepath.Join(p, "a/b/AGENTS.md") + " is too long: 32699 of its 40000 bytes are in the prompt",
	}
	if d := cmp.Diff(wantNotes, in.Notes); d != "" {
		t.Errorf("notes (-want +got):\n%s", d)
	}
	if !strings.Contains(in.text(), "[Cut here: the file has 40000 bytes. Read it for the rest.]") {
		t.Error("the prompt does not say that a file was cut")
	}
}

// A cut must not leave half a character, wherever it falls.
func TestCutKeepsCharactersWhole(t *testing.T) {
	text := strings.Repeat("é€𝄞", 20)
	for n := range len(text) {
		if got := cut(text, n); !strings.HasPrefix(text, got) || n-len(got) > 3 || strings.ToValidUTF8(got, "") != got {
			t.Fatalf("cut(text, %d) = %q", n, got)
		}
	}
}

func TestLoadManyImports(t *testing.T) {
	var b strings.Builder
	b.WriteString("-- p/AGENTS.md --\n")
	for i := range 150 {
		fmt.Fprintf(&b, "@%d.md\n", i)
	}
	for i := range 150 {
		fmt.Fprintf(&b, "-- p/%d.md --\nx\n", i)
	}
	root := tree(t, b.String())
	in := Load(Where{Dir: filepath.Join(root, "p")})
	if len(in.Files) != maxFiles || len(in.Notes) != 51 {
		t.Errorf("%d files and %d notes, want %d and 51", len(in.Files), len(in.Notes), maxFiles)
	}
}

func TestLoadUnreadable(t *testing.T) {
	if os.Getuid() == 0 || runtime.GOOS == "windows" {
		t.Skip("permissions do not bind here")
	}
	root := tree(t, "-- AGENTS.md --\nsecret\n-- CLAUDE.md --\nclaude\n")
	if err := os.Chmod(filepath.Join(root, "AGENTS.md"), 0); err != nil {
		t.Fatal(err)
	}
	want := []string{"CLAUDE.md: claude", "note: AGENTS.md could not be read: permission denied"}
	if d := cmp.Diff(want, summary(root, Load(Where{Dir: root}))); d != "" {
		t.Errorf("loaded (-want +got):\n%s", d)
	}
}

func BenchmarkLoad(b *testing.B) {
	dir := b.TempDir()
	deep := filepath.Join(dir, "a/b/c/d")
	if err := os.MkdirAll(deep, 0o755); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "AGENTS.md"), []byte(strings.Repeat("Be kind.\n", 500)), 0o644); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		Load(Where{Dir: deep, Root: dir, Home: dir, Config: dir})
	}
}
