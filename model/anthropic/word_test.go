package anthropic

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestCleanWord(t *testing.T) {
	long := strings.Repeat("a", 64)
	for in, want := range map[string]string{
		"toolu_01-X": "toolu_01-X",
		long:         long,
		"":           "_cbf29ce484222325",
		long + "a":   strings.Repeat("a", 47) + "_8087e9a889f8a14c",
		"gr üße":     "gr_____e_985392e0e742bd20",
	} {
		if got := cleanWord(in); got != want {
			t.Errorf("cleanWord(%q) = %q, want %q", in, got, want)
		}
	}
}

// Whatever comes in, what goes out is a word the API takes, words that it takes
// stay, and different ones stay different.
func TestCleanWordProperties(t *testing.T) {
	valid := regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.StringN(0, 100, 200).Draw(t, "a"), rapid.StringN(0, 100, 200).Draw(t, "b")
		x, y := cleanWord(a), cleanWord(b)
		if !valid.MatchString(x) || valid.MatchString(a) && x != a || a != b && x == y {
			t.Errorf("%q became %q, %q became %q", a, x, b, y)
		}
	})
}
