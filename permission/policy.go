package permission

import (
	"slices"
)

// Policy is all that a verdict depends on besides the request.
type Policy struct {
	Mode             Mode
	Allow, Ask, Deny []Rule

	// Roots are the directories that may be worked in, absolute and without
	// symbolic links. The first is the one that rules are relative to.
	Roots []string
	// Readable are more directories that may be read without a question, such
	// as the session's own folder.
	Readable []string
	Home     string // the user's home directory; empty means that it is not known
}

// Request is one call to be judged.
type Request struct {
	Tool   string
	Action string // "read", "write", "execute", "fetch" or "other"
	// Paths are the files that the call names, absolute and without symbolic
	// links. For "execute" they are those that the command's redirections
	// write, and where links among its words lead.
	Paths []string
	// Named are the same files as the call names them, absolute, where a
	// symbolic link makes a difference. A deny or ask rule may match either.
	Named   []string
	Command string // for "execute"
	Dir     string // for "execute": the working directory; empty means the first root
	Target  string // for "fetch" the URL; for "other" what the call is about, if anything
}

// The actions of a Request; they are those of package tool.
const (
	read    = "read"
	write   = "write"
	execute = "execute"
	fetch   = "fetch"
)

// Decision is what may happen to a call.
type Decision string

// The decisions.
const (
	Allow Decision = "allow"
	Ask   Decision = "ask"
	Deny  Decision = "deny"
)

// Verdict is a decision with its reason.
type Verdict struct {
	Decision Decision
	// Reason is one sentence for the model and the user; empty when nothing
	// needs to be said about an allowed call.
	Reason string
	Rule   string // the rule that decided; empty when none did
	// Hint tells the user what would allow the call next time, such as
	// "--permission-mode accept-edits"; empty when nothing would.
	Hint string
}

// Decide judges a call.
func (p Policy) Decide(r Request) Verdict {
	if r.Action == execute {
		return p.decideCommand(r)
	}
	if rule, ok := p.matching(p.Deny, r, true); ok {
		return denied(rule)
	}
	if p.Mode == Plan && r.Action != read && r.Action != fetch {
		return Verdict{Decision: Deny, Reason: "in plan mode only reading is allowed: present the plan instead", Hint: "--permission-mode default"}
	}
	if rule, ok := p.matching(p.Ask, r, true); ok {
		return asked(rule)
	}
	if p.Mode == Bypass {
		return Verdict{Decision: Allow}
	}
	if rule, ok := p.matching(p.Allow, r, false); ok {
		return Verdict{Decision: Allow, Rule: rule.String()}
	}
	return p.byDefault(r)
}

func denied(rule Rule) Verdict {
	return Verdict{Decision: Deny, Rule: rule.String(), Reason: "the rule " + quote(rule.String()) + " forbids it: find another way, or tell the user what you need"}
}

func asked(rule Rule) Verdict {
	return Verdict{Decision: Ask, Rule: rule.String(), Reason: "the rule " + quote(rule.String()) + " wants the user to be asked"}
}

// matching is the first rule that speaks of the request. A strict match, for
// deny and ask rules, is satisfied when any of the paths match; an allow rule
// must cover them all, which may take several rules.
func (p Policy) matching(rules []Rule, r Request, strict bool) (Rule, bool) {
	paths := r.Paths
	if strict {
		paths = slices.Concat(r.Paths, r.Named)
	}
	if len(paths) == 0 {
		return p.covering(rules, r, "", strict)
	}
	var last Rule
	for _, path := range paths {
		rule, ok := p.covering(rules, r, path, strict)
		if ok == strict {
			return rule, ok
		}
		last = rule
	}
	return last, !strict
}

func (p Policy) covering(rules []Rule, r Request, path string, strict bool) (Rule, bool) {
	i := slices.IndexFunc(rules, func(rule Rule) bool { return p.matches(rule, r, path, strict) })
	if i < 0 {
		return Rule{}, false
	}
	return rules[i], true
}

// byDefault judges what no rule speaks of.
func (p Policy) byDefault(r Request) Verdict {
	switch r.Action {
	case read:
		return p.defaultRead(r)
	case write:
		return p.defaultWrite(r)
	case fetch:
		return Verdict{Decision: Ask, Reason: "fetching from the network needs the user's consent", Hint: allowHint(p.Suggest(r))}
	default:
		return Verdict{Decision: Ask, Reason: "the tool `" + r.Tool + "` needs the user's consent", Hint: allowHint(p.Suggest(r))}
	}
}

func (p Policy) defaultRead(r Request) Verdict {
	for _, path := range r.Paths {
		if !p.mayRead(path) {
			return Verdict{Decision: Ask, Reason: path + " lies outside of the workspace", Hint: allowHint(p.Suggest(r))}
		}
	}
	return Verdict{Decision: Allow}
}

func (p Policy) defaultWrite(r Request) Verdict {
	for _, path := range r.Paths {
		switch {
		case !within(p.Roots, path):
			return Verdict{Decision: Ask, Reason: path + " lies outside of the workspace", Hint: allowHint(p.Suggest(r))}
		case p.guarded(path):
			return Verdict{Decision: Ask, Reason: path + " can make other programs run things", Hint: allowHint(p.Suggest(r))}
		}
	}
	switch {
	case p.Mode != AcceptEdits:
		return Verdict{Decision: Ask, Reason: "changing files needs the user's consent", Hint: "--permission-mode accept-edits"}
	case len(r.Paths) == 0:
		return Verdict{Decision: Ask, Reason: "which files it changes is not known", Hint: allowHint(p.Suggest(r))}
	}
	return Verdict{Decision: Allow}
}

func (p Policy) mayRead(path string) bool {
	return within(p.Roots, path) || within(p.Readable, path) || harmlessDevice(path)
}

// Hides reports whether a deny rule forbids reading a file. Tools that read
// many files at once, such as a search, must leave such ones out.
func (p Policy) Hides(path string) bool {
	_, ok := p.covering(p.Deny, Request{Tool: "read", Action: read}, path, true)
	return ok
}
