package shellsyntax

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// inside walks the statements in the substitutions of a node that is not a
// statement, and looks for what is obscure.
func (w *walker) inside(n syntax.Node, in place) {
	in = in.enclosed()
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst:
			w.stmts(n.Stmts, in)
			return false
		case *syntax.ProcSubst:
			in := in
			in.background = true
			w.stmts(n.Stmts, in)
			return false
		case *syntax.ParamExp:
			w.expansion(n)
		case *syntax.ArithmExp:
			w.arithmetic(n.X)
		case *syntax.ArithmCmd:
			w.arithmetic(n.X)
		case *syntax.LetClause:
			for _, x := range n.Exprs {
				w.arithmetic(x)
			}
		case *syntax.CStyleLoop:
			w.arithmetic(n.Init)
			w.arithmetic(n.Cond)
			w.arithmetic(n.Post)
		case *syntax.BinaryTest:
			w.comparison(n)
		case *syntax.UnaryTest:
			if n.Op == syntax.TsVarSet || n.Op == syntax.TsRefVar {
				w.odd("a test of a variable by its name")
			}
		case *syntax.Assign:
			if n.Index != nil {
				w.arithmetic(n.Index)
			}
		case *syntax.ArrayElem:
			if n.Index != nil {
				w.arithmetic(n.Index)
			}
		}
		return true
	})
}

// expansion looks for parameter expansions that do more than to insert a
// value. Bash evaluates an index, and what ${!x} and ${x@P} find in the
// variable, once more: x='a[$(touch f)]' makes a file.
func (w *walker) expansion(p *syntax.ParamExp) {
	switch {
	case p.Excl:
		w.odd("an indirect variable")
	case p.Exp != nil && p.Exp.Op == syntax.OtherParamOps:
		w.odd("an expansion that transforms a variable")
	case p.Exp != nil && (p.Exp.Op == syntax.AssignUnset || p.Exp.Op == syntax.AssignUnsetOrNull):
		if p.Param != nil {
			w.sets(p.Param.Value)
		}
	case p.Index != nil && !subscript(p.Index):
		w.odd("an index that is computed")
	case p.Slice != nil:
		w.arithmetic(p.Slice.Offset)
		w.arithmetic(p.Slice.Length)
	}
}

// subscript reports whether an index selects all elements or one by number.
func subscript(x syntax.ArithmExpr) bool {
	word, ok := x.(*syntax.Word)
	return ok && (word.Lit() == "@" || word.Lit() == "*" || digits(word.Lit()))
}

// comparison looks at [[ x -eq y ]], which computes both sides.
func (w *walker) comparison(t *syntax.BinaryTest) {
	switch t.Op {
	case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
		for _, side := range []syntax.TestExpr{t.X, t.Y} {
			if word, ok := side.(*syntax.Word); ok {
				w.operand(word)
			}
		}
	}
}

// arithmetic looks at what is computed. Bash evaluates the values of variables
// in it, and theirs in turn, and an index in them may run commands.
func (w *walker) arithmetic(x syntax.ArithmExpr) {
	if x == nil {
		return
	}
	syntax.Walk(x, func(n syntax.Node) bool {
		if word, ok := n.(*syntax.Word); ok {
			w.operand(word)
			return false
		}
		return true
	})
}

// operand looks at one value in arithmetic: a number, a variable or more.
func (w *walker) operand(word *syntax.Word) {
	for _, p := range word.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			w.compute(p.Value)
		case *syntax.DblQuoted:
			w.operand(&syntax.Word{Parts: p.Parts})
		case *syntax.ParamExp:
			switch {
			case p.Param == nil || p.Excl || p.Index != nil && !subscript(p.Index):
				w.odd(computed)
			case !p.Length:
				w.compute(p.Param.Value)
			}
		case *syntax.ArithmExp:
			w.arithmetic(p.X)
		default:
			w.odd(computed)
		}
	}
}

const computed = "arithmetic on a value that is not a number, which may run commands"

// compute notes a number or the name of a variable in arithmetic.
func (w *walker) compute(s string) {
	switch {
	case syntax.ValidName(s):
		w.inArithmetic = append(w.inArithmetic, s)
	case !digits(s) && !strings.HasPrefix(s, "0x") && strings.Trim(s, "#?$!@-") != "":
		w.odd(computed)
	}
}

func digits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// check looks at the variables in arithmetic once all assignments are known.
// What the text does not set comes from the user's environment, and the user
// may be trusted; what it sets must be a number.
func (w *walker) check(s Script) {
	if len(w.inArithmetic) == 0 {
		return
	}
	for _, reader := range []string{"read", "mapfile", "readarray", "getopts", "declare", "typeset", "local"} {
		if s.Runs(reader) {
			w.odd(computed)
		}
	}
	for _, name := range w.inArithmetic {
		if slices.ContainsFunc(s.Assigned(name), func(v Word) bool { return !v.number() }) {
			w.odd(computed)
		}
	}
}

// number reports whether every value of the word is a number or empty.
func (w Word) number() bool {
	return !slices.ContainsFunc(w.parts, func(p piece) bool {
		return !p.number && (p.unknown || p.variable != "" || p.text != "" && !digits(strings.TrimPrefix(p.text, "-")))
	})
}

// sets notes that a variable is set out of the ordinary.
func (w *walker) sets(name string) {
	if !SafeVariable(name) {
		w.odd("$" + name + " being set")
	}
}
