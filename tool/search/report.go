package search

import (
	"fmt"
	"slices"
	"strings"

	"github.com/daruma-dev/daruma/internal/visible"
	"github.com/daruma-dev/daruma/tool"
)

// maxText is how many bytes of files and lines a result has. With its notes it
// stays below tool.MaxResult, so that it is never paged out.
const maxText = 45_000

// result tells what was found.
func (g *grepping) result() tool.Result {
	var b strings.Builder
	files, lines := 0, 0 // shown
	for _, f := range g.sorted() {
		n, ok := g.write(&b, f, g.in.Limit-lines)
		if !ok {
			break
		}
		files++
		lines += n
		if g.in.Mode != modeContent && files == g.in.Limit {
			break
		}
	}
	var notes []string
	if g.files == 0 {
		b.WriteString(g.nothing())
	} else {
		notes = append(notes, g.cut(files, lines))
	}
	notes = append(notes, g.errors.note(g.place), g.leftOut())
	writeNotes(&b, notes)
	return tool.Result{Text: b.String(), Title: visible.Line(fmt.Sprintf("grep %q (%s)", clip(g.in.Pattern), g.summary()))}
}

// write shows one file and at most limit of its matches, and tells how many. It
// does not when there is no room.
func (g *grepping) write(b *strings.Builder, f found, limit int) (matches int, ok bool) {
	name := g.place.short(f.path)
	switch g.in.Mode {
	case modeFiles:
		name += "\n"
	case modeCount:
		name = fmt.Sprintf("%s: %d\n", name, f.count)
	default:
		return g.writeLines(b, name, f.lines, limit)
	}
	if b.Len()+len(name) > maxText {
		return 0, false
	}
	b.WriteString(name)
	return f.count, true
}

func (g *grepping) writeLines(b *strings.Builder, name string, lines []shown, limit int) (matches int, ok bool) {
	if limit <= 0 || b.Len()+len(name)+maxLine > maxText {
		return 0, false
	}
	if b.Len() > 0 {
		b.WriteByte('\n')
	}
	fmt.Fprintf(b, "%s\n", name)
	for i, l := range lines {
		if l.kind == match && matches == limit || b.Len()+len(l.text) > maxText {
			break
		}
		if i > 0 && l.num > lines[i-1].num+1 && g.in.Context > 0 {
			b.WriteString("--\n")
		}
		sign := ':'
		switch l.kind {
		case around:
			sign = '-'
		case match:
			matches++
		case rest:
		default:
			panic(fmt.Sprintf("search: unknown kind %v of line", l.kind))
		}
		fmt.Fprintf(b, "%d%c%s\n", l.num, sign, l.text)
	}
	return matches, true
}

// cut says what is not shown, if anything.
func (g *grepping) cut(files, lines int) string {
	const hint = "Those changed last come first. For the others, search for less (pattern, path, glob) or raise limit."
	if g.in.Mode != modeContent {
		if files == g.files {
			return ""
		}
		return fmt.Sprintf("These are %d of %s. %s", files, number(g.files, "file"), hint)
	}
	if files == g.files && lines >= g.lines {
		return ""
	}
	return fmt.Sprintf("These are %d of %s, in %d of %s. %s",
		lines, number(g.lines, "matching line"), files, number(g.files, "file"), hint)
}

// nothing says that nothing was found, and where.
func (g *grepping) nothing() string {
	where := "in " + g.place.name
	if !g.place.file {
		where = fmt.Sprintf("in the %s searched below %s", number(int(g.searched.Load()), "file"), g.place.name)
	}
	s := fmt.Sprintf("No line matches %q %s.", g.in.Pattern, where)
	if g.in.Multiline {
		s = fmt.Sprintf("Nothing matches %q %s.", g.in.Pattern, where)
	}
	switch {
	case g.place.file:
	case g.searched.Load() == 0 && (g.in.Glob != "" || g.in.Type != ""):
		s += " No file has the glob or type asked for; leave it out or change it."
	case g.ignored.Load() > 0:
		s += " Ignored files were not searched; to search them too, set include_ignored."
	}
	return s
}

// leftOut says what was passed over in silence.
func (g *grepping) leftOut() string {
	var s []string
	if n := int(g.large.Load()); n > 0 {
		s = append(s, fmt.Sprintf("Not searched, because larger than %d MB: %s. Search them without multiline.", maxWhole>>20, number(n, "file")))
	}
	if n := int(g.hidden.Load()); n > 0 {
		s = append(s, fmt.Sprintf("Not searched, because a rule forbids reading: %s.", number(n, "file")))
	}
	return strings.Join(s, " ")
}

func (g *grepping) summary() string {
	if g.in.Mode == modeFiles || g.files == 0 {
		return number(g.files, "file")
	}
	return fmt.Sprintf("%s in %s", number(g.lines, "line"), number(g.files, "file"))
}

// writeNotes appends those that are not empty, in brackets and apart from the
// rest.
func writeNotes(b *strings.Builder, notes []string) {
	notes = slices.DeleteFunc(notes, func(s string) bool { return s == "" })
	for _, n := range notes {
		fmt.Fprintf(b, "\n[%s]", n)
	}
}

// clip is the start of a text for a title.
func clip(s string) string {
	if r := []rune(s); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return s
}
