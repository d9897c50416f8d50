package file_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/daruma-dev/daruma/message"
)

func utf16(s string) string { // little-endian with a mark
	out := "\xff\xfe"
	for _, r := range s {
		out += string([]byte{byte(r), byte(r >> 8)})
	}
	return out
}

// Each case is one edit, to the byte.
func TestEdit(t *testing.T) {
	for _, tc := range []struct {
		name, before, old, new string
		all                    bool
		after                  string
	}{
		{name: "a word", before: "one two three\n", old: "two", new: "2", after: "one 2 three\n"},
		{name: "deletes", before: "a\nb\nc\n", old: "b\n", new: "", after: "a\nc\n"},
		{name: "inserts lines", before: "a\nc\n", old: "a\nc", new: "a\nb\nc", after: "a\nb\nc\n"},
		{name: "the whole file", before: "a", old: "a", new: "b", after: "b"},
		{name: "to nothing", before: "a", old: "a", new: "", after: ""},
		{name: "adds an empty line", before: "a\nb\n", old: "a\nb", new: "a\n\nb", after: "a\n\nb\n"},
		{name: "adds nothing but an empty line", before: "a\nb\n", old: "a", new: "a\n", after: "a\n\nb\n"},

		// B064: the model sends LF.
		{name: "CRLF", before: "a\r\nb\r\nc\r\nd\r\ne\r\n", old: "b\nc", new: "B\nC", after: "a\r\nB\r\nC\r\nd\r\ne\r\n"},
		{name: "CRLF in the call and LF in the file", before: "a\nb\nc\n", old: "a\r\nb", new: "A\r\nB", after: "A\nB\nc\n"},
		{name: "CRLF in both", before: "a\r\nb\r\n", old: "a\r\nb", new: "A\r\nB", after: "A\r\nB\r\n"},
		{name: "CRLF, more lines", before: "a\r\nb\r\n", old: "a", new: "x\ny\nz", after: "x\r\ny\r\nz\r\nb\r\n"},
		{name: "CRLF, fewer lines", before: "a\r\nb\r\nc\r\n", old: "a\nb\nc\n", new: "x\n", after: "x\r\n"},
		{name: "CRLF, starting with a line end", before: "a\r\nb\r\n", old: "\nb", new: "\nc\nd", after: "a\r\nc\r\nd\r\n"},
		{name: "CRLF, joining lines", before: "a\r\nb\r\n", old: "a\nb", new: "ab", after: "ab\r\n"},
		{name: "CRLF, deleting a line from its front", before: "a\r\nb\r\nc\r\n", old: "\nb", new: "", after: "a\r\nc\r\n"},
		{name: "the last line, no line end after it", before: "a\r\nb", old: "b", new: "b\nc", after: "a\r\nb\r\nc"},
		{name: "mixed, a kept line keeps its end", before: "a\r\nb\nc\r\nd\n", old: "a\nb\nc", new: "a\nB\nc", after: "a\r\nB\nc\r\nd\n"},
		{name: "mixed, a line is added in the middle", before: "a\r\nb\nc\n", old: "a\nb\nc", new: "a\nx\nb\nc", after: "a\r\nx\nb\nc\n"},
		{name: "mixed, a line is taken out of the middle", before: "a\r\nx\r\nb\nc\n", old: "a\nx\nb\nc", new: "a\nb\nc", after: "a\r\nb\nc\n"},
		{name: "mixed, outside stays", before: "1\n2\r\nx\n3\n4\r\n", old: "x", new: "y", after: "1\n2\r\ny\n3\n4\r\n"},
		{name: "each place has its own line ends", before: "k\nv\n-\r\nk\r\nv\r\n", old: "k\nv", new: "k\nw\nv", all: true, after: "k\nw\nv\n-\r\nk\r\nw\r\nv\r\n"},
		{name: "a lone carriage return is text", before: "a\rb\n", old: "a\rb", new: "c", after: "c\n"},

		// B065
		{name: "a mark stays once", before: "\xef\xbb\xbftitle: x\nname: Ærø\n", old: "title: x", new: "title: y", after: "\xef\xbb\xbftitle: y\nname: Ærø\n"},
		{name: "a mark in the call is not text", before: "\xef\xbb\xbfa\n", old: "\uFEFFa", new: "\uFEFFb", after: "\xef\xbb\xbfb\n"},
		{name: "the whole of a marked file", before: "\xef\xbb\xbfa", old: "a", new: "b", after: "\xef\xbb\xbfb"},
		{name: "UTF-16", before: utf16("a = é\r\nb\r\n"), old: "a = é\nb", new: "a = ü\n北\nb", after: utf16("a = ü\r\n北\r\nb\r\n")},

		// B066
		{name: "Latin-1 elsewhere", before: "limit = 40\n# M\xFCller, na\xEFve\n", old: "limit = 40", new: "limit = 41", after: "limit = 41\n# M\xFCller, na\xEFve\n"},
		{name: "Latin-1 on the same line", before: "M\xFCller = 1 # na\xEFve\n", old: "= 1", new: "= 2", after: "M\xFCller = 2 # na\xEFve\n"},
		{name: "NUL far from the start", before: strings.Repeat("line\n", 2000) + "x\x00y\n", old: "x", new: "z", after: strings.Repeat("line\n", 2000) + "z\x00y\n"},

		// B067
		{name: "dollar signs", before: "a TOKEN b\n", old: "TOKEN", new: "cost: $& / $1 / $$ each ${x} \\1 \\n %s", after: "a cost: $& / $1 / $$ each ${x} \\1 \\n %s b\n"},
		{name: "dollar signs, each place", before: "TOKEN TOKEN\n", old: "TOKEN", new: "$&$1$$", all: true, after: "$&$1$$ $&$1$$\n"},
		{name: "what looks like a pattern", before: "a.*b axxb\n", old: "a.*b", new: "[c]", after: "[c] axxb\n"},
		{name: "the new text holds the old", before: "a a\n", old: "a", new: "aa", all: true, after: "aa aa\n"},

		// B071
		{name: "the rest of the line stays", before: "page\u00a0size = 20  # １頁（max）– hint\n", old: "= 20", new: "= 25", after: "page\u00a0size = 25  # １頁（max）– hint\n"},

		// B072
		{name: "replace_all", before: "x = 1\nx = 1\nx = 1\n", old: "x = 1", new: "x = 2", all: true, after: "x = 2\nx = 2\nx = 2\n"},
		{name: "replace_all with one place", before: "x = 1\n", old: "x = 1", new: "x = 2", all: true, after: "x = 2\n"},
		{name: "replace_all takes places from the left", before: "aaa\n", old: "aa", new: "b", all: true, after: "ba\n"},

		// B073
		{name: "curly quotes", before: "say “yes” – it’s\u00a0ok\n", old: "“yes”", new: "“no” — ‘or’", after: "say “no” — ‘or’ – it’s\u00a0ok\n"},

		// B074
		{name: "no final line end, middle line", before: "one\ntwo\nthree", old: "two", new: "TWO", after: "one\nTWO\nthree"},
		{name: "no final line end, last line", before: "one\ntwo\nthree", old: "three", new: "THREE", after: "one\ntwo\nTHREE"},
		{name: "no final line end, one is added", before: "one\ntwo\nthree", old: "three", new: "THREE\n", after: "one\ntwo\nTHREE\n"},
		{name: "CRLF, last line", before: "one\r\ntwo\r\nthree\r\n", old: "three", new: "THREE", after: "one\r\ntwo\r\nTHREE\r\n"},
		{name: "CRLF, last line with LF in the new text only", before: "one\r\ntwo\r\nthree\r\n", old: "three", new: "THREE\n", after: "one\r\ntwo\r\nTHREE\r\n"},
		{name: "CRLF, last line with LF in both", before: "one\r\ntwo\r\nthree\r\n", old: "three\n", new: "THREE\n", after: "one\r\ntwo\r\nTHREE\r\n"},
		{name: "CRLF, middle line with LF in the new text only", before: "one\r\ntwo\r\nthree\r\n", old: "two", new: "TWO\n", after: "one\r\nTWO\r\nthree\r\n"},
		{name: "LF in the new text only, in the middle of a line", before: "one two\n", old: "one ", new: "one\n", after: "one\ntwo\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(t)
			path := w.put("f", tc.before)
			r := must(t)(w.edit(args{"path": "f", "old_string": tc.old, "new_string": tc.new, "replace_all": tc.all}))
			w.want("f", tc.after)
			version := message.FileVersion{Path: path, Hash: hash(tc.after), Action: "changed", Before: hash(tc.before)}
			if d := cmp.Diff([]message.FileVersion{version}, r.Files); d != "" {
				t.Errorf("files (-want +got):\n%s", d)
			}
			if got, ok := w.ws.Seen(path); !ok || got != version.Hash {
				t.Errorf("the workspace has %q, %v", got, ok)
			}
		})
	}
}

func TestEditTells(t *testing.T) {
	w := newWorld(t)
	w.put("sub/main.go", "a\nb\nc\nd\ne\nf\ng\nb\n")
	r := must(t)(w.edit(args{"path": "sub/main.go", "old_string": "e\nf", "new_string": "E"}))
	if r.Text != "Edited sub/main.go at line 5." || r.Title != "edited sub/main.go (+1 -2)" {
		t.Errorf("text %q, title %q", r.Text, r.Title)
	}
	if want := "--- a/sub/main.go\n+++ b/sub/main.go\n@@ -2,7 +2,6 @@\n b\n c\n d\n-e\n-f\n+E\n g\n b\n"; r.Diff != want {
		t.Errorf("diff is\n%s\nwant\n%s", r.Diff, want)
	}
	r = must(t)(w.edit(args{"path": "sub/main.go", "old_string": "b", "new_string": "B", "replace_all": true}))
	if r.Text != "Edited sub/main.go at 2 places, lines 2 and 7." {
		t.Errorf("text %q", r.Text)
	}
}

func TestEditRefuses(t *testing.T) {
	for _, tc := range []struct {
		name, before, old, new string
		says                   []string
	}{
		{"B072: several places", "x = 1\ny\nx = 1\nx = 1\n", "x = 1", "x = 2", []string{"3 times", "lines 1, 3 and 4", "replace_all"}},
		{"places that overlap", "aaa", "aa", "b", []string{"2 times"}},
		{"a great many places", strings.Repeat("x\n", 5000), "x", "y", []string{"1000 times or more", "and 980 more"}},
		{"an empty old text", "a", "", "b", []string{"old_string is empty", "write"}},
		{"no change", "a", "a", "a", []string{"are the same"}},
		{"line ends only", "a\nb\n", "a\nb", "a\r\nb", []string{"line ends only", "shell"}},
		{"B078: binary", "\x00\x01text", "text", "x", []string{"not text (binary data)"}},
		{"an image", "\x89PNG\r\n\x1a\ntext", "text", "x", []string{"PNG image"}},
		{"UTF-16 that is not valid", "\xff\xfea\x00\x00\xd8b\x00", "a", "x", []string{"not valid", "shell"}},
		{"nothing like it", "some\ntext\n", "qqqqqqqqqq", "x", []string{"Nothing in the file comes near it"}},
		{
			"B071: a no-break space is not a space", "a\npage\u00a0size = 20  # １頁（max）– hint\n", "page size = 20", "page_size = 25",
			[]string{"2\tpage\u00a0size = 20", `In line 2, after "page", the file has a no-break space (U+00A0) where old_string has a space.`},
		},
		{
			"B073: plain quotes are not curly ones", "say “yes”\n", "say \"yes\"", "say \"no\"",
			[]string{`1	say “yes”`, `the file has "“yes”" (which starts with U+201C) where old_string has "\"yes\"".`},
		},
		{
			"blanks differ", "func f() {\n\treturn  1\n}\n", "func f() {\n\treturn 1\n}", "x",
			[]string{"1\tfunc f() {\n2\t\treturn  1\n3\t}", `In line 2, after "\treturn ", the file has a space where old_string has "1".`},
		},
		{
			"spaces for a tab", "if x {\n\tgo()\n}\n", "if x {\n    go()\n}", "x",
			[]string{"At the start of line 2 the file has a tab where old_string has a space."},
		},
		{
			"a typo in a long file", strings.Repeat("filler line\n", 500) + "const maximum = 42\nend\n", "const maximun = 42", "x",
			[]string{"501\tconst maximum = 42", `In line 501, after "const maximu", the file has "m = 42" where old_string has "n = 42".`},
		},
		{
			"a line is missing", "alpha\nbeta\ngamma\n", "alpha\ngamma", "x",
			[]string{"1\talpha\n2\tbeta", `At the start of line 2 the file has "beta" where old_string has "gamma".`},
		},
		{
			"the file ends too early", "alpha\nbeta", "alpha\nbeta\ngamma", "x",
			[]string{"The file ends before the line of old_string that starts with \"gamma\"."},
		},
		{
			"the place is in the middle of lines", "\tfirst call(a,\n\t\tb) // done\n", "call(a,\n\t\tc)", "x",
			[]string{`In line 2, after "\t\t", the file has "b) // done" where old_string has "c)".`},
		},
		{
			"line numbers", "alpha\nbeta\n", "1\talpha\n2\tbeta", "x",
			[]string{"line numbers", "leave them out", "1\talpha\n2\tbeta"},
		},
		{
			"made before", "limit := newLimit(10)\n", "limit := newLimit(9)", "limit := newLimit(10)",
			[]string{"new_string is there already, at line 1"},
		},
		{
			"B066: a byte that is shown as something else", "# M\xfcller\n", "# M\uFFFDller", "# Mueller",
			[]string{"differs in a way that is not shown"},
		},
		{
			"a typo in a long line", strings.Repeat("a ", 3000) + "needle here" + strings.Repeat(" b", 3000), "needle hare", "x",
			[]string{"…a a a", "needle here b b", `a needle h", the file has "ere b b`},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(t)
			w.put("f", tc.before)
			r, err := w.edit(args{"path": "f", "old_string": tc.old, "new_string": tc.new})
			refused(t, r, err, tc.says...)
			w.want("f", tc.before)
			if err != nil && len(err.Error()) > 3000 {
				t.Errorf("the answer has %d bytes", len(err.Error()))
			}
		})
	}
}

// B070, for edits: what the model knows of the file is out of date.
func TestEditOfAFileThatChanged(t *testing.T) {
	w := newWorld(t)
	w.put("f", "a = 1\n")
	must(t)(w.read(args{"path": "f"}))
	w.put("f", "a = 1\nuser line\n")
	r, err := w.edit(args{"path": "f", "old_string": "a = 1", "new_string": "a = 2"})
	refused(t, r, err, "changed on disk", "Read it again")
	w.want("f", "a = 1\nuser line\n")
	must(t)(w.read(args{"path": "f"}))
	must(t)(w.edit(args{"path": "f", "old_string": "a = 1", "new_string": "a = 2"}))
	must(t)(w.edit(args{"path": "f", "old_string": "a = 2", "new_string": "a = 3"})) // its own change is no surprise
	w.want("f", "a = 3\nuser line\n")
}

func TestEditOfWhatIsNoFile(t *testing.T) {
	w := newWorld(t)
	w.put("config.yaml", "a")
	r, err := w.edit(args{"path": "config.yml", "old_string": "a", "new_string": "b"})
	refused(t, r, err, "does not exist", "config.yaml", "write")
	r, err = w.edit(args{"path": ".", "old_string": "a", "new_string": "b"})
	refused(t, r, err, "is a directory")
	r, err = w.edit(args{"path": "config.yaml", "new_string": "b"})
	refused(t, r, err, "old_string")
	w.want("config.yaml", "a")
}

// B068 and B069
func TestEditKeepsWhatTheFileIs(t *testing.T) {
	w := newWorld(t)
	w.put("real.md", "old text\n")
	w.put("run.sh", "old text\n")
	w.put("a", "old text\n")
	w.put("ro.txt", "old text\n")
	for _, err := range []error{
		os.Symlink("real.md", w.path("link.md")),
		os.Symlink("link.md", w.path("link2.md")),
		os.Symlink(".", w.path("folder")),
		os.Link(w.path("a"), w.path("b")),
		os.Chmod(w.path("run.sh"), 0o755),
		os.Chmod(w.path("ro.txt"), 0o444),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for i, name := range []string{"link.md", "link2.md", "folder/link2.md", "run.sh", "b"} {
		old, now := "old", "new"
		if i == 1 || i == 2 {
			old, now = now+strings.Repeat("!", i-1), now+strings.Repeat("!", i)
		}
		must(t)(w.edit(args{"path": name, "old_string": old + " text", "new_string": now + " text"}))
	}
	w.want("real.md", "new!! text\n")
	w.want("run.sh", "new text\n")
	w.want("a", "new text\n")
	w.want("b", "new text\n")
	r, err := w.edit(args{"path": "ro.txt", "old_string": "old", "new_string": "new"})
	refused(t, r, err, "read-only")
	w.want("ro.txt", "old text\n")
	for name, mode := range map[string]os.FileMode{"run.sh": 0o755, "ro.txt": 0o444, "link.md": os.ModeSymlink | 0o777, "folder": os.ModeSymlink | 0o777} {
		if info, err := os.Lstat(w.path(name)); err != nil || info.Mode() != mode {
			t.Errorf("%s: mode %v, %v; want %v", name, info.Mode(), err, mode)
		}
	}
	if d := cmp.Diff([]string{"a", "b", "folder", "link.md", "link2.md", "real.md", "ro.txt", "run.sh"}, w.names()); d != "" {
		t.Errorf("names (-want +got):\n%s", d)
	}
}

// B077: a word far to the right in a line of megabytes.
func TestEditOfALongLine(t *testing.T) {
	w := newWorld(t)
	left, right := strings.Repeat("ab ", 2_500_000/3), strings.Repeat("cd ", 500_000/3)
	w.put("min.js", left+"NEEDLE"+right)
	r := must(t)(w.edit(args{"path": "min.js", "old_string": "NEEDLE", "new_string": "found"}))
	w.want("min.js", left+"found"+right)
	if len(r.Diff) > 200_000 {
		t.Errorf("the diff has %d bytes", len(r.Diff))
	}
}

// B112: what a call touches is where its links lead.
func TestAccess(t *testing.T) {
	w := newWorld(t)
	outside := filepath.Join(filepath.Dir(w.root), "neighbour")
	if err := os.Mkdir(outside, 0o755); err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{"shared": "../neighbour", "dangling": "../neighbour/new", "inside": "f"} {
		if err := os.Symlink(target, w.path(link)); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]struct {
		path   string
		inside bool
	}{
		"shared/x": {filepath.Join(outside, "x"), false},
		"dangling": {filepath.Join(outside, "new"), false},
		"inside":   {w.path("f"), true},
		"a/../b":   {w.path("b"), true},
	} {
		for _, tl := range w.tools() {
			got, err := tl.access(args{"path": name, "content": "", "old_string": "a", "new_string": "b"})
			if err != nil || len(got.Paths) != 1 || got.Paths[0] != want.path || got.Action != tl.action || w.ws.Contains(got.Paths[0]) != want.inside {
				t.Errorf("%s %s: access is %+v, %v; want %s", tl.name, name, got, err, want.path)
			}
		}
	}
}
