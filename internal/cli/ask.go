package cli

import (
	"fmt"
	"strings"

	"github.com/daruma-dev/daruma/loop"
)

// maxShown is how many lines of a file's text a question shows. Everything else
// is shown whole, whatever its length: nobody should agree to what they cannot
// see.
const maxShown = 40

// isFileText reports whether a member of a call's input is text for a file, by
// the names that the file tools give it.
func isFileText(name string) bool {
	return name == "content" || name == "old_string" || name == "new_string"
}

// grant is what "always" would mean for a call: a rule or a mode.
type grant struct{ rule, mode string }

// grantOf reads it from the hint of a verdict, which is a flag as a shell takes
// it. It is zero where nothing that narrow would do.
func grantOf(hint string) grant {
	if rule, ok := strings.CutPrefix(hint, "--allow '"); ok && strings.HasSuffix(rule, "'") {
		return grant{rule: strings.ReplaceAll(strings.TrimSuffix(rule, "'"), `'\''`, "'")}
	}
	if mode, ok := strings.CutPrefix(hint, "--permission-mode "); ok {
		return grant{mode: mode}
	}
	return grant{}
}

// String says what is granted.
func (g grant) String() string {
	if g.rule != "" {
		return g.rule
	}
	return g.mode
}

// questionText is a question as the user sees it.
func questionText(q loop.Question) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s wants to run:\n", brief(q.Call.Name, lineWidth))
	for _, a := range argsOf(q.Call) {
		b.WriteString(argText(a))
	}
	if q.Verdict.Reason != "" {
		fmt.Fprintf(&b, "  (%s)\n", shown(q.Verdict.Reason))
	}
	b.WriteString("y: once")
	if g := grantOf(q.Verdict.Hint); g != (grant{}) {
		fmt.Fprintf(&b, "  a: always in this session (%s)", shown(g.String()))
	}
	b.WriteString("  n: no, or say what to do instead ")
	return b.String()
}

// argText is one member of a call's input. What an edit takes out and puts in
// looks like a diff.
func argText(a arg) string {
	lines := strings.Split(strings.TrimSuffix(shown(a.value), "\n"), "\n")
	hidden := 0
	if isFileText(a.name) && len(lines) > maxShown {
		hidden = len(lines) - maxShown
		lines = lines[:maxShown]
	}
	mark := "  "
	switch a.name {
	case "old_string":
		mark = "- "
	case "new_string":
		mark = "+ "
	case "command":
	default:
		lines[0] = brief(a.name, lineWidth) + ": " + lines[0]
	}
	text := ""
	for _, l := range lines {
		text += "  " + mark + l + "\n"
	}
	if hidden > 0 {
		text += fmt.Sprintf("    … %d more lines\n", hidden)
	}
	return text
}

// replyTo is the answer that typed words mean. It is false when they are none.
func replyTo(q loop.Question, words string) (a loop.Answer, always, ok bool) {
	a = loop.Answer{CallID: q.Call.ID}
	switch strings.ToLower(words) {
	case "":
		return a, false, false
	case "y", "yes":
		a.Allow = true
	case "a", "always":
		if grantOf(q.Verdict.Hint) == (grant{}) {
			return a, false, false
		}
		a.Allow, always = true, true
	case "n", "no":
		a.Reason = "the user said no"
	default:
		a.Reason = "the user said: " + words
	}
	return a, always, true
}
