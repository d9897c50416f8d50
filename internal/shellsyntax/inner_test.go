package shellsyntax

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestEvery(t *testing.T) {
	for _, c := range []struct {
		text   string
		want   []string
		hidden string
	}{
		{"ls a", []string{"ls a"}, ""},
		{"sudo rm -rf a", []string{"sudo rm -rf a", "rm -rf a", "a"}, ""},
		{"sudo -u x rm a", []string{"sudo -u x rm a", "x rm a", "rm a", "a"}, ""},
		{"env X=1 rm a", []string{"env X=1 rm a", "X=1 rm a", "rm a", "a"}, ""},
		{"bash -c 'cd a; rm b'", []string{"bash -c cd a; rm b", "cd a", "; rm b"}, ""},
		{"bash -lc 'rm b' x", []string{"bash -lc rm b x", "rm b"}, ""},
		{"sh -c \"sh -c 'rm b'\"", []string{"sh -c sh -c 'rm b'", "sh -c rm b", "rm b"}, ""},
		{"sudo sh -c 'rm b'", []string{"sudo sh -c rm b", "sh -c rm b", "rm b", "rm b"}, ""},
		{"eval rm 'a b'", []string{"eval rm a b", "rm a b"}, ""},
		{"eval \"$x\"", []string{"eval <\"$x\">", "<\"$x\">"}, `what "$x" runs`},
		{"bash f", []string{"bash f"}, "what bash f runs"},
		{"bash", []string{"bash"}, "what bash runs"},
		{". f", []string{". f"}, "what . f runs"},
		{"$x a", []string{"<$x> a"}, "which program $x is"},
		{"find . -exec rm {} +", []string{"find . -exec rm {} +", ". -exec rm {} +", "rm {} +", "{} +", "+"}, "what . -exec rm {} + runs"},
		{"ssh h 'rm a'", []string{"ssh h rm a", "h rm a", "rm a"}, ""},
	} {
		s, err := Parse(c.text)
		if err != nil {
			t.Fatal(err)
		}
		all, hidden := s.Commands[0].Every()
		var got []string
		for _, e := range all {
			got = append(got, draw(e))
		}
		if c.text == "find . -exec rm {} +" { // "." is a word here, not the command of that name
			c.hidden = ""
		}
		if diff := cmp.Diff(c.want, got); diff != "" || hidden != c.hidden {
			t.Errorf("%s: hidden %q, want %q (-want +got):\n%s", c.text, hidden, c.hidden, diff)
		}
	}
}

// Commands within commands end somewhere.
func TestEveryIsBounded(t *testing.T) {
	for _, text := range []string{strings.Repeat("eval ", 12), strings.Repeat("sudo eval ", 1000), strings.Repeat("sudo ", 10_000)} {
		s, err := Parse(text + "rm a")
		if err != nil {
			t.Fatal(err)
		}
		if all, hidden := s.Commands[0].Every(); len(all) > 10_000 || hidden == "" {
			t.Errorf("%.20s: %d commands, hidden %q", text, len(all), hidden)
		}
	}
}

func TestStrip(t *testing.T) {
	for text, want := range map[string]string{
		"timeout 5 npm test":          "npm test",
		"timeout -s KILL -k 2 5 a":    "a",
		"timeout --signal=KILL 5 a b": "a b",
		"timeout -k2 5 a":             "a",
		"nice -n 10 a":                "a",
		"nohup a":                     "a",
		"stdbuf -oL -eL a":            "a",
		"command a":                   "a",
		"xargs a b":                   "a b",
		"xargs -0 -n 1 a":             "a",
		"noglob a *":                  "a *",
		"a":                           "",
		"timeout":                     "",
		"timeout 5":                   "",
		"timeout --unknown 5 a":       "",
		"timeout $x a":                "",
		"nice $x":                     "",
		"watch a":                     "",
		"env A=1 a":                   "",
		"sudo a":                      "",
		"./timeout 5 a":               "",
	} {
		s, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		inner, ok := s.Commands[0].Strip()
		if got := inner.Text(); ok != (want != "") || ok && got != want {
			t.Errorf("Strip(%q) = %q, %t, want %q", text, got, ok, want)
		}
	}
}

func TestLast(t *testing.T) {
	for _, c := range []struct {
		text, want string // empty: cannot be said
		moves      bool
	}{
		{"grep a b", "grep a b", false},
		{"ls; grep a b", "grep a b", false},
		{"ls | grep a", "grep a", false},
		{"grep a b || grep a c", "grep a c", false},
		{"make && grep a b", "", false},
		{"cd a && grep a b", "grep a b", true},
		{"echo x && pwd && grep a b", "grep a b", false},
		{"cd a && make && grep a b", "", false},
		{"(grep a b)", "grep a b", false},
		{"{ ls; grep a b; }", "grep a b", false},
		{"time grep a b", "grep a b", false},
		{"timeout 5 grep a b", "grep a b", false},
		{"[[ -f a ]]", "[[", false},
		{"[ -f a ]", "[ -f a ]", false},
		{"! grep a b", "", false},
		{"grep a b &", "", false},
		{"if grep a b; then ls; fi", "", false},
		{"set -e; grep a b", "", false},
		{"set -o pipefail; ls | grep a", "", false},
		{"x=1", "", false},
		{"", "", false},
		{"grep 'a b' \"$x\"", "grep a b ", false},
	} {
		s, err := Parse(c.text)
		if err != nil {
			t.Fatal(err)
		}
		got, moves, ok := s.Last()
		if ok != (c.want != "") || ok && (got.Text() != c.want || moves != c.moves) {
			t.Errorf("Last(%q) = %q, %t, %t, want %q, %t", c.text, got.Text(), moves, ok, c.want, c.moves)
		}
	}
}

func TestFiles(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"cat a /b", []string{"a", "/b"}},
		{"cat -n -- -a", []string{"-a"}},
		{"grep -rn /x/ b c", []string{"b", "c"}},
		{"grep -e /x/ b", []string{"b"}},
		{"grep -f /p b", []string{"/p", "b"}},
		{"grep -A 3 x b", []string{"b"}},
		{"grep --include '*.go' x b", []string{"b"}},
		{"rg /x", nil},
		{"sed -n '/a/p' b", []string{"b"}},
		{"sed -ne '/a/p' b", []string{"b"}},
		{"jq -r .a b", []string{"b"}},
		{"cut -d / -f 1 b", []string{"b"}},
		{"head -n 3 b", []string{"b"}},
		{"sort --files0-from=/x", []string{"/x"}},
		{"find . /b -name x", []string{".", "/b", "x"}},
		{"timeout 5 cat /b", []string{"/b"}},
		{"echo /b", nil},
		{"make /b", nil},
		{"git log -S /api", nil},
		{"git diff /a /b", []string{"/a", "/b"}},
	} {
		s, err := Parse(c.text)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, w := range s.Commands[0].Files() {
			got = append(got, w.Text)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.text, diff)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range readOnly {
		f.Add(text)
	}
	for _, text := range notReadOnly {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse(text)
		if err != nil {
			if ReadOnly(text) {
				t.Errorf("ReadOnly(%q) though it cannot be parsed", text)
			}
			return
		}
		s.Last()
		safe := ReadOnly(text)
		for _, c := range s.Commands {
			c.Every()
			c.Files()
			c.Harmful()
			for _, w := range c.Words {
				if w.Known && w.Prefix != w.Text {
					t.Errorf("%q: known word %q has the prefix %q", text, w.Text, w.Prefix)
				}
			}
			if c.Changes() != "" && safe {
				t.Errorf("ReadOnly(%q) though %s", text, c.Changes())
			}
		}
		if safe && ReadOnly(text+"\n\ntouch P") { // the first may be quoted
			t.Errorf("ReadOnly(%q) with a command behind it", text)
		}
	})
}
