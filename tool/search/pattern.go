package search

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/daruma-dev/daruma/tool"
)

// pattern is a regular expression, ready to search in texts of many lines. It is
// safe for concurrent use; see finder for its use.
type pattern struct {
	re      *regexp.Regexp
	prog    *syntax.Prog
	needles [][]byte // each match has one of them in it; none where nothing is known
	fold    bool     // the needles are lower-case ASCII and stand for any case
	sure    bool     // and each needle found is a match
	lines   bool     // no match reaches over the end of a line
}

// compile makes a pattern. Unless it is multiline, its parts are kept from
// matching line ends, so that a whole text can be searched at once and each
// match still lies in one line. "^" and "$" are for lines, "$" also before a
// carriage return; in a multiline pattern "." matches line ends too.
func compile(expr string, ignoreCase, multiline bool) (*pattern, error) {
	flags := syntax.Perl &^ syntax.OneLine
	if ignoreCase {
		flags |= syntax.FoldCase
	}
	if multiline {
		flags |= syntax.DotNL
	}
	tree, err := syntax.Parse(expr, flags)
	if err != nil {
		return nil, badPattern(expr, err)
	}
	if tree, err = rewrite(tree, !multiline); err != nil {
		return nil, err
	}
	re, err := regexp.Compile(tree.String())
	if err != nil {
		return nil, badPattern(expr, err)
	}
	prog, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return nil, badPattern(expr, err)
	}
	p := &pattern{re: re, prog: prog, lines: !multiline}
	// A single character is in most lines, and to look for it gains nothing
	// unless it is all that is wanted.
	if l := demand(tree); l.shortest() > 1 || l.shortest() == 1 && l.exact && l.sure {
		for _, t := range l.texts {
			p.needles = append(p.needles, []byte(t))
		}
		p.fold, p.sure = l.fold, l.exact && l.sure
	}
	return p, nil
}

func badPattern(expr string, err error) error {
	hint := "Put a backslash before each of ( ) [ ] { } . * + ? ^ $ | \\ that stands for itself."
	if strings.Contains(expr, "(?=") || strings.Contains(expr, "(?!") || strings.Contains(expr, "(?<") {
		hint = "Patterns are RE2, which has no look-around: search for less and choose from what is found."
	}
	return tool.Errorf("the pattern is not valid: %v. %s", err, hint)
}

// rewrite changes a pattern for the search in many lines at once. oneLine keeps
// it from matching line ends.
func rewrite(re *syntax.Regexp, oneLine bool) (*syntax.Regexp, error) {
	switch re.Op {
	case syntax.OpEndLine, syntax.OpEndText:
		if re.Op == syntax.OpEndLine || oneLine {
			return beforeLineEnd(), nil
		}
	case syntax.OpBeginText:
		if oneLine {
			return &syntax.Regexp{Op: syntax.OpBeginLine}, nil
		}
	case syntax.OpAnyChar:
		if oneLine {
			return &syntax.Regexp{Op: syntax.OpAnyCharNotNL}, nil
		}
	case syntax.OpLiteral:
		if oneLine && slices.Contains(re.Rune, '\n') {
			return nil, errLineEnd
		}
	case syntax.OpCharClass:
		if oneLine {
			re.Rune = without(re.Rune, '\n')
			if len(re.Rune) == 0 {
				return nil, errLineEnd
			}
		}
	}
	for i, sub := range re.Sub {
		var err error
		if re.Sub[i], err = rewrite(sub, oneLine); err != nil {
			return nil, err
		}
	}
	return re, nil
}

var errLineEnd = tool.Errorf("the pattern asks for a line end, and without multiline each line is searched by itself. " +
	"Set multiline to search over line ends, or use ^ and $ for the start and the end of a line.")

// beforeLineEnd is "$", also before the carriage return of a CRLF.
func beforeLineEnd() *syntax.Regexp {
	cr := &syntax.Regexp{Op: syntax.OpLiteral, Rune: []rune{'\r'}}
	return &syntax.Regexp{Op: syntax.OpConcat, Sub: []*syntax.Regexp{
		{Op: syntax.OpQuest, Sub: []*syntax.Regexp{cr}},
		{Op: syntax.OpEndLine},
	}}
}

// without takes a character out of a class, which is a list of ranges.
func without(ranges []rune, c rune) []rune {
	var out []rune
	for i := 0; i < len(ranges); i += 2 {
		lo, hi := ranges[i], ranges[i+1]
		if c < lo || hi < c {
			out = append(out, lo, hi)
			continue
		}
		if lo < c {
			out = append(out, lo, c-1)
		}
		if c < hi {
			out = append(out, c+1, hi)
		}
	}
	return out
}

// String describes the pattern for a failing test.
func (p *pattern) String() string {
	return fmt.Sprintf("%s (needles %q, fold %v, sure %v)", p.re, p.needles, p.fold, p.sure)
}
