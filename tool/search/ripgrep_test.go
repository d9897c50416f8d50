package search_test

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/daruma-dev/daruma/tool"
	"github.com/daruma-dev/daruma/tool/search"
)

// A second opinion: ripgrep counts the same lines in the same files.
func TestAgreesWithRipgrep(t *testing.T) {
	rg, err := exec.LookPath("rg")
	if err != nil {
		t.Skip("needs ripgrep")
	}
	ws, err := tool.NewWorkspace(filepath.Join(goSource(t), "encoding"))
	if err != nil {
		t.Skip(err)
	}
	for _, tc := range []struct {
		pattern string
		in      args
		flags   []string
	}{
		{"func", nil, nil},
		{"errors.New|fmt.Errorf", nil, nil},
		{`func \(\w+ \*?Decoder\) \w+\(`, nil, nil},
		{`[a-z]+[0-9]{2,}`, nil, nil},
		{`\bint(8|16)\b`, nil, nil},
		{`^\s*//.*[.?]$`, nil, nil},
		{`.`, nil, nil},
		{`^$`, nil, nil},
		{`[^\x00-\x7f]`, nil, nil},
		{`é|ß|日`, nil, nil},
		{"UNMARSHALER", args{"ignore_case": true}, []string{"-i"}},
		{`(TEST|bench)\w*err`, args{"ignore_case": true}, []string{"-i"}},
		{"json", args{"glob": "*_test.go"}, []string{"-g", "*_test.go"}},
		{"json", args{"glob": "!*_test.go"}, []string{"-g", "!*_test.go"}},
		{"package", args{"type": "go", "path": "json"}, []string{"-t", "go", "json"}},
	} {
		in := args{"pattern": tc.pattern, "mode": "count", "limit": 5000}
		for k, v := range tc.in {
			in[k] = v
		}
		r, err := run(search.Grep(ws), in)
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(rg, append([]string{"--count", "--hidden", "--no-messages", "--with-filename", "--no-config", tc.pattern}, tc.flags...)...)
		cmd.Dir = ws.Root()
		if len(tc.flags) == 0 || tc.flags[0] != "-t" {
			cmd.Args = append(cmd.Args, ".")
		}
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("rg %v: %v", cmd.Args, err)
		}
		if d := cmp.Diff(lines(string(out)), lines(r.Text)); d != "" {
			t.Errorf("%v (-rg +ours):\n%s", in, d)
		}
	}
}

// lines makes both forms of a list of counts alike.
func lines(s string) []string {
	var list []string
	for l := range strings.Lines(s) {
		name, count, _ := strings.Cut(strings.TrimSpace(l), ":")
		list = append(list, strings.TrimPrefix(name, "./")+": "+strings.TrimSpace(count))
	}
	slices.Sort(list)
	return list
}
