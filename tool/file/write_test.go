//go:build unix

package file_test

import (
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/tool"
)

func TestWriteCreates(t *testing.T) {
	w := newWorld(t)
	got := must(t)(w.write(args{"path": "a/b/c.go", "content": "package c\n"}))
	want := tool.Result{
		Text: "Created a/b/c.go (1 line).", Title: "created a/b/c.go (+1 -0)",
		Diff:  "--- /dev/null\n+++ b/a/b/c.go\n@@ -0,0 +1 @@\n+package c\n",
		Files: []message.FileVersion{{Path: w.path("a/b/c.go"), Hash: hash("package c\n"), Action: "created"}},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	w.want("a/b/c.go", "package c\n")
	must(t)(w.write(args{"path": "a/b/c.go", "content": "package d\n"})) // what it wrote it has seen
	w.want("a/b/c.go", "package d\n")
}

// B019 and B073: the file is the content of the call, byte for byte.
func TestWriteIsExact(t *testing.T) {
	w := newWorld(t)
	for _, content := range []string{
		"北京 café", "“curly” — dash\u00a0space\n", "a\r\nb\n", "\ttab  \n\n", "", "\n", "no end", "$& \\n %s", "\uFEFFmarked\n", "👍🏽\u200d\u202e\n",
	} {
		must(t)(w.write(args{"path": "u.txt", "content": content}))
		w.want("u.txt", content)
		if err := os.Remove(w.path("u.txt")); err != nil {
			t.Fatal(err)
		}
	}
}

func TestWriteOver(t *testing.T) {
	for _, tc := range []struct{ name, before, content, after, says string }{
		{"plain", "old\n", "new\n", "new\n", "Wrote f (1 line)."},
		{"to nothing (B046)", "old\n", "", "", "Wrote f (0 lines)."},
		{"B064: CRLF stays", "a\r\nb\r\n", "x\ny\nz\n", "x\r\ny\r\nz\r\n", "Its line ends are CRLF, as before."},
		{"CRLF given as CRLF", "a\r\nb\r\n", "x\r\ny\r\n", "x\r\ny\r\n", "CRLF"},
		{"CRLF given as both", "a\r\nb\r\n", "x\r\ny\n", "x\r\ny\r\n", "CRLF"},
		{"mixed is as given", "a\r\nb\n", "x\ny\r\n", "x\ny\r\n", "Wrote f (2 lines)."},
		{"LF is as given", "a\nb\n", "x\r\ny\n", "x\r\ny\n", "Wrote"},
		{"no line end to keep", "a", "x\ny\n", "x\ny\n", "Wrote"},
		{"B065: a mark stays", "\xef\xbb\xbftitle: x\n", "title: y\n", "\xef\xbb\xbftitle: y\n", "Its byte-order mark was kept."},
		{"a mark is not doubled", "\xef\xbb\xbfa\n", "\uFEFFb\n", "\xef\xbb\xbfb\n", "mark"},
		{"UTF-16 stays", utf16("a\r\nb\r\n"), "é\n北\n", utf16("é\r\n北\r\n"), "encoded in UTF-16 (little-endian), as before"},
		{"UTF-16 with a pair", utf16("a\n"), "👍\n", "\xff\xfe\x3d\xd8\x4d\xdc\n\x00", "UTF-16"},
		{"Latin-1 that is not needed", "M\xfcller\n", "Mueller\n", "Mueller\n", "Wrote"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(t)
			path := w.put("f", tc.before)
			must(t)(w.read(args{"path": "f"}))
			r := must(t)(w.write(args{"path": "f", "content": tc.content}))
			w.want("f", tc.after)
			if !strings.Contains(r.Text, tc.says) {
				t.Errorf("the answer is %q", r.Text)
			}
			want := []message.FileVersion{{Path: path, Hash: hash(tc.after), Action: "changed", Before: hash(tc.before)}}
			if d := cmp.Diff(want, r.Files); d != "" {
				t.Errorf("files (-want +got):\n%s", d)
			}
		})
	}
}

// The diff is of the lines, whatever they end with and however large the file.
func TestWriteShowsTheDiff(t *testing.T) {
	w := newWorld(t)
	w.put("f", strings.ReplaceAll(manyLines(5000), "\n", "\r\n"))
	must(t)(w.read(args{"path": "f"}))
	r := must(t)(w.write(args{"path": "f", "content": strings.Replace(manyLines(5000), "line 2500\n", "changed\nmore\n", 1)}))
	want := "--- a/f\n+++ b/f\n@@ -2497,7 +2497,8 @@\n line 2497\n line 2498\n line 2499\n-line 2500\n+changed\n+more\n line 2501\n line 2502\n line 2503\n"
	if r.Diff != want || r.Title != "wrote f (+2 -1)" {
		t.Errorf("%s\n%s", r.Title, r.Diff)
	}
	r = must(t)(w.write(args{"path": "f", "content": strings.Repeat("all new\n", 30_000)}))
	if len(r.Diff) > 110_000 || !strings.Contains(r.Diff, "[the diff goes on for ") || r.Title != "wrote f (+30000 -5001)" {
		t.Errorf("%s, a diff of %d bytes", r.Title, len(r.Diff))
	}
}

func TestWriteOfTheSame(t *testing.T) {
	w := newWorld(t)
	path := w.put("f", "a\r\n")
	if err := os.Chmod(path, 0o444); err != nil {
		t.Fatal(err)
	}
	r := must(t)(w.write(args{"path": "f", "content": "a\n"}))
	if !strings.Contains(r.Text, "nothing was written") || r.Diff != "" {
		t.Errorf("%+v", r)
	}
}

// B070: what the model has not seen is not overwritten.
func TestWriteGuards(t *testing.T) {
	w := newWorld(t)
	w.put("n.txt", "one\n")
	r, err := w.write(args{"path": "n.txt", "content": "two\n"})
	refused(t, r, err, "you have not read it", "Read it first", "edit")
	w.want("n.txt", "one\n")

	must(t)(w.read(args{"path": "n.txt"}))
	info, err := os.Stat(w.path("n.txt"))
	if err != nil {
		t.Fatal(err)
	}
	w.put("n.txt", "owe\n") // the same size, and the same time
	if err := os.Chtimes(w.path("n.txt"), info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	r, err = w.write(args{"path": "n.txt", "content": "two\n"})
	refused(t, r, err, "changed on disk", "Read it again")
	w.want("n.txt", "owe\n")
	must(t)(w.read(args{"path": "n.txt"}))
	must(t)(w.write(args{"path": "n.txt", "content": "two\n"}))
	w.want("n.txt", "two\n")

	w.put("empty", "")
	must(t)(w.write(args{"path": "empty", "content": "x"})) // nothing to lose

	w.put("latin1", "M\xfcller\nmore\n")
	must(t)(w.read(args{"path": "latin1"}))
	r, err = w.write(args{"path": "latin1", "content": "M\uFFFDller\nless\n"})
	refused(t, r, err, "1 byte not valid UTF-8", "edit")
	w.want("latin1", "M\xfcller\nmore\n")
}

// A read-only session of another workspace tells nothing about this one's file.
func TestWriteOfARestoredFile(t *testing.T) {
	w := newWorld(t)
	w.put("f", "old\n")
	must(t)(w.read(args{"path": "f"}))
	if err := os.Remove(w.path("f")); err != nil {
		t.Fatal(err)
	}
	r := must(t)(w.write(args{"path": "f", "content": "new\n"}))
	if r.Files[0].Action != "created" {
		t.Errorf("%+v", r.Files)
	}
}

func TestWriteRefuses(t *testing.T) {
	w := newWorld(t)
	w.put("f", "keep")
	w.put("ro", "keep")
	must(t)(w.read(args{"path": "ro"}))
	if err := os.Chmod(w.path("ro"), 0o444); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(w.path("dir"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name string
		in   args
		says []string
	}{
		{"B046: no content", args{"path": "f"}, []string{"content", "was not run"}},
		{"content of null", args{"path": "f", "content": nil}, []string{"content", "was not run"}},
		{"a directory", args{"path": "dir", "content": "x"}, []string{"is a directory"}},
		{"a name that ends in a slash", args{"path": "new/", "content": "x"}, []string{"names a directory"}},
		{"below a file", args{"path": "f/x", "content": "x"}, []string{"a file, not a directory"}},
		{"read-only", args{"path": "ro", "content": "x"}, []string{"read-only", "chmod"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r, err := w.write(tc.in)
			refused(t, r, err, tc.says...)
		})
	}
	w.want("f", "keep")
	w.want("ro", "keep")
	if d := cmp.Diff([]string{"dir", "f", "ro"}, w.names()); d != "" {
		t.Errorf("names (-want +got):\n%s", d)
	}
}

// B069: a new file honours the umask, an old one keeps its mode.
func TestWriteModes(t *testing.T) {
	for _, umask := range []int{0o022, 0o077} {
		w := newWorld(t)
		w.put("secret.env", "a")
		if err := os.Chmod(w.path("secret.env"), 0o600); err != nil {
			t.Fatal(err)
		}
		must(t)(w.read(args{"path": "secret.env"}))
		old := syscall.Umask(umask)
		must(t)(w.write(args{"path": "secret.env", "content": "b"}))
		must(t)(w.write(args{"path": "d/new", "content": "b"}))
		syscall.Umask(old)
		for name, mode := range map[string]os.FileMode{"secret.env": 0o600, "d/new": 0o666 &^ os.FileMode(umask), "d": os.ModeDir | 0o777&^os.FileMode(umask)} {
			if info, err := os.Stat(w.path(name)); err != nil || info.Mode() != mode {
				t.Errorf("umask %03o: %s has mode %v, want %v", umask, name, info.Mode(), mode)
			}
		}
	}
}

// B068 and B112: a link stays, also one whose target does not exist yet.
func TestWriteThroughLinks(t *testing.T) {
	w := newWorld(t)
	w.put("real.md", "old")
	for link, target := range map[string]string{"link.md": "real.md", "fresh.md": "sub/new.md"} {
		if err := os.Symlink(target, w.path(link)); err != nil {
			t.Fatal(err)
		}
	}
	must(t)(w.read(args{"path": "real.md"}))
	must(t)(w.write(args{"path": "link.md", "content": "new"}))
	must(t)(w.write(args{"path": "fresh.md", "content": "new"}))
	w.want("real.md", "new")
	w.want("sub/new.md", "new")
	for _, link := range []string{"link.md", "fresh.md"} {
		if info, err := os.Lstat(w.path(link)); err != nil || info.Mode()&os.ModeSymlink == 0 {
			t.Errorf("%s is no link any more: %v", link, err)
		}
	}
}
