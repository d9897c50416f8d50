package search

import (
	"encoding/binary"
	"regexp/syntax"
	"slices"
	"unicode/utf8"
)

// dfa tells whether lines match a pattern, several times faster than the regexp
// package, which it leaves to say where. It is the textbook's subset
// construction, done for those states and characters only that a text leads to.
// It belongs to one goroutine.
type dfa struct {
	prog   *syntax.Prog
	states []dfaState
	byKey  map[string]int32
	others map[dfaStep]int32 // steps by characters beyond ASCII

	set  []uint32 // the instructions of the state in the making
	mark []bool   // which those are
	key  []byte
}

// dfaState is a set of instructions that a match may have come to, and what kind
// of character came before.
type dfaState struct {
	pcs  []uint32
	last rune // -1, 'a' or ' ': at the start of a line, after a word's character, after another
	next [utf8.RuneSelf]int32
}

type dfaStep struct {
	state int32
	char  rune
}

const (
	unknown int32 = iota - 2
	matched       // no state, but the end of the search
	newLine       // the state in which each line starts
)

// maxStates bounds the memory, at half a kilobyte a state.
const maxStates = 4000

// newDFA makes a dfa of a program whose matches lie in one line.
func newDFA(prog *syntax.Prog) *dfa {
	d := &dfa{prog: prog, mark: make([]bool, len(prog.Inst))}
	d.reset()
	return d
}

func (d *dfa) reset() {
	d.states, d.byKey, d.others = d.states[:0], map[string]int32{}, map[dfaStep]int32{}
	d.state(nil, -1)
}

// find is the start of a place in the first line that matches, from the start of
// a line on; ok is false when there is none. When too many states
// have come up, it forgets them and goes on.
func (d *dfa) find(text []byte, from int) (at int, ok bool) {
	state := newLine
	for i := from; i < len(text); {
		c, size := rune(text[i]), 1
		var next int32
		if c < utf8.RuneSelf {
			next = d.states[state].next[c]
		} else {
			c, size = utf8.DecodeRune(text[i:])
			var known bool
			if next, known = d.others[dfaStep{state, c}]; !known {
				next = unknown
			}
		}
		if next == unknown {
			next = d.step(state, c)
		}
		if next == matched {
			return i, true
		}
		state = next
		i += size
		if len(d.states)+len(d.others) > maxStates {
			s := d.states[state]
			d.reset()
			state = d.state(s.pcs, s.last)
		}
	}
	if state != newLine && d.step(state, '\n') == matched { // the last line may have no end
		return len(text), true
	}
	return 0, false
}

// step finds the state after a character, and remembers it.
func (d *dfa) step(from int32, c rune) int32 {
	pcs, last := d.states[from].pcs, d.states[from].last
	for _, pc := range d.set {
		d.mark[pc] = false
	}
	d.set = d.set[:0]
	context := syntax.EmptyOpContext(last, c)
	if c == '\n' {
		context = syntax.EmptyOpContext(last, -1)
	}
	found := d.follow(uint32(d.prog.Start), context)
	for _, pc := range pcs {
		found = found || d.follow(pc, context)
	}
	var next int32
	switch {
	case found:
		next = matched
	case c == '\n':
		next = newLine
	default:
		next = d.state(d.consume(c), kindOf(c))
	}
	if c < utf8.RuneSelf {
		d.states[from].next[c] = next
	} else {
		d.others[dfaStep{from, c}] = next
	}
	return next
}

// follow adds what can be reached from an instruction without a character, and
// tells whether that is a match.
func (d *dfa) follow(pc uint32, context syntax.EmptyOp) (found bool) {
	if d.mark[pc] {
		return false
	}
	d.mark[pc] = true
	d.set = append(d.set, pc)
	switch i := &d.prog.Inst[pc]; i.Op {
	case syntax.InstMatch:
		return true
	case syntax.InstAlt, syntax.InstAltMatch:
		return d.follow(i.Out, context) || d.follow(i.Arg, context)
	case syntax.InstCapture, syntax.InstNop:
		return d.follow(i.Out, context)
	case syntax.InstEmptyWidth:
		if syntax.EmptyOp(i.Arg)&^context == 0 {
			return d.follow(i.Out, context)
		}
	}
	return false
}

// consume lists where the instructions that take a character lead.
func (d *dfa) consume(c rune) []uint32 {
	var out []uint32
	for _, pc := range d.set {
		i := &d.prog.Inst[pc]
		var takes bool
		switch i.Op {
		case syntax.InstRune, syntax.InstRune1:
			takes = i.MatchRune(c)
		case syntax.InstRuneAny, syntax.InstRuneAnyNotNL: // c is no line end
			takes = true
		}
		if takes {
			out = append(out, i.Out)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// state is the number of a state, which is made if there is none.
func (d *dfa) state(pcs []uint32, last rune) int32 {
	d.key = append(d.key[:0], byte(last))
	for _, pc := range pcs {
		d.key = binary.LittleEndian.AppendUint32(d.key, pc)
	}
	if n, ok := d.byKey[string(d.key)]; ok {
		return n
	}
	s := dfaState{pcs: pcs, last: last}
	for i := range s.next {
		s.next[i] = unknown
	}
	n := int32(len(d.states))
	d.states = append(d.states, s)
	d.byKey[string(d.key)] = n
	return n
}

func kindOf(c rune) rune {
	if syntax.IsWordChar(c) {
		return 'a'
	}
	return ' '
}
