package shell

import (
	"strings"

	"github.com/daruma-dev/daruma/internal/shellsyntax"
	"github.com/daruma-dev/daruma/tool"
)

// access tells what a command would touch: itself, the files that its
// redirections write, and where links among its words lead, because only here
// can that be known. A command that cannot be parsed is judged as such.
func (s *shell) access(in input) (tool.Access, error) {
	a := tool.Access{Action: tool.Execute, Command: in.Command}
	script, err := shellsyntax.Parse(in.Command)
	if err != nil {
		return a, nil //nolint:nilerr // the rules see for themselves that it cannot be parsed
	}
	looked := 0
	for _, c := range script.Commands {
		for _, r := range c.Redirs {
			if !r.Target.Known || !r.Write {
				s.follow(&a, r.Target)
				continue
			}
			path, err := s.ws.Resolve(r.Target.Text)
			if err != nil {
				return a, tool.Errorf("the command was not run: %s cannot be written to: %v", r.Target.Text, err)
			}
			if r.Changes() {
				a.Paths, a.Named = append(a.Paths, path), append(a.Named, s.ws.Abs(r.Target.Text))
			}
		}
		for _, w := range c.Words {
			if looked++; looked <= maxLooked {
				s.follow(&a, w)
			}
		}
	}
	return a, nil
}

// maxLooked is for how many words of a command it is looked up whether they
// are links.
const maxLooked = 500

// follow adds where a word leads that names a link or something behind one.
func (s *shell) follow(a *tool.Access, w shellsyntax.Word) {
	if !w.Known || w.Text == "" || strings.HasPrefix(w.Text, "-") {
		return
	}
	named := s.ws.Abs(w.Text)
	if path, err := s.ws.Resolve(w.Text); err == nil && path != named {
		a.Paths, a.Named = append(a.Paths, path), append(a.Named, named)
	}
}

// startsBackground reports whether a command may leave something running.
func startsBackground(command string) bool {
	script, err := shellsyntax.Parse(command)
	if err != nil {
		return true
	}
	for _, c := range script.Commands {
		switch c.Name() {
		case "setsid", "nohup", "disown", "coproc":
			return true
		}
		if c.Background {
			return true
		}
	}
	return false
}
