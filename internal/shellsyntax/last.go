package shellsyntax

import "mvdan.cc/sh/v3/syntax"

// Last finds the command whose exit status is that of the whole text, and is
// false where that cannot be said: after "a && b", which of them failed is not
// known, but for an a that cannot fail or only changes the directory, in which
// case moves is true.
func (s Script) Last() (c Command, moves, ok bool) {
	if s.file == nil || len(s.file.Stmts) == 0 || s.Runs("set") || s.Runs("shopt") || s.Runs("trap") || s.Runs("exit") {
		return Command{}, false, false
	}
	return s.last(s.file.Stmts[len(s.file.Stmts)-1])
}

func (s Script) last(stmt *syntax.Stmt) (c Command, moves, ok bool) {
	if stmt.Negated || stmt.Background {
		return Command{}, false, false
	}
	switch cmd := stmt.Cmd.(type) {
	case *syntax.BinaryCmd:
		if cmd.Op == syntax.AndStmt {
			if moves, ok = s.cannotFail(cmd.X); !ok {
				return Command{}, false, false
			}
		}
		c, more, ok := s.last(cmd.Y)
		return c, moves || more, ok
	case *syntax.Block:
		return s.last(cmd.Stmts[len(cmd.Stmts)-1])
	case *syntax.Subshell:
		return s.last(cmd.Stmts[len(cmd.Stmts)-1])
	case *syntax.TimeClause:
		if cmd.Stmt != nil {
			return s.last(cmd.Stmt)
		}
	case *syntax.TestClause:
		return Command{Words: []Word{known("[[")}}, false, true
	case *syntax.CallExpr:
		return s.called(cmd), false, len(cmd.Args) > 0
	}
	return Command{}, false, false
}

// called reads the words of a call again; quotes and backslashes matter, what
// is not known does not.
func (s Script) called(cmd *syntax.CallExpr) Command {
	c := Command{}
	for _, a := range cmd.Args {
		if a.Lit() == "[" {
			c.Words = append(c.Words, known("["))
			continue
		}
		r := resolver{}
		for i, p := range a.Parts {
			r.part(p, false, i == 0)
		}
		w := Word{Known: r.known()}
		for _, p := range r.pieces {
			w.Text += p.text
		}
		c.Words = append(c.Words, w)
	}
	return c.stripped()
}

// cannotFail reports whether a statement always succeeds, a change of the
// directory (moves) excepted.
func (s Script) cannotFail(stmt *syntax.Stmt) (moves, ok bool) {
	if stmt.Negated || len(stmt.Redirs) > 0 {
		return false, false
	}
	switch cmd := stmt.Cmd.(type) {
	case *syntax.BinaryCmd:
		x, okX := s.cannotFail(cmd.X)
		y, okY := s.cannotFail(cmd.Y)
		return x || y, okX && okY && cmd.Op == syntax.AndStmt
	case *syntax.CallExpr:
		switch s.called(cmd).Name() {
		case "echo", "printf", ":", "true", "pwd":
			return false, true
		case "cd", "pushd":
			return true, true
		}
	}
	return false, false
}
