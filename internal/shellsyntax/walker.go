package shellsyntax

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// walker lists the commands of a text in order.
type walker struct {
	text     string
	commands []Command
	obscure  string
	// inArithmetic are the variables in arithmetic; see check.
	inArithmetic []string
}

// place is where in the text a statement stands.
type place struct {
	after, function      string
	background, subshell bool
}

func (w *walker) odd(what string) {
	if w.obscure == "" {
		w.obscure = what
	}
}

// stmts walks a list of statements. The first follows what in says; the others
// follow the one before.
func (w *walker) stmts(list []*syntax.Stmt, in place) {
	for _, s := range list {
		w.stmt(s, in)
		in.after = ";"
		if s.Background {
			in.after = "&"
		}
	}
}

func (w *walker) stmt(s *syntax.Stmt, in place) {
	if s.Background || s.Coprocess {
		in.background, in.subshell = true, true
	}
	redirs := w.redirects(s.Redirs)
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		w.call(c, redirs, in)
	case *syntax.DeclClause:
		w.declare(c, redirs, in)
	default:
		if len(redirs) > 0 {
			w.commands = append(w.commands, in.command(Command{Redirs: redirs}))
		}
		w.compound(s.Cmd, in)
	}
	w.insideRedirects(s.Redirs, in)
}

func (in place) command(c Command) Command {
	c.After, c.Function, c.Background, c.Subshell = in.after, in.function, in.background, in.subshell
	return c
}

func (in place) first() place { in.after = ""; return in }

func (in place) enclosed() place { in.after, in.subshell = "", true; return in }

func (w *walker) call(c *syntax.CallExpr, redirs []Redirect, in place) {
	cmd := in.command(Command{Redirs: redirs})
	for _, a := range c.Assigns {
		if a.Name != nil && !syntax.ValidName(a.Name.Value) { // bash takes it for the program
			cmd.Words = append(cmd.Words, w.source(a))
			continue
		}
		cmd.Assigns = append(cmd.Assigns, w.assign(a))
	}
	for _, a := range c.Args {
		cmd.Words = append(cmd.Words, w.word(a))
	}
	w.commands = append(w.commands, cmd)
	for _, a := range c.Assigns {
		w.inside(a, in)
	}
	for _, a := range c.Args {
		w.inside(a, in)
	}
}

// source is a word of which only the spelling is known.
func (w *walker) source(n syntax.Node) Word {
	return Word{Text: w.text[n.Pos().Offset():n.End().Offset()], parts: []piece{{unknown: true}}}
}

func (w *walker) assign(a *syntax.Assign) Assign {
	out := Assign{Value: Word{Known: true}}
	if a.Name != nil {
		out.Name = a.Name.Value
	}
	if a.Value != nil {
		out.Value = w.word(a.Value)
	}
	if a.Append && out.Value.Known { // the whole value is not known
		out.Value = Word{Text: out.Value.Text, parts: []piece{{unknown: true}}}
	}
	out.Array = a.Array != nil || a.Index != nil
	return out
}

// declare takes "export X=1" for a command whose arguments are words, and
// assignments as well.
func (w *walker) declare(c *syntax.DeclClause, redirs []Redirect, in place) {
	cmd := in.command(Command{Redirs: redirs, Words: []Word{known(c.Variant.Value)}})
	for _, a := range c.Args {
		switch {
		case a.Name == nil:
			cmd.Words = append(cmd.Words, w.word(a.Value))
		default:
			cmd.Words = append(cmd.Words, known(w.text[a.Pos().Offset():a.End().Offset()]))
			if !a.Naked {
				cmd.Assigns = append(cmd.Assigns, w.assign(a))
			}
		}
	}
	w.commands = append(w.commands, cmd)
	for _, a := range c.Args {
		w.inside(a, in)
	}
}

func known(text string) Word { return Word{Text: text, Known: true, Prefix: text} }

// redirects lists those that open a file.
func (w *walker) redirects(list []*syntax.Redirect) []Redirect {
	var out []Redirect
	for _, r := range list {
		if r.N != nil && strings.HasPrefix(r.N.Value, "{") {
			w.odd("a redirection that sets a variable")
		}
		if r.Word == nil {
			continue
		}
		red := Redirect{Op: r.Op.String(), Target: w.word(r.Word)}
		switch r.Op {
		case syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
			continue
		case syntax.DplIn, syntax.DplOut:
			if descriptor(red.Target) {
				continue
			}
			red.Write = true
		case syntax.RdrIn:
			red.Write = strings.HasPrefix(red.Target.Prefix, "/dev/tcp/") || strings.HasPrefix(red.Target.Prefix, "/dev/udp/")
		default:
			red.Write = true
		}
		out = append(out, red)
	}
	return out
}

// descriptor reports whether the word after >& or <& is an open descriptor:
// "1", "-" to close, "1-" to move.
func descriptor(w Word) bool {
	return w.Known && strings.TrimLeft(strings.TrimSuffix(w.Text, "-"), "0123456789") == ""
}

func (w *walker) insideRedirects(list []*syntax.Redirect, in place) {
	for _, r := range list {
		if r.Word != nil {
			w.inside(r.Word, in)
		}
		if r.Hdoc != nil {
			w.inside(r.Hdoc, in)
		}
	}
}
