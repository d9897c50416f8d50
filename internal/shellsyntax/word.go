package shellsyntax

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Word is one word of a command. The zero value stands for an empty one.
type Word struct {
	// Text is what the program gets, quotes and backslashes removed, when the
	// word is Known; otherwise it is the word as it is written.
	Text  string
	Known bool // not so with expansions, globs, braces and a leading ~
	// Prefix is what every value of the word begins with; Text when Known.
	Prefix string
	// Splits says that the word may become several, or none, and that Prefix
	// tells nothing about those after the first.
	Splits bool

	parts []piece
}

// piece is a part of a word: text, or a variable, or something unknown.
type piece struct {
	text     string
	variable string // its name; text is its default, as in ${X:-text}
	must     bool   // ${X:?…}: the shell stops where it is empty
	unknown  bool
	number   bool // with unknown: the result of arithmetic
}

// MayBeFlag reports whether a program could take the word, or one that it
// becomes, for a flag.
func (w Word) MayBeFlag() bool {
	return strings.HasPrefix(w.Prefix, "-") || !w.Known && (w.Prefix == "" || w.Splits)
}

// maxValues bounds what Values lists.
const maxValues = 64

// Values lists what the word may come to when lookup knows what the variables
// in it may hold; a leading ~ counts as $HOME. Globs and braces stay as they
// are, and what a shell would split into several words stays one. It is false
// when the word holds anything else that is not known, a variable that lookup
// does not know, or too many of them.
func (w Word) Values(lookup func(name string) (values []string, ok bool)) ([]string, bool) {
	if w.Known {
		return []string{w.Text}, true
	}
	out := []string{""}
	for _, p := range w.parts {
		values := []string{p.text}
		if p.variable != "" {
			var ok bool
			if values, ok = lookup(p.variable); !ok {
				return nil, false
			}
		}
		if p.unknown || len(out)*len(values) > maxValues {
			return nil, false
		}
		var longer []string
		for _, head := range out {
			for _, v := range values {
				if v == "" {
					v = p.text
				}
				if v == "" && p.must {
					continue // the shell stops
				}
				longer = append(longer, head+v)
			}
		}
		out = longer
	}
	return out, len(w.parts) > 0
}

// Fragile reports whether the word holds a variable that may be empty without
// a word: ${X:?} stops the shell then, and ${X:-y} has another text stand in.
func (w Word) Fragile(name string) bool {
	return slices.ContainsFunc(w.parts, func(p piece) bool { return p.variable == name && !p.must && p.text == "" })
}

// word resolves one word of the text.
func (w *walker) word(n *syntax.Word) Word {
	if lit := n.Lit(); lit == "[" { // the program, not the beginning of a glob
		return known(lit)
	}
	source := w.text[n.Pos().Offset():n.End().Offset()]
	// A brace expansion may stretch over several parts: {'a',b}.
	r := resolver{braces: strings.Contains(source, ",") || strings.Contains(source, "..")}
	for i, p := range n.Parts {
		r.part(p, false, i == 0)
	}
	out := Word{Known: r.known(), Splits: r.splits, parts: r.pieces}
	for _, p := range r.pieces {
		if p.variable != "" || p.unknown || r.stop >= 0 && len(out.Prefix) >= r.stop {
			break
		}
		out.Prefix += p.text
	}
	if r.stop >= 0 && len(out.Prefix) > r.stop {
		out.Prefix = out.Prefix[:r.stop]
	}
	out.Text = out.Prefix
	if !out.Known {
		out.Text = source
	}
	return out
}

// resolver gathers the pieces of one word.
type resolver struct {
	pieces  []piece
	size    int // of the text in pieces
	stop    int // where a glob or brace begins, as a length of text; valid when pattern
	pattern bool
	braces  bool // an open brace may begin an expansion
	opaque  bool // a variable or something unknown is among the pieces
	splits  bool
}

func (r *resolver) known() bool {
	if !r.pattern {
		r.stop = -1
	}
	return !r.opaque && !r.pattern
}

func (r *resolver) part(p syntax.WordPart, quoted, first bool) {
	switch p := p.(type) {
	case *syntax.Lit:
		r.literal(p.Value, quoted, first)
	case *syntax.SglQuoted:
		if p.Dollar && strings.ContainsRune(p.Value, '\\') {
			r.unknown(true) // escapes are not decoded
			return
		}
		r.add(p.Value)
	case *syntax.DblQuoted:
		if len(p.Parts) == 0 {
			r.add("")
		}
		for _, q := range p.Parts {
			r.part(q, true, false)
		}
	case *syntax.ParamExp:
		r.parameter(p, quoted)
	case *syntax.ArithmExp:
		r.pieces = append(r.pieces, piece{unknown: true, number: true})
		r.opaque = true
	default: // substitutions, extended globs
		r.unknown(quoted)
	}
}

func (r *resolver) add(text string) {
	r.pieces = append(r.pieces, piece{text: text})
	r.size += len(text)
}

func (r *resolver) unknown(quoted bool) {
	r.pieces = append(r.pieces, piece{unknown: true})
	r.opaque = true
	r.splits = r.splits || !quoted
}

// literal adds text, of which backslashes are removed: all of them outside of
// quotes, only those that quote something inside.
func (r *resolver) literal(s string, quoted, first bool) {
	if !quoted && first && strings.HasPrefix(s, "~") {
		name, rest, _ := strings.Cut(s[1:], "/")
		if name != "" || r.opaque { // ~user, ~+
			r.unknown(true)
			return
		}
		r.pieces = append(r.pieces, piece{variable: "HOME"})
		r.opaque = true
		if s = s[1:]; rest == "" && s == "" {
			return
		}
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case !quoted && c == '~' && i > 0 && (s[i-1] == '=' || s[i-1] == ':'): // x=~ is expanded anywhere
			r.add(b.String())
			b.Reset()
			r.unknown(true)
		case strings.HasPrefix(s[i:], "\\\n"), s[i:] == "\\": // at the end of the text, where shells differ
			r.unknown(quoted)
		case c == '\\' && i+1 < len(s) && (!quoted || strings.IndexByte("$`\"\\", s[i+1]) >= 0):
			i++
			b.WriteByte(s[i])
		case !quoted && strings.IndexByte("*?[", c) >= 0, !quoted && c == '{' && r.braces && !strings.HasPrefix(s[i:], "{}"):
			r.glob(b.Len())
			b.WriteByte(c)
		default:
			b.WriteByte(c)
		}
	}
	r.add(b.String())
}

// glob notes that a pattern begins n bytes into the text being added.
func (r *resolver) glob(n int) {
	if !r.pattern {
		r.pattern, r.stop = true, r.size+n
	}
}

func (r *resolver) parameter(p *syntax.ParamExp, quoted bool) {
	plain := p.Param != nil && !p.Excl && !p.Length && p.Index == nil && p.Slice == nil && p.Repl == nil && p.Names == 0
	switch {
	case !plain || !syntax.ValidName(p.Param.Value):
		r.unknown(quoted && p.Param != nil && p.Param.Value != "@")
	case p.Exp == nil:
		r.variable(piece{variable: p.Param.Value}, quoted)
	case p.Exp.Op == syntax.ErrorUnset || p.Exp.Op == syntax.ErrorUnsetOrNull:
		r.variable(piece{variable: p.Param.Value, must: p.Exp.Op == syntax.ErrorUnsetOrNull}, quoted)
	case p.Exp.Op == syntax.DefaultUnsetOrNull && p.Exp.Word != nil && p.Exp.Word.Lit() != "":
		r.variable(piece{variable: p.Param.Value, text: p.Exp.Word.Lit()}, quoted)
	default:
		r.unknown(quoted)
	}
}

func (r *resolver) variable(p piece, quoted bool) {
	r.pieces = append(r.pieces, p)
	r.opaque = true
	r.splits = r.splits || !quoted
}
