package shellsyntax

import (
	"fmt"
	"slices"
	"strings"
)

// ReadOnly reports whether a command is known to change nothing: no file, no
// process, no working directory. Whatever is not known counts as a change.
func ReadOnly(command string) bool {
	s, err := Parse(command)
	return err == nil && s.Changes() == "" && !s.Moves()
}

// Changes says why the script is not known to only read, and is empty when it
// is. A change of the working directory does not count; see Moves.
func (s Script) Changes() string {
	if s.obscure != "" {
		return "it has " + s.obscure
	}
	for _, c := range s.Commands {
		if why := c.Changes(); why != "" {
			return why
		}
		for _, r := range c.Redirs {
			if r.Changes() {
				return fmt.Sprintf("it writes to %s", r.Target.Text)
			}
		}
	}
	return ""
}

// Moves reports whether the shell may end in another working directory.
func (s Script) Moves() bool {
	return slices.ContainsFunc(s.Commands, func(c Command) bool {
		return !c.Subshell && slices.Contains([]string{"cd", "pushd", "popd"}, c.stripped().Name())
	})
}

// harmless are files where anything may be written to, besides descriptors that
// are open already.
var harmless = []string{"/dev/null", "/dev/stdout", "/dev/stderr"}

// Changes reports whether the redirection may change a file.
func (r Redirect) Changes() bool {
	fd, ok := strings.CutPrefix(r.Target.Text, "/dev/fd/")
	return r.Write && !(r.Target.Known && (slices.Contains(harmless, r.Target.Text) || ok && digits(fd)))
}

// Changes says why the command, its redirections apart, is not known to only
// read, and is empty when it is.
func (c Command) Changes() string {
	if name := c.unsafeAssign(); name != "" {
		return fmt.Sprintf("it sets $%s, which may change what programs do", name)
	}
	if len(c.Words) == 0 {
		return ""
	}
	if inner := c.stripped(); len(inner.Words) > 0 {
		return inner.judge(c.Words[0].Text == "xargs")
	}
	return ""
}

// Known reports whether the program is one of those that only read when they
// are called without certain arguments.
func (c Command) Known() bool {
	name, _, _ := c.stripped().lookUp()
	return name != ""
}

// judge looks the program up and its arguments over. Those that xargs adds are
// not there to be looked at, so it may only run a program that cannot be made
// to do harm.
func (c Command) judge(byXargs bool) string {
	name, p, args := c.lookUp()
	switch {
	case name == "" && c.Words[0].Known:
		return fmt.Sprintf("`%s` is not known to only read", c.shortName())
	case name == "":
		return fmt.Sprintf("which program %s runs is not known", c.Words[0].Text)
	case byXargs && (len(p.harmful) > 0 || p.check != nil):
		return fmt.Sprintf("xargs may give `%s` any arguments", name)
	}
	if bad := p.harmfulFlag(args); bad != "" {
		return fmt.Sprintf("`%s %s` may do more than read", name, bad)
	}
	if p.check != nil {
		if why := p.check(args); why != "" {
			return fmt.Sprintf("`%s`: %s", name, why)
		}
	}
	return ""
}

// shortName is the program with its subcommand, for messages.
func (c Command) shortName() string {
	if len(c.Words) > 1 && c.Words[1].Known && programs()[c.Name()].commands != nil {
		return c.Words[0].Text + " " + c.Words[1].Text
	}
	return c.Words[0].Text
}

// systemDirs hold the programs that the table speaks of; one elsewhere may be
// anything of the same name.
var systemDirs = []string{"", "/bin/", "/usr/bin/", "/usr/local/bin/", "/opt/homebrew/bin/"}

// lookUp finds the program in the table, and its subcommand where it has some.
// The name is empty when it is not there.
func (c Command) lookUp() (name string, p program, args []Word) {
	if len(c.Words) == 0 || !c.Words[0].Known {
		return "", program{}, nil
	}
	name = c.Name()
	if !slices.Contains(systemDirs, strings.TrimSuffix(c.Words[0].Text, name)) {
		return "", program{}, nil
	}
	p, ok := programs()[name]
	if !ok {
		return "", program{}, nil
	}
	args = c.Words[1:]
	if p.commands == nil {
		return name, p, args
	}
	for len(args) > 0 && name == "git" && args[0].Known && slices.Contains(gitLeading, args[0].Text) {
		args = args[1:]
	}
	switch {
	case len(args) == 0, len(args) == 1 && args[0].Known && (args[0].Text == "--version" || args[0].Text == "--help"):
		return name, noFiles, nil
	case !args[0].Known:
		return "", program{}, nil
	}
	sub, ok := p.commands[args[0].Text]
	if !ok {
		return "", program{}, nil
	}
	return name + " " + args[0].Text, sub, args[1:]
}
