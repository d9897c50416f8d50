package prompt

import "strings"

// reading is what the loader wants of an instruction file: its text without
// comments, and the paths it imports.
type reading struct {
	text    string
	imports []string
}

// read goes through Markdown by lines. Block comments (<!-- … -->) are for the
// people who keep the file, and are left out. An import is @path at the start
// of a word, outside code. It understands of Markdown what this takes and no
// more: fences, code spans, comments.
func read(text string) reading {
	var (
		r     reading
		out   []string
		fence string // that is open; empty outside
	)
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		mark := fenceMark(line)
		switch {
		case fence != "":
			if strings.HasPrefix(mark, fence) && strings.Trim(line, " \t\r>"+mark[:1]) == "" {
				fence = ""
			}
		case mark != "":
			fence = mark
		case strings.HasPrefix(strings.TrimLeft(line, " \t"), "<!--"):
			if end, rest, ok := commentEnd(lines, i); ok {
				i = end
				if strings.TrimSpace(rest) == "" {
					continue
				}
				line = rest
			}
			r.imports = append(r.imports, imports(line)...)
		default:
			r.imports = append(r.imports, imports(line)...)
		}
		out = append(out, line)
	}
	r.text = strings.Trim(strings.Join(out, "\n"), "\r\n")
	if strings.TrimSpace(r.text) == "" {
		r.text = ""
	}
	return r
}

// fenceMark is the run of ``` or ~~~ that a line opens or closes a code block
// with, or "".
func fenceMark(line string) string {
	s := strings.TrimLeft(line, " \t>")
	for _, c := range []string{"`", "~"} {
		n := len(s) - len(strings.TrimLeft(s, c))
		if n < 3 || c == "`" && strings.Contains(s[n:], "`") { // ```x``` is a span
			continue
		}
		return s[:n]
	}
	return ""
}

// commentEnd finds the line on which the comment that starts on line i ends,
// and what stands after it. A comment that never ends is no comment: dropping
// the rest of the file for a missing mark would lose too much.
func commentEnd(lines []string, i int) (end int, rest string, ok bool) {
	_, line, _ := strings.Cut(lines[i], "<!--")
	for end = i; ; line = lines[end] {
		if _, rest, ok = strings.Cut(line, "-->"); ok {
			return end, rest, true
		}
		if end++; end == len(lines) {
			return 0, "", false
		}
	}
}

// imports lists the @paths of a line, outside its code spans.
func imports(line string) []string {
	if !strings.Contains(line, "@") {
		return nil
	}
	var paths []string
	before := byte(' ')
	for line != "" {
		c := line[0]
		switch {
		case c == '`':
			n := len(line) - len(strings.TrimLeft(line, "`"))
			line = line[n:]
			if end := spanEnd(line, n); end >= 0 {
				line = line[end:]
			}
		case c == '@' && strings.IndexByte(" \t([\"'*_:>", before) >= 0:
			path, rest := importPath(line[1:])
			if path != "" {
				paths = append(paths, path)
			}
			line = rest
		default:
			line = line[1:]
		}
		before = c
	}
	return paths
}

// spanEnd is where a code span that was opened with n backticks ends, or -1
// when it does not.
func spanEnd(line string, n int) int {
	for i := 0; i < len(line); {
		if line[i] != '`' {
			i++
			continue
		}
		run := len(line[i:]) - len(strings.TrimLeft(line[i:], "`"))
		if i += run; run == n {
			return i
		}
	}
	return -1
}

// importPath takes the path at the start of s: up to the next white space that
// no backslash stands before.
func importPath(s string) (path, rest string) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\' && i+1 < len(s) && s[i+1] == ' ':
			b.WriteByte(' ')
			i++
		case c == ' ' || c == '\t' || c == '\r' || c == '`':
			return b.String(), s[i:]
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), ""
}
