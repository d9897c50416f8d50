package shellsyntax

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"
)

// Script is a command text taken apart. It is not changed after [Parse] and
// may be read by many goroutines.
type Script struct {
	// Commands are the simple commands anywhere in the text, in the order in
	// which they are written: in lists, pipelines, subshells, loops,
	// conditions, functions, substitutions and here-documents.
	Commands []Command

	obscure string // see Obscure
	file    *syntax.File
}

// Command is one simple command. One without Words only assigns or redirects,
// or is the redirection of a compound command, such as "{ …; } > f". The
// keywords "[[", "((", "let" and those of declarations, such as "export", are
// first words like any other.
type Command struct {
	Words   []Word
	Assigns []Assign // in front of the words, or the arguments of a declaration
	Redirs  []Redirect

	// After is what stands between the command before and this one: "&&",
	// "||", "|", "|&", "&" or ";" (a newline counts as one). It is empty for
	// the first command of the text and of what is enclosed in it.
	After      string
	Background bool   // ends in &, or lies in something that does
	Subshell   bool   // runs in a shell of its own: (…), $(…), a pipeline, …&
	Function   string // the function in whose body it stands, if any
}

// Assign is an assignment to a shell variable.
type Assign struct {
	Name  string
	Value Word // the zero Word, which is Known and empty, for "X=" and arrays
	Array bool // an array or one element of it
}

// Redirect is a redirection from or to a file. Those that only join two open
// descriptors (2>&1), close one, or feed a text (<<, <<<) are left out.
type Redirect struct {
	Op     string // such as ">>"
	Target Word
	Write  bool // opens for writing, or does something else than reading a file
}

// Name is the name of the program without its directory, and empty where there
// is none or it cannot be known.
func (c Command) Name() string {
	if len(c.Words) == 0 || !c.Words[0].Known {
		return ""
	}
	name := c.Words[0].Text
	return name[strings.LastIndexByte(name, '/')+1:]
}

// Text is the command without its assignments and redirections, in normal
// form: quotes removed where the words are known, one blank between words.
func (c Command) Text() string {
	texts := make([]string, len(c.Words))
	for i, w := range c.Words {
		texts[i] = w.Text
	}
	return strings.Join(texts, " ")
}

// maxText bounds what is parsed, in bytes. The parser is recursive, and a text
// of nothing but brackets takes about a kilobyte of stack for each.
const maxText = 100_000

// longComment matches a comment that ends in a backslash, wherever it may be
// quoted.
var longComment = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("(?m)(^|[\\s;&|()<>`])#.*\\\\$") })

// misread names what our parser reads otherwise than bash, which would hide a
// command from us: it goes on with the next line where bash ends a comment or a
// command.
func misread(text string) string {
	switch {
	case strings.ContainsRune(text, 0):
		return "a NUL byte"
	case strings.Contains(text, "\\\r"):
		return "a backslash before a carriage return"
	case strings.Contains(text, "\\\n") && longComment().MatchString(text):
		return "a comment that ends in a backslash"
	}
	return ""
}

// Parse takes a command text apart. The error, in one line, says what is wrong
// with it; bash would run the part before that.
func Parse(text string) (Script, error) {
	if len(text) > maxText {
		return Script{}, fmt.Errorf("shellsyntax: the command is longer than %d bytes", maxText)
	}
	if what := misread(text); what != "" {
		return Script{}, fmt.Errorf("shellsyntax: it has %s", what)
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
	if err != nil {
		return Script{}, fmt.Errorf("shellsyntax: %w", err)
	}
	w := walker{text: text}
	if strings.ContainsRune(text, '\r') {
		w.obscure = "a carriage return, which the shell takes for a letter"
	}
	w.stmts(file.Stmts, place{})
	s := Script{Commands: w.commands, file: file}
	w.check(s)
	s.obscure = w.obscure
	return s, nil
}

// Obscure names the first construct in the text that may run commands or set
// variables out of sight, such as arithmetic on variables (which bash expands
// a second time). It is empty where there is none.
func (s Script) Obscure() string { return s.obscure }

// Assigned lists the values that the text gives to a variable; nil means none.
// A value that is not known is among them too.
func (s Script) Assigned(name string) []Word {
	var values []Word
	for _, c := range s.Commands {
		for _, a := range c.Assigns {
			if a.Name == name {
				values = append(values, a.Value)
			}
		}
	}
	return values
}

// Runs reports whether a program of that name is among the commands.
func (s Script) Runs(name string) bool {
	return slices.ContainsFunc(s.Commands, func(c Command) bool { return c.Name() == name })
}
