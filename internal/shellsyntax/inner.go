package shellsyntax

import (
	"slices"
	"strings"
)

// runners are programs that run what stands in their arguments, the wrappers
// among them. Where in the arguments it begins is not worked out: each of them
// may be the beginning.
var runners = []string{
	"timeout", "time", "nice", "nohup", "stdbuf", "command", "builtin", "noglob", "xargs", "sudo", "doas", "env", "exec",
	"watch", "setsid", "ionice", "flock", "chroot", "busybox", "toybox", "parallel", "strace", "ltrace", "chrt", "taskset",
	"unshare", "nsenter", "systemd-run", "caffeinate", "script", "su", "runuser", "ssh", "trap", "find", "fd", "entr",
	"firejail", "bwrap", "proot", "fakeroot", "unbuffer", "rlwrap",
}

// shells read commands from -c, a file or their input.
var shells = []string{"sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "fish", "csh", "tcsh"}

// The limits on what is looked into. More is written to confuse.
const (
	maxDepth  = 6       // how deep commands may lie within commands
	maxBegin  = 64      // how far into its arguments what a runner runs may begin
	maxBudget = 200_000 // bytes of text in all
)

const tooMuch = "what commands within commands do"

// Every lists a command and all that it runs in turn, as far as its text tells
// (sudo rm, sh -c 'rm', eval rm, xargs rm, find -exec rm). It may list too
// much: words that are no commands. hidden names what cannot be seen, a program
// or a text that is only known when it runs, and is empty where there is none.
func (c Command) Every() (all []Command, hidden string) {
	e := every{}
	e.add(c, 0)
	return e.all, e.hidden
}

type every struct {
	all    []Command
	hidden string
	budget int // spent
}

func (e *every) hide(what string) {
	if e.hidden == "" {
		e.hidden = what
	}
}

func (e *every) add(c Command, depth int) {
	e.all = append(e.all, c)
	if len(c.Words) == 0 {
		return
	}
	if depth == maxDepth {
		e.hide(tooMuch)
		return
	}
	name := c.Name()
	switch {
	case !c.Words[0].Known:
		e.hide("which program " + c.Words[0].Text + " is")
	case slices.Contains(shells, name):
		e.shell(c, depth)
	case name == "eval":
		e.text(c.Words[1:], depth)
	case name == "." || name == "source":
		e.hide("what " + c.Text() + " runs")
	case slices.Contains(runners, name):
		e.runner(c, depth)
	}
}

// text adds what a shell reads from words.
func (e *every) text(words []Word, depth int) {
	var b strings.Builder
	for _, w := range words {
		if !w.Known {
			e.hide("what " + w.Text + " runs")
		}
		b.WriteString(w.Text + " ")
	}
	e.budget += b.Len()
	if e.budget > maxBudget {
		e.hide(tooMuch)
		return
	}
	s, err := Parse(b.String())
	if err != nil {
		e.hide("what " + strings.TrimSpace(b.String()) + " runs")
		return
	}
	for _, c := range s.Commands {
		e.add(c, depth+1)
	}
}

// shell adds the text after -c, which may stand in a cluster (-lc).
func (e *every) shell(c Command, depth int) {
	for i, w := range c.Words[1:] {
		if strings.HasPrefix(w.Text, "-") && !strings.HasPrefix(w.Text, "--") && strings.Contains(w.Text, "c") {
			rest := slices.DeleteFunc(slices.Clone(c.Words[i+2:]), func(w Word) bool { return strings.HasPrefix(w.Text, "-") })
			if len(rest) > 0 {
				e.text(rest[:1], depth)
				return
			}
		}
	}
	e.hide("what " + c.Text() + " runs")
}

// runner adds every end of the arguments, and every argument that looks like a
// command text of its own.
func (e *every) runner(c Command, depth int) {
	for i, w := range c.Words {
		switch {
		case i > maxBegin || e.budget > maxBudget:
			e.hide(tooMuch)
			return
		case i == 0 || strings.HasPrefix(w.Text, "-"):
		case w.Known && strings.ContainsAny(w.Text, " \t\n;&|"):
			e.text([]Word{w}, depth)
		case w.Known:
			inner := c
			inner.Assigns, inner.Redirs, inner.Words = nil, nil, c.Words[i:]
			if name := inner.Name(); name == "eval" || slices.Contains(shells, name) {
				e.add(inner, depth+1)
			} else {
				e.all = append(e.all, inner)
			}
		}
	}
}
