package permission

import (
	"fmt"
	"slices"
	"strings"

	"github.com/daruma-dev/daruma/internal/shellsyntax"
)

// maxCommand is how long a command may be that runs without a question, in
// bytes. A person who is to rely on the rules must be able to read it.
const maxCommand = 10_000

// command is a request to run one, taken apart.
type command struct {
	Policy
	request Request
	script  shellsyntax.Script
	start   string // the working directory
	parts   []part // all that it runs, directly or not
	hidden  string // what of that cannot be seen
}

// part is one simple command of a command.
type part struct {
	shellsyntax.Command
	dirs []string // where it may run
	own  bool     // it stands in the text itself, and is not run by another part
}

// decideCommand judges a shell command. What the mode cannot change comes
// first: deny rules, ask rules and disasters.
func (p Policy) decideCommand(r Request) Verdict {
	if rule, ok := wholeTool(p.Deny, r); ok {
		return denied(rule)
	}
	script, err := shellsyntax.Parse(r.Command)
	if err != nil {
		return p.unreadable(err)
	}
	c := p.takeApart(r, script)
	if rule, ok := c.ruled(p.Deny); ok {
		return denied(rule)
	}
	changes := script.Changes()
	if p.Mode == Plan && changes != "" {
		return Verdict{Decision: Deny, Reason: "in plan mode only reading is allowed, and " + changes + ": present the plan instead", Hint: "--permission-mode default"}
	}
	if rule, ok := wholeTool(p.Ask, r); ok {
		return asked(rule)
	}
	if rule, ok := c.ruled(p.Ask); ok {
		return asked(rule)
	}
	if why := c.disaster(); why != "" {
		return Verdict{Decision: Ask, Reason: why}
	}
	if v, ok := c.unseen(); ok {
		return v
	}
	if p.Mode == Bypass {
		return Verdict{Decision: Allow}
	}
	return c.permitted()
}

func (p Policy) unreadable(err error) Verdict {
	v := Verdict{Decision: Ask, Reason: "the command cannot be judged (" + strings.TrimPrefix(err.Error(), "shellsyntax: ") + "): check its quotes and brackets"}
	if p.Mode == Plan {
		v.Decision = Deny
	}
	return v
}

// wholeTool finds a rule that speaks of every command.
func wholeTool(rules []Rule, r Request) (Rule, bool) {
	i := slices.IndexFunc(rules, func(rule Rule) bool { return (rule.spec == "" || rule.spec == "*") && rule.coversCommands(r, true) })
	if i < 0 {
		return Rule{}, false
	}
	return rules[i], true
}

// coversCommands reports whether the rule speaks of commands run by the
// request's tool.
func (rule Rule) coversCommands(r Request, strict bool) bool {
	return rule.tool == "shell" || rule.covers(r, strict)
}

// lookup is what a variable may hold: what the text gives to it, what we know,
// or nothing that could be known.
func (c *command) lookup(name string) ([]string, bool) {
	var values []string
	for _, w := range c.script.Assigned(name) {
		v, ok := w.Values(c.environment)
		if !ok {
			return nil, false
		}
		values = append(values, v...)
	}
	if len(values) > 0 {
		return values, true
	}
	return c.environment(name)
}

// environment is what is known of variables that the text does not set.
func (c *command) environment(name string) ([]string, bool) {
	switch {
	case c.script.Assigned(name) != nil:
		return nil, false
	case name == "HOME" && c.Home != "":
		return []string{c.Home}, true
	case name == "PWD":
		return []string{c.start}, !slices.ContainsFunc(c.parts, func(p part) bool { return p.moves() })
	}
	return nil, false
}

// permitted judges a command by the allow rules and what it does.
func (c *command) permitted() Verdict {
	if rule, ok := wholeTool(c.Allow, c.request); ok {
		return Verdict{Decision: Allow, Rule: rule.String()}
	}
	text := strings.TrimSpace(c.request.Command)
	if rule, ok := c.allowedBy(func(spec string) bool { return spec == text }); ok {
		return Verdict{Decision: Allow, Rule: rule.String()}
	}
	if len(text) > maxCommand {
		return Verdict{Decision: Ask, Reason: fmt.Sprintf("the command is longer than %d characters: write a script with the file tools and run that", maxCommand)}
	}
	if why := c.script.Obscure(); why != "" {
		return Verdict{Decision: Ask, Reason: "the command cannot be judged, because it has " + why, Hint: allowHint(exactRule(text))}
	}
	var used []string
	for _, part := range c.parts {
		if !part.own {
			continue
		}
		rule, why := c.judge(part)
		if why != "" {
			return Verdict{Decision: Ask, Reason: why, Hint: allowHint(c.suggest(part))}
		}
		if rule != "" && !slices.Contains(used, rule) {
			used = append(used, rule)
		}
	}
	return Verdict{Decision: Allow, Rule: strings.Join(used, ", ")}
}

func (c *command) allowedBy(match func(spec string) bool) (Rule, bool) {
	i := slices.IndexFunc(c.Allow, func(rule Rule) bool { return rule.coversCommands(c.request, false) && match(rule.spec) })
	if i < 0 {
		return Rule{}, false
	}
	return c.Allow[i], true
}
