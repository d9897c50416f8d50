package shellsyntax

import (
	"slices"
	"strings"
)

// wrapper is a program that runs another one and adds nothing to what that
// does.
type wrapper struct {
	flags    []string // that stand alone
	valued   []string // that take the next word, or have it attached
	operands int      // words before the command
}

var wrappers = map[string]wrapper{
	"timeout": {flags: []string{"--foreground", "--preserve-status", "-v"}, valued: []string{"-k", "-s", "--kill-after", "--signal"}, operands: 1},
	"time":    {flags: []string{"-p", "-v"}},
	"nice":    {valued: []string{"-n", "--adjustment"}},
	"nohup":   {},
	"stdbuf":  {valued: []string{"-i", "-o", "-e", "--input", "--output", "--error"}},
	"command": {flags: []string{"-p"}},
	"builtin": {},
	"noglob":  {},
	"xargs": {
		flags:  []string{"-0", "-r", "-t", "-x", "--null", "--no-run-if-empty"},
		valued: []string{"-n", "-L", "-P", "-I", "-d", "-s", "--max-args", "--max-lines", "--max-procs", "--replace", "--delimiter"},
	},
}

// Strip takes one wrapper, such as timeout or nice, off the command. It is
// false when there is none, or one whose arguments are not understood.
func (c Command) Strip() (Command, bool) {
	if len(c.Words) == 0 || !c.Words[0].Known {
		return c, false
	}
	w, ok := wrappers[c.Words[0].Text]
	if !ok {
		return c, false
	}
	args := c.Words[1:]
	for len(args) > 0 && strings.HasPrefix(args[0].Text, "-") {
		n := w.flag(args[0])
		if n == 0 || n > len(args) {
			return c, false
		}
		args = args[n:]
	}
	if len(args) <= w.operands || slices.ContainsFunc(args[:w.operands+1], func(w Word) bool { return !w.Known }) {
		return c, false
	}
	c.Words = args[w.operands:]
	return c, true
}

// flag is how many words a flag takes; 0 means that it is not understood.
func (w wrapper) flag(arg Word) int {
	name, _, attached := strings.Cut(arg.Text, "=")
	switch {
	case !arg.Known:
		return 0
	case slices.Contains(w.flags, arg.Text):
		return 1
	case slices.Contains(w.valued, arg.Text):
		return 2
	case attached && slices.Contains(w.valued, name):
		return 1
	case !strings.HasPrefix(arg.Text, "--") && len(arg.Text) > 2 && slices.Contains(w.valued, arg.Text[:2]):
		return 1
	}
	return 0
}

// stripped is the command without any wrappers. What "command -v" asks about
// is not run.
func (c Command) stripped() Command {
	for {
		if c.Name() == "command" && len(c.Words) > 1 && (c.Words[1].Text == "-v" || c.Words[1].Text == "-V") {
			c.Words = []Word{known("type")}
			return c
		}
		inner, ok := c.Strip()
		if !ok {
			return c
		}
		c = inner
	}
}
