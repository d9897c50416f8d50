package shell

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/daruma-dev/daruma/internal/visible"
	"github.com/daruma-dev/daruma/tool"
)

// memory is a spool that can be looked at.
type memory struct {
	bytes.Buffer
	closed int
}

func (m *memory) Close() error { m.closed++; return nil }
func (m *memory) Path() string { return "/spool" }

// take gives an output to a result in pieces of the given sizes, of which the
// last is used again and again.
func take(text string, limit int, secrets []string, sizes ...int) (result string, spool *memory, o *output) {
	call := tool.Call{ID: "t", Progress: func(string) {}, Blob: func(string) (tool.Blob, error) {
		spool = &memory{}
		return spool, nil
	}}
	o = newOutput(call, limit, secrets)
	for rest := []byte(text); len(rest) > 0; {
		n := min(sizes[0], len(rest))
		o.add(rest[:n], time.Time{})
		if rest = rest[n:]; len(sizes) > 1 {
			sizes = sizes[1:]
		}
	}
	o.end(time.Time{})
	result, _ = o.text()
	o.close()
	return result, spool, o
}

func TestOutput(t *testing.T) {
	cut := func(head string, total, left int, tail string) string {
		return fmt.Sprintf("%s\n[Cut here: this is the beginning and the end of %d bytes; %d are left out. The whole output is in /spool: `read` it with an offset, or `grep` it.]\n%s", head, total, left, tail)
	}
	lines := ""
	for i := range 20 {
		lines += fmt.Sprintf("line %02d\n", i)
	}
	for _, c := range []struct {
		name, text string
		limit      int
		want       string
	}{
		{"nothing", "", 30, ""},
		{"all of it", "abc\n", 30, "abc\n"},
		{"as much as fits", strings.Repeat("x", 30), 30, strings.Repeat("x", 30)},
		{"one more", strings.Repeat("x", 31), 30, cut(strings.Repeat("x", 10), 31, 1, strings.Repeat("x", 20))},
		{"whole lines where there are", lines, 60, cut("line 00\nline 01", 160, 160-16-40, "line 15\nline 16\nline 17\nline 18\nline 19\n")},
		{"characters, not bytes", strings.Repeat("é", 30), 30, strings.Repeat("é", 30)},
		{"of four bytes each", strings.Repeat("👍", 31), 30, cut(strings.Repeat("👍", 10), 124, 4, strings.Repeat("👍", 20))},
		{"more than is held", strings.Repeat("a", 1000) + strings.Repeat("b", 1000), 30, cut(strings.Repeat("a", 10), 2000, 1970, strings.Repeat("b", 20))},
		{"what only draws does not count", strings.Repeat("\x1b[31mx\x1b[0m", 12), 30, strings.Repeat("x", 12)},
	} {
		got, spool, _ := take(c.text, c.limit, nil, 7)
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
		if strings.Contains(c.want, "/spool") != (spool != nil) || spool != nil && (spool.String() != c.text || spool.closed != 1) {
			t.Errorf("%s: the spool is %+v", c.name, spool)
		}
	}
}

func TestOutputWithoutSpool(t *testing.T) {
	for name, open := range map[string]func(string) (tool.Blob, error){
		"none": nil,
		"fails": func(string) (tool.Blob, error) {
			return nil, errors.New("disk full")
		},
		"fails to write": func(string) (tool.Blob, error) {
			f, err := os.Open(os.DevNull) // for reading only
			return blob{f}, err
		},
	} {
		o := newOutput(tool.Call{Progress: func(string) {}, Blob: open}, 30, nil)
		o.add([]byte(strings.Repeat("x", 500)), time.Time{})
		o.end(time.Time{})
		text, blob := o.text()
		if blob != nil || !strings.Contains(text, "They were not kept, so have less printed if you need them.") || utf8.RuneCountInString(text) > 300 {
			t.Errorf("%s: %v, %q", name, blob, text)
		}
		o.close()
	}
}

// However an output is cut into pieces, what comes of it is the same, is within
// bounds and holds no secret.
func TestOutputInPieces(t *testing.T) {
	text := rapid.OneOf(
		rapid.StringMatching(`[a-z\n]{0,40}`), rapid.StringMatching(`(é|👍|x){0,30}`), rapid.SampledFrom([]string{
			"SECRET-abc", "SECRET-", "SECRET-abSECRET-abc", "other secret", "\x1b[31m", "\r\n", "10%\r20%\r", "\xff\xfe", "\x00", "a\bb", "\xf0\x9f",
		}),
	)
	rapid.Check(t, func(t *rapid.T) {
		all := strings.Join(rapid.SliceOfN(text, 0, 30).Draw(t, "text"), "")
		limit := rapid.IntRange(3, 200).Draw(t, "limit")
		secrets := []string{"SECRET-abc", "other secret"}
		whole, _, o := take(all, limit, secrets, len(all)+1)
		pieces, spool, _ := take(all, limit, secrets, rapid.SliceOfN(rapid.IntRange(1, 50), 1, 20).Draw(t, "sizes")...)
		if diff := cmp.Diff(whole, pieces); diff != "" {
			t.Errorf("(-whole +pieces):\n%s", diff)
		}
		for _, s := range secrets {
			if strings.Contains(whole, s) || spool != nil && strings.Contains(spool.String(), s) {
				t.Errorf("%q is in %q", s, whole)
			}
		}
		if n := utf8.RuneCountInString(whole); n > limit+300 {
			t.Errorf("%d characters, limit %d", n, limit)
		}
		if want := strings.NewReplacer("SECRET-abc", redacted, "other secret", redacted).Replace(all); o.total != int64(len(want)) || spool != nil && spool.String() != want {
			t.Errorf("%d bytes, want %d; spool %v", o.total, len(want), spool)
		}
	})
}

func TestSpoolIsBounded(t *testing.T) {
	text, spool, _ := take(strings.Repeat("0123456789abcde\n", (maxSpool+10<<20)/16), 1000, nil, 1<<20)
	if spool.Len() != maxSpool {
		t.Errorf("the spool has %d bytes", spool.Len())
	}
	if want := fmt.Sprintf("of %d bytes", maxSpool+10<<20); !strings.Contains(text, want) || !strings.Contains(text, "The first 200 MB are in /spool") {
		t.Errorf("%q", text)
	}
}

func TestReadable(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"plain", "a\tb\nc", "a\tb\nc"},
		{"colours", "\x1b[1;31mred\x1b[0m \x1b[38;5;1mx\x1b[m\x1b(B", "red x"},
		{"movements", "a\x1b[2J\x1b[10;20Hb\x1b[K\x1b[?25l\x1b7\x1b8", "ab"},
		{"links", "\x1b]8;;http://x\x07text\x1b]8;;\x07 \x1b]8;id=1;http://x\x1b\\y\x1b]8;;\x1b\\", "text y"},
		{"a title and the clipboard become visible (B114)", "\x1b]0;own\a\x1b]52;c;ZXZpbA==\a", "␛]0;own␇␛]52;c;ZXZpbA==␇"},
		{"an unfinished sequence", "a\x1b[31", "a␛[31"},
		{"line ends of other systems", "a\r\nb\r\n", "a\nb\n"},
		{"progress", "10%\r50%\r100%\ndone", "100%\ndone"},
		{"progress that ends with a return", "10%\r100%\r\nx\r", "100%\nx"},
		{"backspaces", "a\bb\n\b\bc", "b\nc"},
		{"bold", "N\bNA\bA", "NA"},
		{"NUL and what is not UTF-8 (B056)", "a\x00b\xffc", "a␀b\uFFFDc"},
		{"an escape of one byte", "\u009b31m", "\uFFFD31m"},
	} {
		if got := readable([]byte(c.text)); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func FuzzReadable(f *testing.F) {
	f.Add([]byte("\x1b[31ma\r\nb\b\x00\xff\x1b]8;;x\x07"))
	f.Fuzz(func(t *testing.T, b []byte) {
		got := readable(b)
		if !utf8.ValidString(got) || visible.Text(got) != got {
			t.Errorf("%q", got)
		}
		for _, r := range got {
			if unicode.IsControl(r) && r != '\n' && r != '\t' {
				t.Errorf("%q holds %q", got, r)
			}
		}
	})
}

func TestRedactor(t *testing.T) {
	for _, c := range []struct {
		name string
		in   []string
		want string
	}{
		{"whole", []string{"a SECRET-abc b"}, "a [secret] b"},
		{"in pieces", []string{"a SEC", "RET", "-abc b"}, "a [secret] b"},
		{"only begun", []string{"a SECRET-ab", "d"}, "a SECRET-abd"},
		{"begun at the end", []string{"a SECRET-ab"}, "a SECRET-ab"},
		{"twice", []string{"SECRET-abcSECRET-a", "bc"}, "[secret][secret]"},
		{"begun twice", []string{"SECRET-SECRET-", "abc"}, "SECRET-[secret]"},
		{"byte by byte", strings.Split("xSECRET-abcy", ""), "x[secret]y"},
	} {
		r := redactor{secrets: []string{"SECRET-abc", "another-one"}}
		var out strings.Builder
		for _, s := range c.in {
			out.Write(r.add([]byte(s)))
		}
		out.Write(r.end())
		if out.String() != c.want {
			t.Errorf("%s: %q, want %q", c.name, out.String(), c.want)
		}
	}
}

func TestExcerpt(t *testing.T) {
	for _, c := range []struct {
		text        string
		n           int
		first, last string
	}{
		{"abc", 3, "abc", "abc"},
		{"abc", 0, "", ""},
		{"abc", 2, "ab", "bc"},
		{"äöü", 2, "äö", "öü"},
		{"one\ntwo\nthree", 10, "one\ntwo\n", "two\nthree"},
		{"a\nlong line", 8, "a\nlong l", "ong line"},
		{"b\nlonger", 6, "b\nlong", "longer"},
		{"long line\na", 8, "long lin", "g line\na"},
	} {
		if first, last := firstChars(c.text, c.n), lastChars(c.text, c.n); first != c.first || last != c.last {
			t.Errorf("%q, %d: %q and %q, want %q and %q", c.text, c.n, first, last, c.first, c.last)
		}
	}
}

func TestEnvironment(t *testing.T) {
	env, secrets := environment([]string{
		"A=1", "ANTHROPIC_API_KEY=SECRET-abc", "COPY=SECRET-abc", "OPENAI_API_KEY=short", "SHORT=short", "MINE=SECRET-def", "DARUMA_X=y",
		"BASH_ENV=f", "ENV=f", "FORCE_COLOR=1", "PAGER=less", "GIT_CONFIG_COUNT=x",
	}, []string{"MINE"})
	want := append([]string{"A=1", "SHORT=short", "PAGER=less", "GIT_CONFIG_COUNT=x"}, quiet...) // the last of a name counts
	want = append(want, "GIT_CONFIG_KEY_0=core.pager", "GIT_CONFIG_VALUE_0=cat", "GIT_CONFIG_COUNT=1")
	if diff := cmp.Diff(want, env); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"SECRET-abc", "SECRET-def"}, secrets); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
