package permission

import (
	"slices"
	"strings"

	"github.com/daruma-dev/daruma/internal/shellsyntax"
)

// ruled finds the first deny or ask rule that speaks of any part of the
// command: of what it runs, or of a file that it names.
func (c *command) ruled(rules []Rule) (Rule, bool) {
	i := slices.IndexFunc(rules, func(rule Rule) bool {
		switch rule.tool {
		case "read", "edit", "write":
			return rule.spec != "" && c.touches(rule)
		}
		return rule.spec != "" && rule.coversCommands(c.request, true) && c.speaksOf(rule.spec)
	})
	if i < 0 {
		return Rule{}, false
	}
	return rules[i], true
}

// speaksOf reports whether a specifier matches the whole text or any part.
func (c *command) speaksOf(spec string) bool {
	return matchCommand(spec, strings.TrimSpace(c.request.Command)) ||
		slices.ContainsFunc(c.parts, func(p part) bool { return forbids(spec, p.Command) })
}

// forbids reports whether the specifier of a deny or ask rule matches a
// command, wherever its program lies and however its flags are written.
func forbids(spec string, c shellsyntax.Command) bool {
	if len(c.Words) == 0 {
		return false
	}
	if matchCommand(spec, c.Text()) || covers(spec, c) {
		return true
	}
	if c.Name() == "" {
		return false
	}
	text := c.Name()
	for _, w := range c.Words[1:] {
		text += " " + w.Text
	}
	return matchCommand(spec, text) || sameCall(spec, c)
}

// sameCall compares program, flags and operands apart from each other: all the
// flags of the rule must be there, in any order and spelling, and the operands
// must match.
func sameCall(spec string, c shellsyntax.Command) bool {
	fields := strings.Fields(normalSpec(spec))
	if len(fields) < 2 || !glob(fields[0], c.Name()) {
		return false
	}
	wantFlags, wantOperands := split(fields[1:])
	flags, operands := split(arguments(c))
	for f := range wantFlags {
		if !flags[f] {
			return false
		}
	}
	return matchCommand(strings.Join(wantOperands, " "), strings.Join(operands, " ")) ||
		len(wantOperands) == 1 && wantOperands[0] == "*"
}

// gitValued are git's own flags that take the next word.
var gitValued = []string{"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--config-env"}

// arguments are the words behind the program, without what stands before the
// subcommand of git.
func arguments(c shellsyntax.Command) []string {
	var args []string
	for _, w := range c.Words[1:] {
		args = append(args, w.Text)
	}
	for c.Name() == "git" && len(args) > 0 && strings.HasPrefix(args[0], "-") {
		n := 1
		if slices.Contains(gitValued, args[0]) && len(args) > 1 {
			n = 2
		}
		args = args[n:]
	}
	return args
}

// longForms are long flags with their usual letter.
var longForms = map[string]string{"--recursive": "-r", "--force": "-f", "--all": "-a", "--delete": "-d", "--hard": "--hard"}

// split parts flags from operands. Clusters fall into letters, and -R counts
// as -r.
func split(args []string) (flags map[string]bool, operands []string) {
	flags = map[string]bool{}
	for i, a := range args {
		switch {
		case a == "--":
			return flags, append(operands, args[i+1:]...)
		case strings.HasPrefix(a, "--"):
			name, _, _ := strings.Cut(a, "=")
			flags[canonicalFlag(name)] = true
		case strings.HasPrefix(a, "-") && len(a) > 1:
			for _, letter := range a[1:] {
				flags["-"+strings.ReplaceAll(string(letter), "R", "r")] = true
			}
		default:
			operands = append(operands, a)
		}
	}
	return flags, operands
}

// canonicalFlag completes a long flag that was shortened, and turns it into its
// letter.
func canonicalFlag(name string) string {
	for long, letter := range longForms {
		if len(name) >= 5 && strings.HasPrefix(long, name) {
			return letter
		}
	}
	return name
}

// unseen asks when there are rules about commands that cannot be applied,
// because the command runs something that is not known beforehand.
func (c *command) unseen() (Verdict, bool) {
	for _, rule := range slices.Concat(c.Deny, c.Ask) {
		if rule.spec == "" || !rule.coversCommands(c.request, true) {
			continue
		}
		hidden := c.hidden
		for _, p := range c.parts {
			if mayBe(rule.spec, p.Command) {
				hidden = "what the arguments of " + p.Words[0].Text + " are"
			}
		}
		if hidden != "" {
			return Verdict{
				Decision: Ask, Rule: rule.String(),
				Reason: "the rule " + quote(rule.String()) + " may forbid it, but " + hidden + " is not known: write it out",
			}, true
		}
	}
	return Verdict{}, false
}

// mayBe reports whether arguments that are not known could make a command what
// a rule speaks of.
func mayBe(spec string, c shellsyntax.Command) bool {
	fields := strings.Fields(normalSpec(spec))
	if len(c.Words) < 2 || len(fields) < 2 || !glob(fields[0], c.Name()) {
		return false
	}
	unknown := slices.IndexFunc(c.Words[1:], func(w shellsyntax.Word) bool { return !w.Known && w.MayBeFlag() })
	if unknown < 0 {
		return false
	}
	// A subcommand that is known settles it.
	sub := c.Words[1]
	return strings.HasPrefix(fields[1], "-") || !sub.Known || strings.HasPrefix(sub.Text, "-") || glob(fields[1], sub.Text)
}
