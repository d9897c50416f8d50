package cli

import (
	"slices"
	"strings"
	"testing"
)

func TestSplitRules(t *testing.T) {
	for _, tc := range []struct {
		in   string
		want []string
	}{
		{"", nil},
		{" , ,", nil},
		{"Read", []string{"Read"}},
		{"Read,Edit", []string{"Read", "Edit"}},
		{"Read Edit,  Write", []string{"Read", "Edit", "Write"}},
		{"Bash(git log:*),Edit", []string{"Bash(git log:*)", "Edit"}},
		{"Bash(ls *, -a) Bash(echo (a, b) c),Read", []string{"Bash(ls *, -a)", "Bash(echo (a, b) c)", "Read"}},
		{"a) b, c", []string{"a)", "b", "c"}},
		{"Bash(never closed, Read", []string{"Bash(never closed, Read"}},
	} {
		if got := splitRules(tc.in); !slices.Equal(got, tc.want) {
			t.Errorf("splitRules(%q) = %q, want %q", tc.in, got, tc.want)
		}
	}
}

// Whatever a list holds, nothing of its rules is lost, and no rule is empty.
func FuzzSplitRules(f *testing.F) {
	f.Add("Bash(ls *, -a),Edit Read")
	f.Add(")(a,")
	f.Fuzz(func(t *testing.T, list string) {
		drop := strings.NewReplacer(",", "", " ", "", "\t", "", "\n", "", "\r", "").Replace
		got := splitRules(list)
		if slices.Contains(got, "") {
			t.Errorf("an empty rule in %q", got)
		}
		if drop(strings.Join(got, "")) != drop(list) {
			t.Errorf("splitRules(%q) = %q", list, got)
		}
	})
}
