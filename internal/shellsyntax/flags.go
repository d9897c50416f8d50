package shellsyntax

import (
	"slices"
	"strings"
)

// harmfulFlag is the first argument that is or may be a harmful flag.
func (p program) harmfulFlag(args []Word) string {
	if len(p.harmful) == 0 {
		return ""
	}
	for _, w := range args {
		if w.Known && w.Text == "--" {
			return "" // what follows are operands
		}
		if !w.MayBeFlag() {
			continue
		}
		if !w.Known || slices.ContainsFunc(p.harmful, func(flag string) bool { return p.isFlag(w.Text, flag) }) {
			return w.Text
		}
	}
	return ""
}

// Harmful lists the arguments that make a program of the table write files or
// run others, or that may do so because they are not known. It is nil for
// other programs.
func (c Command) Harmful() []string {
	inner := c.stripped()
	name, p, args := inner.lookUp()
	var bad []string
	switch {
	case name == "find":
		return badPrimaries(args)
	case name != "" && c.Name() == "xargs" && len(p.harmful) > 0:
		bad = append(bad, "xargs")
	}
	for _, w := range args {
		if flag := p.harmfulFlag([]Word{w}); flag != "" {
			bad = append(bad, flag)
		}
	}
	return bad
}

// isFlag reports whether an argument is the flag, alone, shortened, in a
// cluster or with its value attached.
func (p program) isFlag(arg, flag string) bool {
	name, _, _ := strings.Cut(arg, "=")
	switch {
	case p.words:
		return strings.TrimLeft(name, "-") == strings.TrimLeft(flag, "-")
	case strings.HasPrefix(flag, "--"):
		return len(name) > 2 && strings.HasPrefix(flag, name)
	case strings.HasPrefix(arg, "--"):
		return false
	}
	for i := 1; i < len(arg); i++ {
		letter := "-" + arg[i:i+1]
		if letter == flag {
			return true
		}
		if slices.Contains(p.valued, letter) {
			return false // the rest is its value
		}
	}
	return false
}

// takesNext reports whether a flag has its value in the next word.
func (p program) takesNext(arg string, flags []string) bool {
	if slices.Contains(flags, arg) {
		return true
	}
	cluster := len(arg) > 2 && arg[0] == '-' && arg[1] != '-' && !p.words
	return cluster && slices.Contains(flags, "-"+arg[len(arg)-1:])
}

// Files lists the operands that a program of the table may take for files to
// be read, and the values of flags that look like paths. It is nil for other
// programs.
func (c Command) Files() []Word {
	_, p, args := c.stripped().lookUp()
	if p.noFiles {
		return nil
	}
	var files []Word
	patterns, flags := p.patterns, true
	for i := 0; i < len(args); i++ {
		w := args[i]
		if !flags || !strings.HasPrefix(w.Prefix, "-") || w.Text == "-" {
			files = append(files, w)
			continue
		}
		if p.takesNext(w.Text, p.patternFlags) {
			patterns = 0
		}
		_, value, attached := strings.Cut(w.Text, "=")
		switch {
		case w.Text == "--":
			flags = false
		case slices.Contains([]string{"-f", "--file", "--from-file"}, w.Text) && !slices.Contains(p.valued, w.Text) && i+1 < len(args):
			i++
			files = append(files, args[i])
		case p.takesNext(w.Text, p.valued), p.takesNext(w.Text, p.patternFlags) && strings.HasSuffix(w.Text, "e"):
			i++
		case attached && strings.ContainsRune(value, '/'):
			files = append(files, known(value))
		}
	}
	return files[min(patterns, len(files)):]
}
