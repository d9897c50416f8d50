package similar_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/daruma-dev/daruma/internal/similar"
)

func TestNames(t *testing.T) {
	for _, tc := range []struct {
		name, want string
		have, out  []string
	}{
		{"case first", "readme.md", []string{"README.md", "readme.txt", "other"}, []string{"README.md", "readme.txt"}},
		{"another extension", "app.js", []string{"app.tsx", "zap.go"}, []string{"app.tsx"}},
		{"a slip", "mian.go", []string{"main.go", "maine.go", "go.mod"}, []string{"main.go", "maine.go"}},
		{"a part", "config.yaml", []string{"app-config.yml", "x"}, []string{"app-config.yml"}},
		{"short names are not all alike", "ab", []string{"xy", "zz", "a"}, []string{"a"}},
		{"nothing like it", "main.go", []string{"LICENSE", "docs"}, nil},
		{"nothing at all", "main.go", nil, nil},
		{"an empty name", "", []string{"a.go"}, nil},
		{"five at most", "a1.go", []string{"a2.go", "a3.go", "a4.go", "a5.go", "a6.go", "a7.go"}, []string{"a2.go", "a3.go", "a4.go", "a5.go", "a6.go"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if d := cmp.Diff(tc.out, similar.Names(tc.want, tc.have)); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

func TestPaths(t *testing.T) {
	root := t.TempDir()
	for _, f := range []string{"cmd/app/main.go", "README.md", "docs/guide.md"} {
		if err := os.MkdirAll(filepath.Join(root, filepath.Dir(f)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, f), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, tc := range []struct {
		path, dir string
		names     []string
	}{
		{"cmd/app/mian.go", "cmd/app", []string{"cmd/app/main.go"}},
		{"cmds/app/main.go", "", []string{"cmd/app/main.go"}},
		{"doc/guide.txt", "", []string{"docs"}},
		{"README.md/x", "", []string{"README.md"}},
		{"nothing/like/this", "", nil},
	} {
		dir, names := similar.Paths(filepath.Join(root, tc.path))
		for i := range names {
			names[i], _ = filepath.Rel(root, names[i])
		}
		if want := filepath.Join(root, tc.dir); dir != want || !cmp.Equal(names, tc.names) {
			t.Errorf("%s: %s, %q; want %s, %q", tc.path, dir, names, want, tc.names)
		}
	}
}
