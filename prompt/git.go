package prompt

import (
	"os"
	"path/filepath"
	"strings"
)

// Git is where a directory stands in a git repository.
type Git struct {
	Root   string // of the work tree; empty: no repository
	Branch string // such as "branch main" or "commit 1a2b3c4d"; empty: not known
}

// FindGit looks for the work tree that dir lies in and reads what is checked
// out there. It reads files and starts no process, so it costs microseconds.
func FindGit(dir string) Git {
	for d := dir; filepath.IsAbs(d); d = filepath.Dir(d) {
		dot := filepath.Join(d, ".git")
		if fi, err := os.Stat(dot); err == nil {
			if fi.Mode().IsRegular() {
				dot = linked(d, dot)
			}
			return Git{Root: d, Branch: head(filepath.Join(dot, "HEAD"))}
		}
		if d == filepath.Dir(d) {
			break
		}
	}
	return Git{}
}

// linked is where the repository of a linked work tree or a submodule lies: its
// .git is a file that tells.
func linked(dir, file string) string {
	text, _, err := readRegular(file, 4096)
	if err != nil {
		return ""
	}
	to, ok := strings.CutPrefix(strings.TrimSpace(string(text)), "gitdir: ")
	if !ok {
		return ""
	}
	if !filepath.IsAbs(to) {
		to = filepath.Join(dir, to)
	}
	return to
}

// head is what a HEAD file says in words. A repository that keeps its
// references elsewhere has a HEAD that names no branch.
func head(file string) string {
	text, _, err := readRegular(file, 1024)
	if err != nil {
		return ""
	}
	s := strings.TrimSpace(string(text))
	if ref, ok := strings.CutPrefix(s, "ref: "); ok {
		name, ok := strings.CutPrefix(strings.TrimSpace(ref), "refs/heads/")
		if !ok || name == ".invalid" {
			return ""
		}
		return "branch " + name
	}
	if isHash(s) {
		return "commit " + s[:12]
	}
	return ""
}

// isHash reports whether s is an object name, SHA-1 or SHA-256.
func isHash(s string) bool {
	return (len(s) == 40 || len(s) == 64) && strings.Trim(s, "0123456789abcdef") == ""
}
