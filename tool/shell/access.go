package shell

import (
	"github.com/daruma-dev/daruma/internal/shellsyntax"
	"github.com/daruma-dev/daruma/tool"
)

// access tells what a command would touch: itself, and the files that its
// redirections write, because only here it is known where links lead. A command
// that cannot be parsed is judged as such.
func (s *shell) access(in input) (tool.Access, error) {
	a := tool.Access{Action: tool.Execute, Command: in.Command}
	script, err := shellsyntax.Parse(in.Command)
	if err != nil {
		return a, nil //nolint:nilerr // the rules see for themselves that it cannot be parsed
	}
	for _, c := range script.Commands {
		for _, r := range c.Redirs {
			if !r.Target.Known || !r.Changes() {
				continue
			}
			path, err := s.ws.Resolve(r.Target.Text)
			if err != nil {
				return a, tool.Errorf("the command was not run: %s cannot be written to: %v", r.Target.Text, err)
			}
			a.Paths = append(a.Paths, path)
			a.Named = append(a.Named, s.ws.Abs(r.Target.Text))
		}
	}
	return a, nil
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
