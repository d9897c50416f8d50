package permission

import (
	"path"
	"slices"
	"strings"

	"github.com/daruma-dev/daruma/internal/shellsyntax"
)

// touches reports whether a rule about files speaks of one that the command
// names: the file of a redirection, or an argument. It sees no more than
// that; a program may open what it likes.
func (c *command) touches(rule Rule) bool {
	for _, p := range c.parts {
		for _, r := range p.Redirs {
			if (rule.tool == "read" || r.Write) && c.names(p, rule, r.Target) {
				return true
			}
		}
		if !rule.concernsArguments(p) {
			continue
		}
		if slices.ContainsFunc(p.Words[1:], func(w shellsyntax.Word) bool { return c.names(p, rule, w) }) {
			return true
		}
	}
	return slices.ContainsFunc(slices.Concat(c.request.Paths, c.request.Named), func(file string) bool {
		return c.matchesPath(rule.spec, file, true)
	})
}

// changers are programs that change the files in their arguments.
var changers = []string{
	"rm", "mv", "cp", "ln", "touch", "mkdir", "rmdir", "unlink", "tee", "dd", "truncate", "chmod", "chown", "chgrp", "install",
	"rsync", "shred", "patch", "sed", "perl", "git", "ed", "vi", "vim", "nano", "sponge", "split", "tar", "unzip",
}

// concernsArguments reports whether the arguments of a program may be files
// that it reads or, for rules about changes, changes.
func (rule Rule) concernsArguments(p part) bool {
	switch name := p.Name(); {
	case len(p.Words) == 0, slices.Contains([]string{"echo", "printf", "cd", "pushd"}, name):
		return false
	case rule.tool == "read":
		return true
	default:
		return slices.Contains(changers, name) && p.Changes() != ""
	}
}

// names reports whether a word may be a path of which the rule speaks, or hold
// one behind a "=".
func (c *command) names(p part, rule Rule, w shellsyntax.Word) bool {
	files := c.paths(p, w)
	if _, value, ok := strings.Cut(w.Text, "="); ok && value != "" {
		files = append(files, p.absolute(value)...)
	}
	return slices.ContainsFunc(files, func(file string) bool {
		return c.matchesPath(rule.spec, file, true) || c.mayExpandTo(rule, file)
	})
}

// mayExpandTo reports whether a path with a glob for its last name could become
// one of which the rule speaks: "cat .e*" with a rule about .env.
func (c *command) mayExpandTo(rule Rule, file string) bool {
	last := path.Base(rule.spec)
	if strings.ContainsAny(last, "*?[") || !strings.ContainsAny(path.Base(file), "*?[") {
		return false
	}
	ok, err := path.Match(path.Base(file), last)
	return err == nil && ok && c.matchesPath(rule.spec, path.Join(path.Dir(file), last), true)
}
