//go:build unix

package prompt

import (
	"path/filepath"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Opening a named pipe blocks until somebody writes (as in B075).
func TestNamedPipesDoNotBlock(t *testing.T) {
	root := tree(t, "-- .git/x --\n-- CLAUDE.md --\n@pipe\n")
	for _, name := range []string{"AGENTS.md", "pipe", ".git/HEAD"} {
		if err := syscall.Mkfifo(filepath.Join(root, name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"CLAUDE.md: @pipe", "note: AGENTS.md could not be read: not a regular file"}
	if d := cmp.Diff(want, summary(root, Load(Where{Dir: root}))); d != "" {
		t.Errorf("loaded (-want +got):\n%s", d)
	}
	if d := cmp.Diff(Git{Root: root}, FindGit(root)); d != "" {
		t.Errorf("git (-want +got):\n%s", d)
	}
}
