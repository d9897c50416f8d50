package search

import (
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// maxLiterals is how many literals are searched for instead of a pattern. Each
// takes a pass over the text.
const maxLiterals = 16

// literals is what a part of a pattern demands of a text: each match has one of
// texts in it. The zero value demands nothing.
type literals struct {
	texts []string
	fold  bool // in any case; texts are lower-case ASCII then
	exact bool // a match is one of texts as a whole
	sure  bool // and each place where one of texts stands is a match
}

var nothing = literals{texts: []string{""}, exact: true, sure: true}

// demand finds the literals that a pattern demands.
func demand(re *syntax.Regexp) literals {
	switch re.Op {
	case syntax.OpEmptyMatch:
		return nothing
	case syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return literals{texts: []string{""}, exact: true}
	case syntax.OpLiteral:
		return demandLiteral(re)
	case syntax.OpCharClass:
		return demandClass(re)
	case syntax.OpCapture:
		return demand(re.Sub[0])
	case syntax.OpPlus:
		return contained(demand(re.Sub[0]))
	case syntax.OpRepeat:
		if re.Min > 0 {
			return contained(demand(re.Sub[0]))
		}
	case syntax.OpQuest:
		if l := demand(re.Sub[0]); l.exact {
			return either(l, nothing)
		}
	case syntax.OpConcat:
		return demandConcat(re.Sub)
	case syntax.OpAlternate:
		all := demand(re.Sub[0])
		for _, sub := range re.Sub[1:] {
			all = either(all, demand(sub))
		}
		return all
	}
	return literals{}
}

// contained is l where more may stand around it.
func contained(l literals) literals {
	l.exact, l.sure = false, false
	return l
}

func demandLiteral(re *syntax.Regexp) literals {
	s := string(re.Rune)
	if re.Flags&syntax.FoldCase == 0 {
		return literals{texts: []string{s}, exact: true, sure: true}
	}
	// Only ASCII is folded in the text that is searched.
	runs := strings.FieldsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf })
	best := ""
	for _, run := range runs {
		if len(run) > len(best) {
			best = run
		}
	}
	return literals{texts: []string{strings.ToLower(best)}, fold: true, exact: best == s}
}

// demandClass makes texts of a class of a few characters.
func demandClass(re *syntax.Regexp) literals {
	l := literals{exact: true, sure: true}
	for i := 0; i < len(re.Rune); i += 2 {
		for r := re.Rune[i]; r <= re.Rune[i+1]; r++ {
			if len(l.texts) == maxLiterals/2 || r >= utf8.RuneError {
				return literals{}
			}
			l.texts = append(l.texts, string(r))
		}
	}
	return l
}

// either is what two alternatives demand together.
func either(a, b literals) literals {
	if a.texts == nil || b.texts == nil || len(a.texts)+len(b.texts) > maxLiterals {
		return literals{}
	}
	a, b = sameCase(a, b)
	return literals{
		texts: append(a.texts[:len(a.texts):len(a.texts)], b.texts...),
		fold:  a.fold, exact: a.exact && b.exact, sure: a.sure && b.sure,
	}
}

// sameCase folds both if one is folded. What holds letters beyond ASCII then
// demands nothing.
func sameCase(a, b literals) (x, y literals) {
	if a.fold == b.fold {
		return a, b
	}
	return folded(a), folded(b)
}

func folded(l literals) literals {
	if l.fold {
		return l
	}
	f := literals{fold: true, exact: l.exact}
	for _, t := range l.texts {
		if strings.IndexFunc(t, func(r rune) bool { return r >= utf8.RuneSelf }) >= 0 {
			return literals{texts: []string{""}, fold: true}
		}
		f.texts = append(f.texts, strings.ToLower(t))
	}
	return f
}

// demandConcat joins neighbours that are exact, and chooses the most telling of
// what comes out.
func demandConcat(subs []*syntax.Regexp) literals {
	run, best := nothing, literals{}
	whole := true
	for _, sub := range subs {
		l := demand(sub)
		if joined, ok := join(run, l); ok {
			run = joined
			continue
		}
		whole = false
		best = better(best, better(run, l))
		run = nothing
		if l.exact {
			run = l
		}
	}
	if whole {
		return run
	}
	return contained(better(best, run))
}

// join is what two neighbours demand when both are exact.
func join(a, b literals) (literals, bool) {
	if !a.exact || !b.exact || len(a.texts)*len(b.texts) > maxLiterals {
		return literals{}, false
	}
	a, b = sameCase(a, b)
	if !a.exact || !b.exact {
		return literals{}, false
	}
	l := literals{fold: a.fold, exact: true, sure: a.sure && b.sure}
	for _, x := range a.texts {
		for _, y := range b.texts {
			l.texts = append(l.texts, x+y)
		}
	}
	return l, true
}

// better is the one of two demands that fewer texts meet: long literals, then
// few of them.
func better(a, b literals) literals {
	switch x, y := a.shortest(), b.shortest(); {
	case x != y && x > y, x == y && len(a.texts) <= len(b.texts):
		return a
	default:
		return b
	}
}

// shortest is the length of the shortest text, 0 where nothing is demanded.
func (l literals) shortest() int {
	if len(l.texts) == 0 {
		return 0
	}
	n := len(l.texts[0])
	for _, t := range l.texts[1:] {
		n = min(n, len(t))
	}
	return n
}
