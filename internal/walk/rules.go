package walk

import (
	"bytes"
	"io"
	"os"
	"strings"

	"github.com/daruma-dev/daruma/internal/regular"
)

// maxRules is how many bytes of an ignore file are read.
const maxRules = 4 << 20

// verdict is what rules say about a path. The zero value is that they are
// silent.
type verdict int

const (
	silent verdict = iota
	ignored
	included
)

// rules are the lines of one ignore file, in order. Nil has none.
type rules []rule

// rule is one line. It is either for names at any depth or for paths below the
// directory of its file.
type rule struct {
	say     verdict
	dirOnly bool
	name    string   // a pattern for the last name, when path is nil
	literal bool     // name has no wildcards
	suffix  bool     // name is literal after a star that was taken away
	path    []string // the segments of a pattern for the path
}

// judge is what the last rule says that matches. path is relative to the
// directory of the rules' file, and name its last element.
func (rs rules) judge(path, name string, isDir bool) verdict {
	for i := len(rs) - 1; i >= 0; i-- {
		if r := &rs[i]; (isDir || !r.dirOnly) && r.match(path, name) {
			return r.say
		}
	}
	return silent
}

func (r *rule) match(path, name string) bool {
	switch {
	case r.path != nil:
		return matchPath(r.path, path)
	case r.literal:
		return r.name == name
	case r.suffix:
		return strings.HasSuffix(name, r.name)
	default:
		return matchName(r.name, name)
	}
}

// loadRules reads an ignore file. One that cannot be read has no rules; git
// does not follow a link there either.
func loadRules(path string) rules {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	f, _, err := regular.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxRules))
	if err != nil {
		return nil
	}
	return parseRules(b)
}

func parseRules(b []byte) rules {
	var rs rules
	b = bytes.TrimPrefix(b, []byte("\xef\xbb\xbf"))
	for line := range strings.Lines(string(b)) {
		if strings.HasSuffix(line, "\n") {
			line = strings.TrimSuffix(line[:len(line)-1], "\r")
		}
		if r, ok := parseRule(line); ok {
			rs = append(rs, r)
		}
	}
	return rs
}

func parseRule(line string) (rule, bool) {
	if strings.HasPrefix(line, "#") {
		return rule{}, false
	}
	p := trimSpaces(line)
	r := rule{say: ignored}
	if rest, ok := strings.CutPrefix(p, "!"); ok {
		r.say, p = included, rest
	}
	if rest, ok := strings.CutSuffix(p, "/"); ok {
		r.dirOnly, p = true, rest
	}
	switch {
	case p == "":
		return rule{}, false
	case strings.Contains(p, "/"):
		r.path = splitSegments(strings.TrimPrefix(p, "/"))
	case !strings.ContainsAny(p, `*?[\`):
		r.name, r.literal = p, true
	case p[0] == '*' && !strings.ContainsAny(p[1:], `*?[\`):
		r.name, r.suffix = p[1:], true
	default:
		r.name = p
	}
	return r, true
}

// trimSpaces takes away the spaces at the end that no backslash keeps.
func trimSpaces(s string) string {
	end := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case ' ':
			continue
		case '\\':
			if i++; i >= len(s) {
				return s
			}
		}
		end = i + 1
	}
	return s[:end]
}
