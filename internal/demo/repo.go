package demo

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/txtar"
)

//go:embed repo.txtar
var repoFiles []byte

// repo is the little repository that the demonstration works on.
type repo struct{ dir string }

// makeRepo writes the repository and commits it, so that the diff at the end is
// what the agent did.
func makeRepo(ctx context.Context, dir string) (repo, error) {
	r := repo{dir}
	for _, f := range txtar.Parse(repoFiles).Files {
		if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o644); err != nil {
			return repo{}, fmt.Errorf("demo: write the repository: %w", err)
		}
	}
	for _, args := range [][]string{
		{"init", "-q", "-b", "main"},
		{"add", "-A"},
		{"-c", "user.name=demo", "-c", "user.email=demo@example.com", "-c", "commit.gpgsign=false", "commit", "-q", "-m", "A greeter whose test fails"},
	} {
		if out, err := r.run(ctx, "git", args...); err != nil {
			return repo{}, fmt.Errorf("demo: git %s: %w\n%s", args[0], err, out)
		}
	}
	return r, nil
}

// run runs a program in the repository and returns what it printed. Variables
// that point git elsewhere are left out: the demonstration may itself be run
// from a git hook.
func (r repo) run(ctx context.Context, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = r.dir
	cmd.Env = append(cleanEnv(os.Environ()), "GOWORK=off", "GOFLAGS=")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// cleanEnv is an environment without what would lead git to another repository.
func cleanEnv(env []string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(kv string) bool {
		return strings.HasPrefix(kv, "GIT_")
	})
}
