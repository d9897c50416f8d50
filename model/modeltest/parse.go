package modeltest

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Parse reads replies in the language of the package comment. An error names
// the line it is about, as in "modeltest: line 3: unknown word \"tekst\"".
func Parse(script string) (Replies, error) {
	var replies Replies
	p := &parser{}
	for i, line := range strings.Split(script, "\n") {
		p.line = i + 1
		line = strings.TrimSpace(line)
		switch {
		case line == "---":
			if err := p.flush(&replies); err != nil {
				return nil, err
			}
			p.open = true
		case line == "" || line[0] == '#':
		default:
			if err := p.word(line); err != nil {
				return nil, p.errorf("%w", err)
			}
			p.full = true
		}
	}
	if !p.full && !p.open {
		return replies, nil // no reply at all
	}
	if err := p.flush(&replies); err != nil {
		return nil, err
	}
	return replies, nil
}

// MustParse is [Parse] for scripts that are part of a program. It panics where
// Parse fails.
func MustParse(script string) Replies {
	rs, err := Parse(script)
	if err != nil {
		panic(err)
	}
	return rs
}

// parser holds the reply that is being read.
type parser struct {
	line  int
	reply Reply
	open  bool // a separator was read, so a reply has to follow
	full  bool // the reply has a line
	ended bool // its end was read
}

func (p *parser) errorf(format string, args ...any) error {
	return fmt.Errorf("modeltest: line %d: "+format, append([]any{p.line}, args...)...)
}

// flush ends a reply.
func (p *parser) flush(replies *Replies) error {
	if !p.full {
		return p.errorf("a reply without any line; write empty for one without content")
	}
	*replies = append(*replies, p.reply)
	*p = parser{line: p.line}
	return nil
}

// word reads a line. The words whose argument is raw JSON run to the end of the
// line; all others take words and quoted strings, and may have a comment.
func (p *parser) word(line string) error {
	word, rest := cutWord(line)
	switch word {
	case "call":
		return p.call(rest, wholeCall)
	case "badjson":
		return p.callAfter(rest, badCall)
	case "block":
		return p.block(rest)
	case "truncate":
		if next, _ := cutWord(rest); next == "call" {
			return p.callAfter(rest, cutCall)
		}
	}
	args, err := split(rest)
	if err != nil {
		return err
	}
	read := reader(word)
	if read == nil {
		return fmt.Errorf("unknown word %q; there are %s", word, vocabulary)
	}
	if p.ended && !property(word, args) {
		return fmt.Errorf("%s stands after end, which is the last step", word)
	}
	p.ended = p.ended || word == "end"
	if err := read(&p.reply, args); err != nil {
		return fmt.Errorf("%s: %w", word, err)
	}
	return p.alone()
}

// alone sees to it that nothing follows an answer that is no stream, and that
// no part of a stream stands before it.
func (p *parser) alone() error {
	steps := p.reply.steps
	for i, s := range steps {
		switch s.(type) {
		case failureStep, bodyStep:
			if i < len(steps)-1 {
				return fmt.Errorf("nothing may follow an http or body answer")
			}
			for _, before := range steps[:i] {
				if _, ok := before.(waitStep); !ok {
					return fmt.Errorf("only wait may stand before an http or body answer")
				}
			}
		}
	}
	return nil
}

// callForm says which rules a call's input has to keep.
type callForm int

const (
	wholeCall callForm = iota
	badCall
	cutCall
)

func (p *parser) callAfter(rest string, form callForm) error {
	word, args := cutWord(rest)
	if word != "call" {
		return fmt.Errorf("a call has to follow, such as: call t1 read {\"path\":\"a\"}")
	}
	return p.call(args, form)
}

func (p *parser) call(args string, form callForm) error {
	id, rest := cutWord(args)
	name, input := cutWord(rest)
	if id == "" || name == "" {
		return fmt.Errorf("a call needs an id and a name, such as: call t1 read {\"path\":\"a\"}")
	}
	if p.ended {
		return fmt.Errorf("call stands after end, which is the last step")
	}
	switch {
	case form == wholeCall && input != "" && !isObject(input):
		return fmt.Errorf("the input of call %s is not a JSON object; write badjson call if that is meant", id)
	case form == badCall && (input == "" || isObject(input)):
		return fmt.Errorf("the input of call %s is a good JSON object; write call", id)
	case form == cutCall:
		p.reply = p.reply.CutCall(id, name, input)
	default:
		p.reply = p.reply.Call(id, name, input)
	}
	return p.alone()
}

func (p *parser) block(raw string) error {
	if p.ended {
		return fmt.Errorf("block stands after end, which is the last step")
	}
	fs, err := fieldsOf(json.RawMessage(raw))
	if !json.Valid([]byte(raw)) || err != nil || fs.text("type") == "" {
		return fmt.Errorf("a block is a JSON object with a type, in one line")
	}
	p.reply = p.reply.Block(raw)
	return p.alone()
}

func isObject(s string) bool { return s[0] == '{' && json.Valid([]byte(s)) }

// cutWord takes the first word of a line that starts with one.
func cutWord(line string) (word, rest string) {
	end := strings.IndexAny(line, " \t")
	if end < 0 {
		return line, ""
	}
	return line[:end], strings.TrimSpace(line[end:])
}
