//go:build unix

package file_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/daruma-dev/daruma/internal/unprivileged"
	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/tool"
	"github.com/daruma-dev/daruma/tool/file"
)

func numbered(from, to int) string {
	var b strings.Builder
	for i := from; i <= to; i++ {
		fmt.Fprintf(&b, "%d\tline %d\n", i, i)
	}
	return b.String()
}

func manyLines(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d\n", i+1)
	}
	return b.String()
}

func TestRead(t *testing.T) {
	for _, tc := range []struct {
		name, content string
		in            args
		text, title   string
	}{
		{"a short file", "package main\n\nfunc main() {}\n", nil, "1\tpackage main\n2\t\n3\tfunc main() {}\n", "read f (3 lines)"},
		{"no final line end", "a\nb", nil, "1\ta\n2\tb\n\n[The last line has no line end.]", "read f (2 lines)"},
		{"empty", "", nil, "\n[f is empty.]", "read f (0 lines)"},
		{"one empty line", "\n", nil, "1\t\n", "read f (1 line)"},
		{"a page", manyLines(10), args{"offset": 3, "limit": 2}, numbered(3, 4) + "\n[Lines 3-4 of 10. To go on, read with offset 5.]", "read f (lines 3-4 of 10)"},
		{"numbers as text (B014)", manyLines(10), args{"offset": "3", "limit": "2"}, numbered(3, 4) + "\n[Lines 3-4 of 10. To go on, read with offset 5.]", "read f (lines 3-4 of 10)"},
		{"the last page", manyLines(10), args{"offset": 9}, numbered(9, 10) + "\n[Lines 9-10, the end of the file.]", "read f (lines 9-10 of 10)"},
		{"offset 0 is the start", "a\n", args{"offset": 0, "limit": 0}, "1\ta\n", "read f (1 line)"},
		{"the first 2000 lines", manyLines(2500), nil, numbered(1, 2000) + "\n[Lines 1-2000 of 2500. To go on, read with offset 2001.]", "read f (lines 1-2000 of 2500)"},
		{"exactly 2000 lines", manyLines(2000), nil, numbered(1, 2000), "read f (2000 lines)"},
		{"more lines when asked", manyLines(2500), args{"limit": 2500}, numbered(1, 2500), "read f (2500 lines)"},

		{"CRLF", "a\r\nb\r\n", nil, "1\ta\n2\tb\n\n[The lines end in CRLF; edit and write keep that, so give plain line ends.]", "read f (2 lines)"},
		{"mixed", "a\r\nb\n", nil, "1\ta\n2\tb\n\n[Some of these lines end in CRLF, others in LF; edit keeps each as it is.]", "read f (2 lines)"},
		{"B065: a mark", "\xef\xbb\xbftitle: x\nname: Ærø\n", nil, "1\ttitle: x\n2\tname: Ærø\n", "read f (2 lines)"},
		{
			"UTF-16", utf16("é\r\n北\r\n"), nil,
			"1\té\n2\t北\n\n[The lines end in CRLF; edit and write keep that, so give plain line ends.]\n" +
				"[The file is UTF-16 (little-endian), shown as UTF-8; edit and write keep its encoding.]", "read f (2 lines)",
		},
		{
			"B066: Latin-1", "# M\xFCller, na\xEFve\n", nil,
			"1\t# M\uFFFDller, na\uFFFDve\n\n[2 bytes of the file cannot be decoded as UTF-8, and each is shown as \uFFFD. " +
				"Change the text around such bytes with edit, which leaves them as they are; do not write the file anew.]", "read f (1 line)",
		},
		{
			"NUL far from the start", strings.Repeat("text\n", 1999) + "a\x00b\n",
			args{"offset": 1999},
			"1999\ttext\n2000\ta␀b\n\n[Lines 1999-2000, the end of the file.]\n[1 NUL character shown as ␀.]", "read f (lines 1999-2000 of 2000)",
		},
		{"B114: escape codes are text to the model", "\x1b[31mred\x1b[0m\n", nil, "1\t\x1b[31mred\x1b[0m\n", "read f (1 line)"},
		{"B110: what looks like a note has a number", "a\n\n[f is empty.]\n", nil, "1\ta\n2\t\n3\t[f is empty.]\n", "read f (3 lines)"},

		{
			"a long line among others", "a\n" + strings.Repeat("é", 2001) + "\nb\n", nil,
			"1\ta\n2\t" + strings.Repeat("é", 2000) + "…\n3\tb\n\n[Line 2 is longer than the 2000 characters shown, up to the …. " +
				"For the rest, read with offset 2 and column 2001.]", "read f (3 lines)",
		},
		{"a line that just fits", strings.Repeat("é", 2000) + "\r\n", nil, "1\t" + strings.Repeat("é", 2000) + "\n\n[The lines end in CRLF; edit and write keep that, so give plain line ends.]", "read f (1 line)"},
		{"several long lines", strings.Repeat(strings.Repeat("x", 2500)+"\n", 2), nil, "1\t" + strings.Repeat("x", 2000) + "…\n2\t" + strings.Repeat("x", 2000) + "…\n\n" +
			"[Lines 1 and 2 are longer than the 2000 characters shown, up to the …. For the rest, read with offset 1 and column 2001.]", "read f (2 lines)"},
		{
			"from a column to the end of the line", "a\nbc北de\nf\n",
			args{"offset": 2, "column": 3},
			"2\t北de\n\n[Line 2 from character 3 to its end, 5.]", "read f (line 2 from character 3)",
		},
		{"column 1 shows a long line", strings.Repeat("x", 3000) + "\nb\n", args{"column": 1}, "1\t" + strings.Repeat("x", 3000) + "\n\n[Line 1 from character 1 to its end, 3000.]", "read f (line 1 from character 1)"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(t)
			path := w.put("f", tc.content)
			in := args{"path": "f"}
			for k, v := range tc.in {
				in[k] = v
			}
			got := must(t)(w.read(in))
			want := tool.Result{Text: tc.text, Title: tc.title, Files: []message.FileVersion{{Path: path, Hash: hash(tc.content), Action: "read"}}}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
			if h, ok := w.ws.Seen(path); !ok || h != hash(tc.content) {
				t.Errorf("the workspace has not been told: %q, %v", h, ok)
			}
		})
	}
}

func TestReadRefuses(t *testing.T) {
	w := newWorld(t)
	w.put("f", "a\nb\n")
	w.put("src/main.go", "a")
	for _, tc := range []struct {
		name string
		in   args
		says []string
	}{
		{"past the end", args{"path": "f", "offset": 5}, []string{"only 2 lines", "smaller offset"}},
		{"past the end of a line", args{"path": "f", "column": 9}, []string{"Line 1 of f has only 1 characters", "smaller column"}},
		{"a negative offset", args{"path": "f", "offset": -10}, []string{"counted from 1"}},
		{"no path", args{"path": ""}, []string{"path is empty"}},
		{"a typing error", args{"path": "src/mian.go"}, []string{"src/mian.go does not exist", "Did you mean src/main.go?"}},
		{"a wrong directory", args{"path": "scr/main.go"}, []string{"does not exist", "Did you mean src/main.go?"}},
		{"nothing like it", args{"path": "src/zzzzzzzz"}, []string{"does not exist", "Nothing in src", "glob"}},
		{"a file as a directory", args{"path": "f/x"}, []string{"does not exist", "a file, not a directory"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r, err := w.read(tc.in)
			refused(t, r, err, tc.says...)
		})
	}
}

// B075: none of these may block.
func TestReadOfSpecialFiles(t *testing.T) {
	w := newWorld(t)
	if err := syscall.Mkfifo(w.path("live.pipe"), 0o644); err != nil {
		t.Fatal(err)
	}
	for path, kind := range map[string]string{"live.pipe": "a named pipe (FIFO)", "/dev/zero": "a character device", "/dev/tty": "a character device"} {
		r, err := w.read(args{"path": path})
		refused(t, r, err, kind, "regular files only")
		r, err = w.write(args{"path": path, "content": "x"})
		refused(t, r, err, kind)
		r, err = w.edit(args{"path": path, "old_string": "x", "new_string": "y"})
		refused(t, r, err, kind)
	}
}

func TestReadWithoutPermission(t *testing.T) {
	unprivileged.Run(t, func(t *testing.T) {
		w := newWorld(t)
		w.put("secret", "x")
		w.put("closed/f", "x")
		for _, name := range []string{"secret", "closed"} {
			if err := os.Chmod(w.path(name), 0); err != nil {
				t.Fatal(err)
			}
		}
		defer os.Chmod(w.path("closed"), 0o755)
		for _, name := range []string{"secret", "closed", "closed/f"} {
			r, err := w.read(args{"path": name})
			refused(t, r, err, "permission denied")
		}
		r, err := w.write(args{"path": "secret", "content": "y"})
		refused(t, r, err, "permission denied")
	})
}

// B076 and B077: a line of megabytes does not flood the result, and every part
// of it can be reached.
func TestReadOfALongLine(t *testing.T) {
	w := newWorld(t)
	line := []byte(strings.Repeat("0123456789", 300_000))
	copy(line[2_500_000:], "NEEDLE")
	w.put("min.js", string(line))
	r := must(t)(w.read(args{"path": "min.js", "offset": 1, "column": 2_500_001}))
	if !strings.HasPrefix(r.Text, "1\tNEEDLE") {
		t.Errorf("column 2500001 shows %.30q", r.Text)
	}
	line = line[2_300_000:2_600_000]
	w.put("min.js", string(line))
	r = must(t)(w.read(args{"path": "min.js"}))
	if len(r.Text) > 2500 || !strings.Contains(r.Text, "read with offset 1 and column 2001") {
		t.Errorf("%d bytes, ending in %q", len(r.Text), r.Text[len(r.Text)-200:])
	}
	var got []byte
	for column := 1; column > 0; {
		r = must(t)(w.read(args{"path": "min.js", "offset": 1, "column": column}))
		if n := utf8.RuneCountInString(r.Text); n > tool.MaxResult {
			t.Fatalf("a result of %d characters", n)
		}
		text, note, _ := strings.Cut(strings.TrimPrefix(r.Text, "1\t"), "\n")
		got = append(got, strings.TrimSuffix(text, "…")...)
		_, next, more := strings.Cut(note, "offset 1 and column ")
		column = 0
		if more {
			fmt.Sscanf(next, "%d", &column)
		}
	}
	if !bytes.Equal(got, line) {
		t.Errorf("the parts together have %d bytes, want %d", len(got), len(line))
	}
}

// No page is so long that it would be paged out, and none leaves a line out.
func TestReadInPages(t *testing.T) {
	w := newWorld(t)
	var want []string
	for i := range 900 {
		want = append(want, strings.Repeat("é", i%300)+fmt.Sprint(i))
	}
	w.put("f", strings.Join(want, "\n")+"\n")
	var got []string
	for offset := 1; ; {
		r := must(t)(w.read(args{"path": "f", "offset": offset, "limit": 100_000}))
		if n := len(r.Text); n > tool.MaxResult {
			t.Fatalf("a result of %d bytes", n)
		}
		body, note, _ := strings.Cut(r.Text, "\n\n[")
		for l := range strings.Lines(body + "\n") {
			_, text, _ := strings.Cut(strings.TrimSuffix(l, "\n"), "\t")
			got = append(got, text)
		}
		_, next, more := strings.Cut(note, "with offset ")
		if !more {
			break
		}
		fmt.Sscanf(next, "%d", &offset)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// A file of any size is read a piece at a time, and one over the limit is
// neither hashed nor counted.
func TestReadOfALargeFile(t *testing.T) {
	if testing.Short() {
		t.Skip("writes 80 MB")
	}
	w := newWorld(t)
	path := w.path("big.log")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	block := []byte(strings.Repeat("0123456789abcde\n", 1<<16))
	for range 80 {
		if _, err := f.Write(block); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r := must(t)(w.read(args{"path": "big.log", "offset": 79 << 16, "limit": 1}))
	runtime.ReadMemStats(&after)
	want := fmt.Sprintf("%d\t0123456789abcde\n\n[Lines %[1]d-%[1]d; there may be more, which were not counted because the file is so large. To go on, read with offset %d.]", 79<<16, 79<<16+1)
	if r.Text != want || r.Files != nil {
		t.Errorf("%q, files %v", r.Text, r.Files)
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > 4<<20 {
		t.Errorf("reading took %d bytes of memory", n)
	}
	w.ws.Note(message.FileVersion{Path: path, Action: "read"})
	r, err = w.write(args{"path": "big.log", "content": "x"})
	refused(t, r, err, "files of more than", "shell")
	r, err = w.edit(args{"path": "big.log", "old_string": "x", "new_string": "y"})
	refused(t, r, err, "files of more than", "sed")
}

// B078
func TestReadOfBinaryFiles(t *testing.T) {
	w := newWorld(t)
	var all []byte
	for i := range 256 {
		all = append(all, byte(i))
	}
	for name, tc := range map[string]struct{ content, kind string }{
		"bin.dat":   {string(all), "binary data, 256 bytes"},
		"notes.txt": {"\x7fELF\x02\x01\x01\x00\x00", "ELF program or library, 9 bytes"},
		"paper":     {"%PDF-1.7\n", "PDF document, 9 bytes"},
		"fake.txt":  {"\x89PNG\r\n\x1a\n", "PNG image that is damaged"},
	} {
		path := w.put(name, tc.content)
		r := must(t)(w.read(args{"path": name}))
		if !strings.Contains(r.Text, tc.kind) || len(r.Text) > 250 || r.Media != nil || r.Files != nil {
			t.Errorf("%s: %+v", name, r)
		}
		if _, ok := w.ws.Seen(path); ok {
			t.Errorf("%s counts as seen, though nothing of it was shown", name)
		}
		r, err := w.write(args{"path": name, "content": "x"})
		refused(t, r, err, "is not text", "was not overwritten")
		w.want(name, tc.content)
	}
}

func picture(t *testing.T, kind string, width, height int) string {
	t.Helper()
	img := image.NewPaletted(image.Rect(0, 0, width, height), color.Palette{color.White, color.Black})
	var b bytes.Buffer
	var err error
	switch kind {
	case "png":
		err = png.Encode(&b, img)
	case "jpeg":
		err = jpeg.Encode(&b, img, nil)
	case "gif":
		err = gif.Encode(&b, img, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// The heads of the three kinds of WebP, each with the size 300×200.
var (
	webpLossy    = "RIFF\x16\x00\x00\x00WEBPVP8 \x0a\x00\x00\x00\x00\x00\x00\x9d\x01\x2a\x2c\x01\xc8\x00"
	webpLossless = "RIFF\x16\x00\x00\x00WEBPVP8L\x0a\x00\x00\x00\x2f\x2b\xc1\x31\x00\x00\x00\x00\x00\x00"
	webpExtended = "RIFF\x16\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00\x00\x00\x00\x00\x2b\x01\x00\xc7\x00\x00"
)

func TestReadOfImages(t *testing.T) {
	for _, tc := range []struct{ name, content, mime, says string }{
		{"PNG", picture(t, "png", 300, 200), "image/png", "PNG image, 300×200 pixels"},
		{"JPEG", picture(t, "jpeg", 300, 200), "image/jpeg", "JPEG image, 300×200 pixels"},
		{"GIF", picture(t, "gif", 300, 200), "image/gif", "GIF image, 300×200 pixels"},
		{"lossy WebP", webpLossy, "image/webp", "WEBP image, 300×200 pixels"},
		{"lossless WebP", webpLossless, "image/webp", "WEBP image, 300×200 pixels"},
		{"extended WebP", webpExtended, "image/webp", "WEBP image, 300×200 pixels"},
		{"too wide", picture(t, "png", 8001, 1), "", "8001×1 pixels, too large to be shown"},
		{"too many bytes", picture(t, "png", 30, 20) + strings.Repeat("x", 4_000_000), "", "too large to be shown (more than 3750000 bytes)"},
		{"cut off", picture(t, "png", 300, 200)[:60], "", "damaged (its end is missing)"},
		{"a cut off WebP", webpLossy[:29], "", "damaged (its end is missing)"},
		{"a WebP of no known kind", strings.Replace(webpLossy, "VP8 ", "VP9 ", 1), "", "damaged"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(t)
			path := w.put("shot.txt", tc.content) // the name means nothing
			r := must(t)(w.read(args{"path": "shot.txt"}))
			if !strings.Contains(r.Text, tc.says) {
				t.Errorf("the text is %q", r.Text)
			}
			var media []message.Media
			var files []message.FileVersion
			if tc.mime != "" {
				media = []message.Media{{Kind: "image", MIME: tc.mime, Data: []byte(tc.content), Name: "shot.txt"}}
				files = []message.FileVersion{{Path: path, Hash: hash(tc.content), Action: "read"}}
			}
			if !cmp.Equal(r.Media, media) || !cmp.Equal(r.Files, files) {
				t.Errorf("%d media, files %v", len(r.Media), r.Files)
			}
		})
	}
}

func TestReadOfADirectory(t *testing.T) {
	w := newWorld(t)
	for _, name := range []string{"b.go", "a/x", "evil\x1b[2J\nname", ".hidden"} {
		w.put(name, "")
	}
	if err := os.Symlink("b.go", w.path("link")); err != nil {
		t.Fatal(err)
	}
	r := must(t)(w.read(args{"path": "."}))
	if want := ".hidden\na/\nb.go\n\"evil\\x1b[2J\\nname\"\nlink -> b.go\n\n[. is a directory with 5 entries.]"; r.Text != want {
		t.Errorf("%q, want %q", r.Text, want)
	}
	r = must(t)(w.read(args{"path": w.root, "offset": 2, "limit": 2}))
	if !strings.HasPrefix(r.Text, "a/\nb.go\n\n[") || !strings.Contains(r.Text, "These are 2-3. To go on, read with offset 4.") {
		t.Errorf("%q", r.Text)
	}
	if err := os.Mkdir(w.path("empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	if r := must(t)(w.read(args{"path": "empty"})); r.Text != "[empty is an empty directory.]" {
		t.Errorf("%q", r.Text)
	}
}

// B114: what people see of a file name has no control characters.
func TestTitlesAreSafe(t *testing.T) {
	w := newWorld(t)
	name := "a\x1b]0;own\a\nb"
	r := must(t)(w.write(args{"path": name, "content": "\x1b[2J\u009b1m\r\ntext\u202e\n"}))
	if r.Title != "created a␛]0;own␇␊b (+2 -0)" {
		t.Errorf("title %q", r.Title)
	}
	if want := "--- /dev/null\n+++ b/a␛]0;own␇␊b\n@@ -0,0 +1,2 @@\n+␛[2J\uFFFD1m\n+text\uFFFD\n"; r.Diff != want {
		t.Errorf("diff %q, want %q", r.Diff, want)
	}
	if r := must(t)(w.read(args{"path": name})); strings.ContainsAny(r.Title, "\x1b\a\n") {
		t.Errorf("title %q", r.Title)
	}
}

// A file that gives nothing for ever is given up when the call is cancelled.
func TestReadIsCancelled(t *testing.T) {
	w := newWorld(t)
	w.put("f", manyLines(100_000))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	begin := time.Now()
	_, err := file.Read(w.ws).Run(ctx, tool.Call{Name: "read", Input: []byte(`{"path":"f"}`)})
	var said *tool.Error
	if !errors.As(err, &said) || said.Status != message.StatusError || time.Since(begin) > time.Second {
		t.Errorf("%v after %v", err, time.Since(begin))
	}
}

func TestRelativePathsAreOfTheWorkingDirectory(t *testing.T) {
	w := newWorld(t)
	w.put("sub/f", "in sub\n")
	w.ws.SetDir(filepath.Join(w.root, "sub"))
	if r := must(t)(w.read(args{"path": "f"})); r.Text != "1\tin sub\n" || r.Title != "read sub/f (1 line)" {
		t.Errorf("%q, %q", r.Text, r.Title)
	}
}

func TestDescriptions(t *testing.T) {
	w := newWorld(t)
	for _, tl := range []tool.Tool{file.Read(w.ws), file.Write(w.ws), file.Edit(w.ws)} {
		s := tl.Spec()
		if len(s.Description) < 300 || len(s.Description) > 2500 {
			t.Errorf("%s: the description has %d bytes", s.Name, len(s.Description))
		}
	}
	if ro := file.Read(w.ws).(tool.ReadOnly).ReadOnly([]byte(`{"path":"f"}`)); !ro {
		t.Error("read is not read-only")
	}
	if ro := file.Write(w.ws).(tool.ReadOnly).ReadOnly([]byte(`{"path":"f","content":""}`)); ro {
		t.Error("write is read-only")
	}
}
