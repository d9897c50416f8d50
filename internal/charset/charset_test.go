package charset_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/daruma-dev/daruma/internal/charset"
)

func utf16(c charset.Charset, mark bool, s string) string {
	f := charset.Form{Charset: c, Mark: mark}
	return string(f.MarkBytes()) + string(f.Encode(s))
}

var (
	le = charset.UTF16LE
	be = charset.UTF16BE
)

func TestDetect(t *testing.T) {
	for _, tc := range []struct {
		name, content string
		want          charset.Form
	}{
		{"empty", "", charset.Form{}},
		{"ASCII", "package main\n", charset.Form{}},
		{"UTF-8 with a mark", "\xef\xbb\xbftitle", charset.Form{Mark: true}},
		{"a mark alone", "\xef\xbb\xbf", charset.Form{Mark: true}},
		{"UTF-16 little-endian with a mark", utf16(le, true, "héllo"), charset.Form{Charset: le, Mark: true}},
		{"UTF-16 big-endian with a mark", utf16(be, true, "北京"), charset.Form{Charset: be, Mark: true}},
		{"UTF-16 without a mark", utf16(le, false, "name = café\r\n"), charset.Form{Charset: le}},
		{"UTF-16 big-endian without a mark", utf16(be, false, "name = café\r\n"), charset.Form{Charset: be}},
		{"a list parted by NUL", "a\x00bc\x00def\x00ghij\x00", charset.Form{}},
		{"small numbers", "\x01\x00\x02\x00\x03\x00\x04\x00\x05\x00", charset.Form{}},
		{"UTF-32", "\xff\xfe\x00\x00a\x00\x00\x00", charset.Form{}},
		{"Latin-1", "M\xfcller", charset.Form{}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := charset.Detect([]byte(tc.content)); got != tc.want {
				t.Errorf("Detect = %+v, want %+v", got, tc.want)
			}
		})
	}
}

// B078: what is no text is known by its content, never by its name.
func TestBinary(t *testing.T) {
	var all []byte
	for i := range 256 {
		all = append(all, byte(i))
	}
	for _, tc := range []struct {
		name, content, kind string // kind "" means text
	}{
		{"empty", "", ""},
		{"source", "package main\n", ""},
		{"each byte once", string(all), "binary data"},
		{"a NUL among text", "abc\x00def", "binary data"},
		{"PNG", "\x89PNG\r\n\x1a\n", "PNG image"},
		{"PDF without a NUL", "%PDF-1.7\ntext", "PDF document"},
		{"gzip without a NUL", "\x1f\x8b\x08abc", "gzip data"},
		{"ELF", "\x7fELF\x02\x01\x01\x00\x00", "ELF program or library"},
		{"WebP", "RIFF\x24\x00\x00\x00WEBPVP8 ", "WebP image"},
		{"text that starts like an archive", "PKZIP and BZh are names", ""},
		{"text about a format", "GIF89a is a format\n", ""},
		{"UTF-16", utf16(le, true, "hello"), ""},
		{"UTF-16 without a mark", utf16(be, false, "hello there"), ""},
		{"UTF-32", "\xff\xfe\x00\x00a\x00\x00\x00", "UTF-32 text"},
		{"Latin-1", "# M\xfcller, na\xefve\n", ""},
		{"a coloured log", strings.Repeat("\x1b[31mred\x1b[0m\n", 20), ""},
		{"control characters all over", strings.Repeat("\x01\x02a", 20), "binary data"},
		{"one stray control character", strings.Repeat("a line of text\n", 9) + "\x01", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			kind, ok := charset.Binary([]byte(tc.content))
			if kind != tc.kind || ok != (tc.kind != "") {
				t.Errorf("Binary = %q, %v; want %q", kind, ok, tc.kind)
			}
		})
	}
}

// Wherever the input is cut into pieces, the text is the same.
func TestReader(t *testing.T) {
	for _, tc := range []struct {
		name, content, want string
		replaced, nuls      int
	}{
		{"empty", "", "", 0, 0},
		{"plain", "a\r\nb\n", "a\r\nb\n", 0, 0},
		{"marked", "\xef\xbb\xbf北京", "北京", 0, 0},
		{"a mark inside stays", "a\xef\xbb\xbfb", "a\uFEFFb", 0, 0},
		{"Latin-1", "M\xfcller na\xefve", "M\uFFFDller na\uFFFDve", 2, 0},
		{"cut off", "a\xe5\x8c", "a\uFFFD\uFFFD", 2, 0},
		{"NUL", "a\x00b", "a␀b", 0, 1},
		{"a real U+FFFD", "a\uFFFDb", "a\uFFFDb", 0, 0},
		{"UTF-16", utf16(le, true, "né\r\n👍 北"), "né\r\n👍 北", 0, 0},
		{"UTF-16 big-endian", utf16(be, true, "né\r\n👍 北"), "né\r\n👍 北", 0, 0},
		{"half a pair", "\xff\xfea\x00\x3d\xd8b\x00", "a\uFFFDb", 2, 0},
		{"half a pair at the end", "\xff\xfea\x00\x3d\xd8", "a\uFFFD", 2, 0},
		{"half a unit at the end", "\xff\xfea\x00b", "a\uFFFD", 1, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := charset.Detect([]byte(tc.content))
			for _, src := range []io.Reader{
				strings.NewReader(tc.content),
				iotest.OneByteReader(strings.NewReader(tc.content)),
				iotest.DataErrReader(strings.NewReader(tc.content)),
			} {
				r := f.NewReader(src)
				got, err := io.ReadAll(r)
				if err != nil || string(got) != tc.want || r.Replaced != tc.replaced || r.NULs != tc.nuls {
					t.Errorf("read %q (%d replaced, %d NULs), %v; want %q (%d, %d)", got, r.Replaced, r.NULs, err, tc.want, tc.replaced, tc.nuls)
				}
			}
			if got, n := f.Decode([]byte(tc.content)); got != tc.want || n != tc.replaced {
				t.Errorf("Decode = %q, %d", got, n)
			}
		})
	}
}

func TestReaderKeepsErrors(t *testing.T) {
	r := charset.Form{}.NewReader(io.MultiReader(strings.NewReader("text"), iotest.ErrReader(io.ErrUnexpectedEOF)))
	got, err := io.ReadAll(r)
	if string(got) != "text" || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("read %q, %v", got, err)
	}
}

func FuzzReader(f *testing.F) {
	for _, seed := range []string{"", "a\xffb", utf16(le, true, "né👍"), utf16(be, true, "x"), "\xff\xfe\x3d\xd8", "\xef\xbb\xbf\xe5\x8c"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		form := charset.Detect(content)
		whole, err := io.ReadAll(form.NewReader(bytes.NewReader(content)))
		if err != nil {
			t.Fatal(err)
		}
		pieces, err := io.ReadAll(form.NewReader(iotest.OneByteReader(bytes.NewReader(content))))
		if err != nil {
			t.Fatal(err)
		}
		text, replaced := form.Decode(content)
		if !bytes.Equal(whole, pieces) || text != string(whole) {
			t.Errorf("%q, %q and %q differ", whole, pieces, text)
		}
		if !utf8.ValidString(text) || strings.Contains(text, "\x00") {
			t.Errorf("%q cannot be sent", text)
		}
		back := append(form.MarkBytes(), form.Encode(text)...)
		if replaced == 0 && !strings.ContainsRune(text, charset.NUL) && !bytes.Equal(back, content) {
			t.Errorf("%q came back as %q", content, back)
		}
	})
}
