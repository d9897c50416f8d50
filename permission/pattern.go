package permission

import (
	"slices"
	"strings"

	"github.com/daruma-dev/daruma/internal/shellsyntax"
)

// normalSpec brings "git diff:*" into the form "git diff *".
func normalSpec(spec string) string {
	if head, ok := strings.CutSuffix(spec, ":*"); ok {
		return head + " *"
	}
	return spec
}

// matchCommand compares a text in normal form with the specifier of a rule. A
// blank and a * at its end stand for any arguments, or none.
func matchCommand(spec, text string) bool {
	spec = normalSpec(spec)
	if head, ok := strings.CutSuffix(spec, " *"); ok && glob(head, text) {
		return true
	}
	return glob(spec, text)
}

// byWhole are programs that run what stands behind them, so that a rule with a
// * for them would allow everything.
var byWhole = []string{"watch", "setsid", "ionice", "flock"}

// allows reports whether the specifier of an allow rule covers a command:
// itself, or what a wrapper such as timeout runs, without assignments that do
// not matter. A * does not cover arguments that make a program which is there
// to read write files or run others; a rule must name those.
func allows(spec string, c shellsyntax.Command) bool {
	if len(c.Words) == 0 || !c.Words[0].Known || spec == "" {
		return false
	}
	wild := strings.Contains(spec, "*")
	if wild && slices.Contains(byWhole, c.Name()) {
		return false
	}
	if covers(spec, c) {
		fields := strings.Fields(normalSpec(spec))
		return !wild || !slices.ContainsFunc(c.Harmful(), func(flag string) bool { return !slices.Contains(fields, flag) })
	}
	if inner, ok := c.Strip(); ok {
		if c.Name() == "xargs" && len(c.Harmful()) > 0 {
			return false
		}
		return allows(spec, inner)
	}
	return false
}

// covers compares a command, assignments included unless all are safe.
func covers(spec string, c shellsyntax.Command) bool {
	var assigns strings.Builder
	safe := true
	for _, a := range c.Assigns {
		assigns.WriteString(a.Name + "=" + a.Value.Text + " ")
		safe = safe && shellsyntax.SafeVariable(a.Name)
	}
	return safe && matchCommand(spec, c.Text()) || assigns.Len() > 0 && matchCommand(spec, assigns.String()+c.Text())
}
