package search

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// matchingLines lists the numbers of the lines that a pattern matches.
func matchingLines(p *pattern, text string) []int {
	f := newFinder(p)
	f.start([]byte(text))
	var lines []int
	for from := 0; from <= len(text); {
		s, ok := f.find(from)
		if !ok {
			break
		}
		_, end := lineAround(f.text, s.start)
		lines = append(lines, strings.Count(text[:s.start], "\n"))
		from = end + 1
	}
	return lines
}

func TestDemand(t *testing.T) {
	for _, tc := range []struct {
		expr       string
		fold       bool
		needles    []string
		folded     bool
		sure, none bool
	}{
		{expr: "func", needles: []string{"func"}, sure: true},
		{expr: "foo|bar", needles: []string{"foo", "bar"}, sure: true},
		{expr: "foo(bar|baz)", needles: []string{"foobar", "foobaz"}, sure: true},
		{expr: "colou?r", needles: []string{"colour", "color"}, sure: true},
		{expr: `func \w+\(ctx`, needles: []string{"func "}},
		{expr: `\w+Handler\b`, needles: []string{"Handler"}},
		{expr: `^import`, needles: []string{"import"}},
		{expr: `(ab)+c`, needles: []string{"ab"}},
		{expr: `x{3,}yy`, needles: []string{"yy"}},
		{expr: `[ab]c`, needles: []string{"ac", "bc"}, sure: true},
		{expr: `(?i)Func`, needles: []string{"func"}, folded: true},
		{expr: `TODO|(?i)fixme`, needles: []string{"todo", "fixme"}, folded: true},
		{expr: `Func`, fold: true, needles: []string{"func"}, folded: true},
		{expr: `Größe`, fold: true, needles: []string{"gr"}, folded: true},
		{expr: `(?i)é|x`, needles: []string{"X", "x", "É", "é"}, sure: true},
		{expr: `(?i)éé|xx`, none: true},
		{expr: `\w+`, none: true},
		{expr: `a*`, none: true},
		{expr: `foo|\d`, needles: nil, none: true},
		{expr: ``, none: true},
		{expr: `a|b|`, none: true},
		{expr: `[a-z][a-z]`, none: true},
	} {
		p, err := compile(tc.expr, tc.fold, false)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, n := range p.needles {
			got = append(got, string(n))
		}
		if !cmp.Equal(got, tc.needles) || p.fold != tc.folded || p.sure != tc.sure || (got == nil) != tc.none {
			t.Errorf("%s: %v", tc.expr, p)
		}
	}
}

func TestCompile(t *testing.T) {
	for _, tc := range []struct {
		expr, text      string
		fold, multiline bool
		want            []int
	}{
		{expr: "b$", text: "ab\r\nab\nba\n", want: []int{0, 1}},
		{expr: "^$", text: "a\n\r\n\nb", want: []int{1, 2}},
		{expr: `\Aa`, text: "b\na\n", want: []int{1}},
		{expr: `a\z`, text: "a\nb\n", want: []int{0}},
		{expr: `a\s+b`, text: "a\nb\na \tb\n", want: []int{2}},
		{expr: `a[^x]b`, text: "a\nb\na b\n", want: []int{2}},
		{expr: `(?s)a.b`, text: "a\nb\na b\n", want: []int{2}},
		{expr: `a.*d`, text: "ab\ncd\n", multiline: true, want: []int{0}},
		{expr: `b$\s^c`, text: "ab\ncd\n", multiline: true, want: []int{0}},
		{expr: `mask`, text: "MAſK\nMASK\nmas\u212a\nmak\n", fold: true, want: []int{0, 1, 2}},
		{expr: `mas`, text: "MAſK\nMASK\n", fold: true, want: []int{0, 1}},
		{expr: `größe`, text: "GRÖSSE\nGRÖẞE\nGröße\n", fold: true, want: []int{1, 2}},
		{expr: `日本`, text: "x日本語\n", want: []int{0}},
		{expr: "a\\x00?b", text: "ab\na\x00b", want: []int{0, 1}},
		{expr: "b", text: "\xff\xfeb\xff\n", want: []int{0}},
	} {
		p, err := compile(tc.expr, tc.fold, tc.multiline)
		if err != nil {
			t.Fatal(err)
		}
		if got := matchingLines(p, tc.text); !cmp.Equal(got, tc.want) {
			t.Errorf("%s on %q: lines %v, want %v", p, tc.text, got, tc.want)
		}
	}
}

func TestCompileRefuses(t *testing.T) {
	for expr, says := range map[string]string{
		"foo(": "Put a backslash", "[a": "Put a backslash", "(?=x)": "no look-around", "(?<!x)y": "no look-around",
		`a\nb`: "Set multiline", `[\n]`: "Set multiline",
	} {
		if _, err := compile(expr, false, false); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", expr, err)
		}
	}
	if _, err := compile(`a\nb`, false, true); err != nil {
		t.Error(err)
	}
}

// Whatever shortcuts are taken, the lines found are those that the regexp
// package matches by themselves.
func TestFinderAgreesWithRegexp(t *testing.T) {
	atom := rapid.SampledFrom([]string{
		"a", "b", "ab", "k", "s", "é", "K", ".", `\w`, `\s`, `\b`, "^", "$", "[ab]", "[^a]", "[a-z]", "(?i:ab)", "(a|b)", "(ab|k|)", "(?:s|é)", `\.`,
	})
	times := rapid.SampledFrom([]string{"", "", "", "*", "+", "?", "{2}", "{0,1}", "*?"})
	expr := rapid.Custom(func(t *rapid.T) string {
		var b strings.Builder
		for range rapid.IntRange(1, 5).Draw(t, "atoms") {
			b.WriteString(atom.Draw(t, "atom"))
			b.WriteString(times.Draw(t, "times"))
			b.WriteString(rapid.SampledFrom([]string{"", "", "", "|"}).Draw(t, "or"))
		}
		return b.String()
	})
	piece := rapid.SampledFrom([]string{"a", "b", "ab", "AB", "k", "K", "\u212a", "s", "S", "ſ", "é", "É", " ", ".", "\n", "\n", "\xff", "_"})
	rapid.Check(t, func(t *rapid.T) {
		e, fold := expr.Draw(t, "expr"), rapid.Bool().Draw(t, "fold")
		text := strings.Join(rapid.SliceOfN(piece, 0, 30).Draw(t, "text"), "")
		p, err := compile(e, fold, false)
		if err != nil {
			t.Skip(err)
		}
		flags := "(?m)"
		if fold {
			flags = "(?im)"
		}
		re, err := regexp.Compile(flags + e)
		if err != nil {
			t.Skip(err)
		}
		var want []int
		lines := strings.Split(text, "\n")
		for i, l := range lines {
			last := i == len(lines)-1 && l == "" // what follows the last line end is no line
			if !last && re.MatchString(l) {
				want = append(want, i)
			}
		}
		if got := matchingLines(p, text); !cmp.Equal(got, want) {
			t.Errorf("%s finds lines %v of %q, want %v", p, got, text, want)
		}
		p.needles, p.sure = nil, false
		if got := matchingLines(p, text); !cmp.Equal(got, want) {
			t.Errorf("%s finds lines %v of %q without needles, want %v", p, got, text, want)
		}
	})
}

// A pattern that leads to more states than are remembered still finds what it
// should.
func TestManyStates(t *testing.T) {
	p, err := compile(`[ab]*a[ab]{16}c`, false, false)
	if err != nil {
		t.Fatal(err)
	}
	var text []byte
	x := uint32(1)
	for range 100_000 {
		x = x*1664525 + 1013904223
		text = append(text, "ab"[x>>31])
	}
	text = append(text, "\nabbbbbbbbbbbbbbbbc\nbbbbbbbbbbbbbbbbbc"...)
	f := newFinder(p)
	f.needles = nil
	f.start(text)
	s, ok := f.find(0)
	if want := (span{100_001, 100_019}); !ok || s != want {
		t.Errorf("found %v, %v; want %v", s, ok, want)
	}
	if s, ok := f.find(100_020); ok {
		t.Errorf("found %v in the last line", s)
	}
	if n := len(f.dfa.states); n > maxStates+1 {
		t.Errorf("%d states", n)
	}
}

func FuzzAppendLower(f *testing.F) {
	f.Add([]byte("The Quick [\\]^_` @AZ{az} Brown\x80\xc1\xda FOX"))
	f.Fuzz(func(t *testing.T, text []byte) {
		want := bytes.Clone(text)
		for i, c := range want {
			if 'A' <= c && c <= 'Z' {
				want[i] = c + 32
			}
		}
		if got := appendLower(nil, text); !bytes.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	})
}
