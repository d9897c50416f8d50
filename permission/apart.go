package permission

import (
	"path"
	"slices"

	"github.com/daruma-dev/daruma/internal/shellsyntax"
)

func (p Policy) takeApart(r Request, script shellsyntax.Script) *command {
	c := &command{Policy: p, request: r, script: script, start: r.Dir}
	if c.start == "" && len(p.Roots) > 0 {
		c.start = p.Roots[0]
	}
	for _, cmd := range script.Commands {
		all, hidden := cmd.Every()
		if c.hidden == "" {
			c.hidden = hidden
		}
		for i, inner := range all {
			c.parts = append(c.parts, part{Command: inner, own: i == 0})
		}
	}
	c.walk()
	return c
}

// moves reports whether a part changes the working directory of its shell.
func (p part) moves() bool {
	return slices.Contains([]string{"cd", "pushd", "popd"}, p.Name())
}

// walk finds out where each part may run. After "cd x &&" that is x; after
// "cd x;" it is x or, where that fails, the place before.
func (c *command) walk() {
	dirs := []string{c.start}
	safe := slices.ContainsFunc(c.parts, func(p part) bool {
		return p.Text() == "set -e" || p.Text() == "set -euo pipefail" || p.Text() == "set -eu"
	})
	var cd *part
	var before []string
	for i := range c.parts {
		p := &c.parts[i]
		sure := p.After == "&&" || safe
		if cd != nil && (!sure || cd.Subshell && !p.Subshell) {
			dirs = union(before, dirs)
			cd = nil
		}
		p.dirs = dirs
		if p.moves() {
			cd, before, dirs = p, union(before, dirs), c.targets(*p)
		}
	}
}

// targets is where a change of directory may lead. One that cannot be known
// leads anywhere, of which the place before and the home directory, for an
// empty name, are what matters.
func (c *command) targets(p part) []string {
	if len(p.Words) > 1 {
		if dirs := c.paths(p, p.Words[len(p.Words)-1]); len(dirs) > 0 {
			return dirs
		}
	}
	return union(p.dirs, []string{c.home()})
}

// unknownHome stands for a home directory that is not known.
const unknownHome = "/~"

func (c *command) home() string {
	if c.Home == "" {
		return unknownHome
	}
	return path.Clean(c.Home)
}

// maxDirs bounds the places that a part may run at; more than that comes only
// from a text that is written to confuse.
const maxDirs = 32

func union(a, b []string) []string {
	out := slices.Clone(a)
	for _, dir := range b {
		if !slices.Contains(out, dir) && len(out) < maxDirs {
			out = append(out, dir)
		}
	}
	return out
}

// paths lists the absolute paths that a word may stand for; nil means that
// they are not known.
func (c *command) paths(p part, w shellsyntax.Word) []string {
	values, ok := w.Values(c.lookup)
	if !ok {
		return nil
	}
	var out []string
	for _, v := range values {
		out = append(out, p.absolute(v)...)
	}
	return out
}

// absolute lists where a path may lie that is relative to where the part runs.
func (p part) absolute(file string) []string {
	if path.IsAbs(file) {
		return []string{path.Clean(file)}
	}
	var out []string
	for _, dir := range p.dirs {
		out = append(out, path.Join(dir, file))
	}
	return out
}
