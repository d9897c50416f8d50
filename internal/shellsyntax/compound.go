package shellsyntax

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// compound walks a command that is made of others.
func (w *walker) compound(c syntax.Command, in place) {
	switch c := c.(type) {
	case nil:
	case *syntax.BinaryCmd:
		w.binary(c, in)
	case *syntax.Block:
		w.stmts(c.Stmts, in)
	case *syntax.Subshell:
		w.stmts(c.Stmts, in.enclosed())
	case *syntax.IfClause:
		w.ifClause(c, in)
	case *syntax.WhileClause:
		w.stmts(c.Cond, in.first())
		w.stmts(c.Do, in.first())
	case *syntax.ForClause:
		w.forClause(c, in)
	case *syntax.CaseClause:
		w.caseClause(c, in)
	case *syntax.FuncDecl:
		w.function(c, in)
	case *syntax.TimeClause:
		w.time(c, in)
	case *syntax.CoprocClause:
		in.background, in.subshell = true, true
		w.stmt(c.Stmt, in)
	case *syntax.TestClause:
		w.keyword("[[", c, in)
	case *syntax.ArithmCmd:
		w.keyword("((", c, in)
	case *syntax.LetClause:
		w.keyword("let", c, in)
	default:
		w.odd("a construct that is not understood")
		w.inside(c, in)
	}
}

// keyword lists a keyword that works on variables for a command without
// arguments.
func (w *walker) keyword(name string, c syntax.Command, in place) {
	w.commands = append(w.commands, in.command(Command{Words: []Word{known(name)}}))
	w.inside(c, in)
}

func (w *walker) function(c *syntax.FuncDecl, in place) {
	in.function = "()"
	if c.Name != nil {
		in.function = c.Name.Value
	} else {
		w.odd("a function without a name")
	}
	w.stmt(c.Body, in.first())
}

// time is a keyword but for one place: what follows a | is the program of that
// name, which takes the rest for its arguments.
func (w *walker) time(c *syntax.TimeClause, in place) {
	if strings.HasPrefix(in.after, "|") && in.after != "||" {
		w.commands = append(w.commands, in.command(Command{Words: []Word{known("time"), w.source(c)}}))
	}
	if c.Stmt != nil {
		w.stmt(c.Stmt, in)
	}
}

func (w *walker) binary(c *syntax.BinaryCmd, in place) {
	if c.Op == syntax.Pipe || c.Op == syntax.PipeAll {
		in.subshell = true
	}
	w.stmt(c.X, in)
	in.after = c.Op.String()
	w.stmt(c.Y, in)
}

func (w *walker) ifClause(c *syntax.IfClause, in place) {
	for ; c != nil; c = c.Else {
		w.stmts(c.Cond, in.first())
		w.stmts(c.Then, in.first())
	}
}

func (w *walker) forClause(c *syntax.ForClause, in place) {
	switch l := c.Loop.(type) {
	case *syntax.WordIter:
		w.sets(l.Name.Value)
		for _, item := range l.Items {
			// What the loop gives to its variable is like an assignment.
			a := Assign{Name: l.Name.Value, Value: w.word(item)}
			w.commands = append(w.commands, in.command(Command{Assigns: []Assign{a}}))
			w.inside(item, in)
		}
		if !l.InPos.IsValid() {
			w.odd("a loop over the arguments")
		}
	default:
		w.inside(l, in)
	}
	w.stmts(c.Do, in.first())
}

func (w *walker) caseClause(c *syntax.CaseClause, in place) {
	w.inside(c.Word, in)
	for _, item := range c.Items {
		for _, p := range item.Patterns {
			w.inside(p, in)
		}
		w.stmts(item.Stmts, in.first())
	}
}
