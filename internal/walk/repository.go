package walk

import (
	"os"
	"path/filepath"
	"strings"
)

// repositoryRoot is the nearest directory from dir upwards that holds a .git,
// and empty where none does.
func repositoryRoot(dir string) string {
	for {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return ""
		}
		dir = parent
	}
}

// excludeFile is the path of the rules that a repository has beside those in its
// tree. In a linked working tree and in a submodule .git is a file that says
// where the repository is (gitrepository-layout(5)).
func excludeFile(root string) string {
	git := filepath.Join(root, ".git")
	if b, err := os.ReadFile(git); err == nil {
		if dir, ok := strings.CutPrefix(strings.TrimSpace(string(b)), "gitdir: "); ok {
			git = absolute(root, dir)
		}
	}
	if b, err := os.ReadFile(filepath.Join(git, "commondir")); err == nil {
		git = absolute(git, strings.TrimSpace(string(b)))
	}
	return filepath.Join(git, "info", "exclude")
}

func absolute(base, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(base, path)
}
