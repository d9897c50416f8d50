package permission

import (
	"slices"

	"github.com/daruma-dev/daruma/internal/shellsyntax"
)

// judge judges one part: the rule that allows it, or why it may not run
// without a question.
func (c *command) judge(p part) (rule, why string) {
	for _, r := range p.Redirs {
		if why := c.redirect(p, r); why != "" {
			return "", why
		}
	}
	if r, ok := c.allowedBy(func(spec string) bool { return allows(spec, p.Command) }); ok {
		return r.String(), ""
	}
	if why := p.Changes(); why != "" {
		return "", why
	}
	return "", c.place(p)
}

// redirect judges the file of a redirection, like one of the file tools.
func (c *command) redirect(p part, r shellsyntax.Redirect) string {
	if r.Write && !r.Changes() {
		return ""
	}
	files := c.paths(p, r.Target)
	if len(files) == 0 {
		return "which file " + r.Op + r.Target.Text + " opens is not known"
	}
	request := Request{Tool: "read", Action: read, Paths: files}
	if r.Write {
		// What the tool has resolved counts as well: there may be links.
		request = Request{Tool: "edit", Action: write, Paths: append(files, c.request.Paths...)}
	}
	_, allowed := c.matching(c.Allow, request, false)
	v := c.byDefault(request)
	switch allowed = allowed || v.Decision == Allow; {
	case !allowed && r.Write:
		return "it writes to " + r.Target.Text + ", and " + v.Reason
	case !allowed:
		return v.Reason
	case r.Write:
		return ""
	}
	return c.links()
}

// place judges where a part that only reads does so.
func (c *command) place(p part) string {
	if len(p.Words) == 0 {
		return ""
	}
	for _, dir := range p.dirs {
		if !c.mayRead(dir) {
			return "the working directory " + dir + " lies outside of the workspace"
		}
	}
	if p.moves() {
		return c.changesTo(p)
	}
	for _, w := range p.Files() {
		files := c.paths(p, w)
		if files == nil {
			return "which files " + p.Name() + " reads is not known from " + w.Text
		}
		for _, file := range files {
			if !c.readable(file) {
				return file + " lies outside of the workspace"
			}
		}
	}
	if len(p.Files()) == 0 {
		return ""
	}
	return c.links()
}

// links judges where the links among the words of the command lead, for a part
// that reads files. What a redirection may write is none of its business.
func (c *command) links() string {
	for _, file := range c.request.Paths {
		write := Request{Tool: "edit", Action: write, Paths: []string{file}}
		if _, ok := c.matching(c.Allow, write, false); !ok && !c.readable(file) {
			return file + " lies outside of the workspace"
		}
	}
	return ""
}

// readable reports whether a file may be read, by a rule or because of where
// it lies.
func (c *command) readable(file string) bool {
	_, ok := c.matching(c.Allow, Request{Tool: "read", Action: read, Paths: []string{file}}, false)
	return ok || c.mayRead(file)
}

// changesTo judges a change of the working directory. With git, only the
// workspace itself will do: a directory may bring a repository of its own,
// whose configuration names programs that git runs.
func (c *command) changesTo(p part) string {
	if len(p.Words) == 1 {
		return "cd leads to the home directory"
	}
	target := p.Words[len(p.Words)-1]
	dirs := c.paths(p, target)
	if len(dirs) == 0 || target.Text == "-" {
		return "where cd " + target.Text + " leads is not known"
	}
	for _, dir := range dirs {
		switch {
		case !c.mayRead(dir):
			return dir + " lies outside of the workspace"
		case c.script.Runs("git") && !slices.Contains(c.Roots, dir) && dir != c.start:
			return "git would run in another directory, which may have a repository of its own"
		}
	}
	return c.links()
}
