package visible_test

import (
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/daruma-dev/daruma/internal/visible"
)

// B114: nothing that a terminal acts upon is left, and the rest is readable.
func TestVisible(t *testing.T) {
	for _, tc := range []struct{ name, in, text, line, file string }{
		{"plain", "main.go", "main.go", "main.go", "main.go"},
		{"empty", "", "", "", ""},
		{"other scripts", "北京 café 👍", "北京 café 👍", "北京 café 👍", "北京 café 👍"},
		{"lines and tabs", "a\tb\nc", "a\tb\nc", "a␉b␊c", `"a\tb\nc"`},
		{"clipboard", "\x1b]52;c;ZXZpbA==\a", "␛]52;c;ZXZpbA==␇", "␛]52;c;ZXZpbA==␇", `"\x1b]52;c;ZXZpbA==\a"`},
		{"one-byte escape", "a\u009b2J", "a\uFFFD2J", "a\uFFFD2J", `"a\u009b2J"`},
		{"carriage return hides", "rm -rf /\rls", "rm -rf /␍ls", "rm -rf /␍ls", `"rm -rf /\rls"`},
		{"delete and NUL", "\x7f\x00", "␡␀", "␡␀", `"\x7f\x00"`},
		{"reordering", "a\u202eb\u2066c", "a\uFFFDb\uFFFDc", "a\uFFFDb\uFFFDc", `"a\u202eb\u2066c"`},
		{"not UTF-8", "a\xfc\x9bb", "a\uFFFD\uFFFDb", "a\uFFFD\uFFFDb", `"a\xfc\x9bb"`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := visible.Text(tc.in); got != tc.text {
				t.Errorf("Text = %q, want %q", got, tc.text)
			}
			if got := visible.Line(tc.in); got != tc.line {
				t.Errorf("Line = %q, want %q", got, tc.line)
			}
			if got := visible.Name(tc.in); got != tc.file {
				t.Errorf("Name = %s, want %s", got, tc.file)
			}
		})
	}
}

func FuzzLine(f *testing.F) {
	f.Add("a\x1b[2J\u009b\xff")
	f.Fuzz(func(t *testing.T, s string) {
		got := visible.Line(s)
		if !utf8.ValidString(got) {
			t.Errorf("%q is not UTF-8", got)
		}
		for _, r := range got {
			if unicode.IsControl(r) {
				t.Errorf("%q has a control character", got)
			}
		}
		if visible.Line(got) != got {
			t.Errorf("%q changes again", got)
		}
	})
}
