package shellsyntax

import (
	"bytes"
	"context"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

func words(t testing.TB, text string) []Word {
	s, err := Parse(text)
	if err != nil || len(s.Commands) == 0 {
		t.Fatalf("Parse(%q): %v", text, err)
	}
	return s.Commands[0].Words
}

func TestWord(t *testing.T) {
	for _, c := range []struct {
		text string
		want Word
	}{
		{`a`, known("a")},
		{`''`, known("")},
		{`""`, known("")},
		{`a'b c'"d"`, known("ab cd")},
		{`\a\ \$b`, known("a $b")},
		{`"\$\a\""`, known(`$\a"`)},
		{`'*'`, known("*")},
		{`\*`, known("*")},
		{`"~"`, known("~")},
		{`a~`, known("a~")},
		{`a=~/b`, Word{Text: `a=~/b`, Prefix: "a="}},
		{`{}`, known("{}")},
		{`a@{0}`, known("a@{0}")},
		{`{'',}`, Word{Text: `{'',}`}},
		{`$'a'`, known("a")},
		{`[`, known("[")},
		{`[a]`, Word{Text: `[a]`}},
		{`[a'b]'`, Word{Text: `[a'b]'`}},
		{`$'\x61'`, Word{Text: `$'\x61'`}},
		{`$x`, Word{Text: `$x`, Splits: true}},
		{`"$x"`, Word{Text: `"$x"`}},
		{`a/$x`, Word{Text: `a/$x`, Prefix: "a/", Splits: true}},
		{`"a/$x"`, Word{Text: `"a/$x"`, Prefix: "a/"}},
		{`a*b`, Word{Text: `a*b`, Prefix: "a"}},
		{`'a b'/*`, Word{Text: `'a b'/*`, Prefix: "a b/"}},
		{`*`, Word{Text: `*`}},
		{`x{a,b}`, Word{Text: `x{a,b}`, Prefix: "x"}},
		{`{1..3}`, Word{Text: `{1..3}`}},
		{`~`, Word{Text: `~`}},
		{`~/a`, Word{Text: `~/a`}},
		{`~root/a`, Word{Text: `~root/a`}},
		{`-x$(y)`, Word{Text: `-x$(y)`, Prefix: "-x", Splits: true}},
		{`"$@"`, Word{Text: `"$@"`, Splits: true}},
		{`$((1+1))`, Word{Text: `$((1+1))`}},
	} {
		got := words(t, "echo "+c.text)[1]
		if diff := cmp.Diff(c.want, got, cmpopts.IgnoreUnexported(Word{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.text, diff)
		}
	}
}

func TestMayBeFlag(t *testing.T) {
	for text, want := range map[string]bool{
		"-x": true, "a": false, "$x": true, `"$x"`: true, "a/$x": true, `"a/$x"`: false, "*": true, "./*": false, `'-x'`: true, `\-x`: true, "a{b,c}": false,
	} {
		if got := words(t, "echo "+text)[1].MayBeFlag(); got != want {
			t.Errorf("%s: %t, want %t", text, got, want)
		}
	}
}

func TestValues(t *testing.T) {
	lookup := func(name string) ([]string, bool) {
		v, ok := map[string][]string{"HOME": {"/home/u"}, "x": {"1", "2"}, "e": {""}}[name]
		return v, ok
	}
	for _, c := range []struct {
		text string
		want []string
	}{
		{"a", []string{"a"}},
		{"~/a", []string{"/home/u/a"}},
		{`"$HOME"/*.go`, []string{"/home/u/*.go"}},
		{"$x-$x", []string{"1-1", "1-2", "2-1", "2-2"}},
		{"${e:-d}", []string{"d"}},
		{"a$e", []string{"a"}},
		{"$y", nil},
		{"$(z)", nil},
		{"${x%.go}", nil},
		{strings.Repeat("$x", 7), nil}, // 128 of them
	} {
		got, ok := words(t, "echo "+c.text)[1].Values(lookup)
		if diff := cmp.Diff(c.want, got); diff != "" || ok != (c.want != nil) {
			t.Errorf("%s: %t (-want +got):\n%s", c.text, ok, diff)
		}
	}
}

// bash prints the words that it makes of a text, each with a NUL behind it.
func bash(t testing.TB, text string) []string {
	path, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash")
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, path, "-c", "printf '%s\\0' "+text).Output()
	if err != nil {
		t.Fatalf("bash: %q: %v", text, err)
	}
	return strings.Split(string(bytes.TrimSuffix(out, []byte{0})), "\x00")
}

// What is said to be known must be what bash makes of it. The words are random
// pieces of all kinds of quoting; bash is asked about many of them at once.
func TestKnownWordsAreWhatBashMakesOfThem(t *testing.T) {
	piece := rapid.OneOf(
		rapid.StringMatching(`[a-z/.,:=+@%^_-]{1,3}`),
		rapid.StringMatching(`'[a-z "$\\*~{},!]{0,4}'`),
		rapid.StringMatching(`"([a-z '*~{},]|\\[\\"$a-z]){0,4}"`),
		rapid.StringMatching(`\\[a-z "'$*~{}\\;&|<>()#!]`),
		rapid.StringMatching(`[~{}#]`),
		rapid.StringMatching(`\$'[a-z "]{0,3}'`),
		rapid.Just("\\\n"),
	)
	rapid.Check(t, func(rt *rapid.T) {
		var texts []string
		for range 40 {
			text := strings.Join(rapid.SliceOfN(piece, 1, 5).Draw(rt, "pieces"), "")
			s, err := Parse("echo " + text)
			if err == nil && len(s.Commands) == 1 && len(s.Commands[0].Words) == 2 && s.Commands[0].Words[1].Known {
				texts = append(texts, text)
			}
		}
		if len(texts) == 0 {
			return
		}
		line := strings.Join(texts, " ") + " end"
		if _, err := Parse("echo " + line); err != nil {
			return // together they may look like something that is not judged
		}
		var got []string
		for _, w := range words(t, "echo "+line)[1:] {
			got = append(got, w.Text)
		}
		if diff := cmp.Diff(bash(t, line), got); diff != "" {
			rt.Fatalf("%s\n(-bash +ours):\n%s", line, diff)
		}
	})
}
