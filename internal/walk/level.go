package walk

import (
	"path/filepath"
	"strings"
)

// level is the rules of one directory, with those of the directories above it.
// Directories without rules share their parent's level. Nil has no rules.
type level struct {
	above   *level
	prefix  int // length of the directory's own path, with the slash after it
	ignore  rules
	git     rules
	root    bool  // a repository starts here: git's rules from above do not count
	exclude rules // of that repository
}

// judge is what the rules say about a path relative to the top.
func (l *level) judge(path, name string, isDir bool) bool {
	for at := l; at != nil; at = at.above {
		if v := at.ignore.judge(path[at.prefix:], name, isDir); v != silent {
			return v == ignored
		}
	}
	for at := l; at != nil; at = at.above {
		v := at.git.judge(path[at.prefix:], name, isDir)
		if v == silent && at.root {
			v = at.exclude.judge(path[at.prefix:], name, isDir)
		}
		if v != silent || at.root {
			return v == ignored
		}
	}
	return false
}

// names of the files that make a level.
const (
	gitDir    = ".git"
	gitIgnore = ".gitignore"
	dotIgnore = ".ignore"
)

// below is the level of the directory dir, whose path relative to the top is
// rel, given which of the files that matter it has.
func (l *level) below(dir, rel string, has marks) *level {
	if has == (marks{}) {
		return l
	}
	n := &level{above: l, root: has.git}
	if rel != "" {
		n.prefix = len(rel) + 1
	}
	if has.gitIgnore {
		n.git = loadRules(filepath.Join(dir, gitIgnore))
	}
	if has.dotIgnore {
		n.ignore = loadRules(filepath.Join(dir, dotIgnore))
	}
	if has.git {
		n.exclude = loadRules(excludeFile(dir))
	}
	return n
}

// marks says which of the files that make a level a directory has.
type marks struct{ git, gitIgnore, dotIgnore bool }

func (m *marks) note(name string) {
	switch name {
	case gitDir:
		m.git = true
	case gitIgnore:
		m.gitIgnore = true
	case dotIgnore:
		m.dotIgnore = true
	}
}

// levelAbove is the level of the directories from top down to root, without root
// itself. rel is root's path relative to top, with slashes.
func levelAbove(top, rel string, repository bool) *level {
	var l *level
	dir, at := top, ""
	for name := range strings.SplitSeq(rel, "/") {
		if name == "" {
			return l
		}
		l = l.below(dir, at, marks{git: repository && dir == top, gitIgnore: true, dotIgnore: true})
		dir = filepath.Join(dir, name)
		at = strings.TrimPrefix(at+"/"+name, "/")
	}
	return l
}
