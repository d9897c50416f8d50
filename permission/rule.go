package permission

import (
	"path"
	"strings"
)

// Rule speaks of the calls of one tool, all of them or some. It has the form
// "tool" or "tool(specifier)", such as "shell(go test *)", "edit(docs/**)",
// "fetch(domain:example.com)" or "mcp__server__tool". Make it with [ParseRule].
type Rule struct {
	text string
	tool string // in our spelling; may hold * when it names no built-in tool
	spec string // empty means every call
}

// String is the rule as it was written.
func (r Rule) String() string { return r.text }

// Tool is the tool that the rule speaks of, in our spelling. It may hold a *.
func (r Rule) Tool() string { return r.tool }

// toolNames maps what users and other agents write, in lower case, onto our
// names. LS and NotebookEdit are kinds of reading and editing.
var toolNames = map[string]string{
	"shell": "shell", "bash": "shell", "run_shell_command": "shell",
	"read": "read", "read_file": "read", "ls": "read", "notebookread": "read",
	"edit": "edit", "multiedit": "edit", "notebookedit": "edit", "replace": "edit",
	"write": "write", "write_file": "write",
	"grep": "grep", "search_file_content": "grep", "glob": "glob",
	"fetch": "fetch", "webfetch": "fetch", "web_fetch": "fetch",
	"task": "task", "agent": "task",
}

// canonical is our name for a tool.
func canonical(tool string) string {
	if name, ok := toolNames[strings.ToLower(tool)]; ok {
		return name
	}
	return tool
}

// ParseRule reads a rule. The error is an *[Error].
func ParseRule(text string) (Rule, error) {
	text = strings.TrimSpace(text)
	name, spec, some := strings.Cut(text, "(")
	name = strings.TrimSpace(name)
	fail := func(what, hint string) (Rule, error) {
		return Rule{}, &Error{Text: "the permission rule " + quote(text) + " " + what, hint: hint}
	}
	const form = "write it as tool or tool(what), such as read or shell(go test *)"
	switch {
	case text == "":
		return Rule{}, &Error{Text: "a permission rule is empty", hint: form}
	case name == "" || strings.Trim(name, "*_-.ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789") != "":
		return fail("does not begin with the name of a tool", form)
	case some && !strings.HasSuffix(spec, ")"):
		return fail("has an opening bracket but does not end with a closing one", form)
	case some && strings.TrimSpace(strings.TrimSuffix(spec, ")")) == "":
		return fail("has nothing between its brackets", "leave the brackets out to speak of every call of "+name)
	}
	r := Rule{text: text, tool: canonical(name), spec: strings.TrimSpace(strings.TrimSuffix(spec, ")"))}
	if what, hint := r.fault(); what != "" {
		return fail(what, hint)
	}
	return r, nil
}

// fault says what is wrong with a specifier, and how to mend it.
func (r Rule) fault() (what, hint string) {
	switch r.tool {
	case "shell":
		if i := strings.Index(r.spec, ":*"); i >= 0 && i != len(r.spec)-2 {
			return "has :* in the middle, which only works at the end", "write a blank and a * there"
		}
	case "read", "edit", "write", "grep", "glob":
		switch {
		case strings.HasPrefix(r.spec, "!"):
			return "begins with !, which is not supported", "put the exception into a list of its own: deny wins over ask, ask over allow"
		case !validGlob(r.spec):
			return "has a pattern that cannot be read", "close every [ and do not end with a backslash"
		}
	case "fetch":
		if r.spec != "" && (!strings.HasPrefix(r.spec, "domain:") || r.spec == "domain:") {
			return "does not name a domain", "write it as fetch(domain:example.com)"
		}
	}
	return "", ""
}

// matches reports whether a rule speaks of a request, as far as one of its
// paths goes; path is empty when it has none.
func (p Policy) matches(rule Rule, r Request, path string, strict bool) bool {
	if !rule.covers(r, strict) {
		return false
	}
	switch rule.tool {
	case "read", "edit", "write", "grep", "glob":
		return rule.spec == "" || path != "" && p.matchesPath(rule.spec, path, strict)
	case "fetch":
		return rule.spec == "" || matchesDomain(strings.TrimPrefix(rule.spec, "domain:"), r.Target, strict)
	default:
		return rule.spec == "" || r.Target != "" && glob(rule.spec, r.Target)
	}
}

// covers reports whether a rule speaks of the request's tool and action. A
// rule for reading covers whatever reads files, one for edit whatever changes
// them. What may not be read, may not be changed either; and when in doubt, a
// deny rule for write forbids edit too.
func (rule Rule) covers(r Request, strict bool) bool {
	switch tool := canonical(r.Tool); rule.tool {
	case tool:
		return true
	case "read":
		return r.Action == read || r.Action == write && strict && rule.spec != ""
	case "edit":
		return r.Action == write
	case "write":
		return r.Action == write && strict
	case "fetch":
		return r.Action == fetch
	case "shell", "grep", "glob", "task":
		return false
	}
	return rule.coversNamed(r.Tool, strict)
}

// coversNamed is for tools that are not built in. "mcp__server" covers every
// tool of that server. A * in an allow rule counts only behind the name of a
// server, so that nobody allows everything by accident.
func (rule Rule) coversNamed(tool string, strict bool) bool {
	parts := strings.SplitN(rule.tool, "__", 3)
	if len(parts) == 2 && parts[0] == "mcp" && strings.HasPrefix(tool, rule.tool+"__") {
		return true
	}
	literal := len(parts) == 3 && parts[0] == "mcp" && !strings.Contains(parts[1], "*")
	if strings.Contains(rule.tool, "*") && !strict && !literal {
		return false
	}
	ok, err := path.Match(strings.ToLower(rule.tool), strings.ToLower(tool))
	return ok && err == nil
}
