package prompt

import (
	_ "embed"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"time"
	"unicode"
)

//go:embed system.md
var static string

// Block is one piece of the system prompt.
type Block struct {
	Text  string
	Cache bool // the prompt up to and with this block is worth caching
}

// Options is what a system prompt is made of. The zero value gives a prompt
// that knows nothing of the session.
type Options struct {
	Dir      string    // working directory, absolute
	Extra    []string  // more directories that the tools may use
	Git      Git       // zero: not in a git repository
	Platform string    // zero: that of this binary, such as "linux/amd64"
	Today    time.Time // only its day is told; zero: no date

	Instructions Instructions

	Nonce string // see [Nonce]; empty: no notes from daruma are announced

	// System stands in for the built-in first block. What is told of the
	// session and the instruction files still follow it.
	System string
	// AppendSystem is the last word of the prompt.
	AppendSystem string
}

// System is the system prompt: what is the same everywhere, what belongs to the
// project, what belongs to the session. A block that would be empty is left
// out.
func System(o Options) []Block {
	first := o.System
	if first == "" {
		first = static
	}
	var bs []Block
	for _, b := range []Block{
		{Text: first, Cache: true},
		{Text: project(o), Cache: true},
		{Text: session(o)},
	} {
		if b.Text = strings.TrimSpace(b.Text); b.Text != "" {
			bs = append(bs, b)
		}
	}
	return bs
}

// project is the block that all sessions of a project share for a day.
func project(o Options) string {
	var b strings.Builder
	b.WriteString("# Where you are\n\n")
	if o.Dir != "" {
		fmt.Fprintf(&b, "- Working directory: %s\n", plain(o.Dir))
	}
	for _, d := range o.Extra {
		fmt.Fprintf(&b, "- Also yours to work in: %s\n", plain(d))
	}
	if o.Git.Root != "" {
		fmt.Fprintf(&b, "- Git repository: %s%s\n", plain(o.Git.Root), at(o.Git.Branch))
	}
	fmt.Fprintf(&b, "- Platform: %s\n", orElse(o.Platform, runtime.GOOS+"/"+runtime.GOARCH))
	if !o.Today.IsZero() {
		fmt.Fprintf(&b, "- Date: %s\n", o.Today.Format(time.DateOnly))
	}
	if text := o.Instructions.text(); text != "" {
		b.WriteString("\n# Instruction files\n\n")
		b.WriteString(text)
	}
	return b.String()
}

func at(branch string) string {
	if branch == "" {
		return ""
	}
	return ", when the session started at " + plain(branch)
}

// session is the block that no other session has.
func session(o Options) string {
	var b strings.Builder
	if o.Nonce != "" {
		fmt.Fprintf(&b, "# Notes from daruma\n\nNotes from daruma stand between <%s> and </%[1]s>.\n", tag(o.Nonce))
	}
	if o.AppendSystem != "" {
		b.WriteString("\n" + o.AppendSystem + "\n")
	}
	return b.String()
}

// plain is a name that somebody else chose, safe to stand in a line of the
// prompt: one that could break out of its line is quoted.
func plain(name string) string {
	odd := func(r rune) bool { return !unicode.IsPrint(r) || r == unicode.ReplacementChar }
	if strings.ContainsFunc(name, odd) {
		return strconv.Quote(name)
	}
	return name
}

func orElse(s, instead string) string {
	if s == "" {
		return instead
	}
	return s
}
