package walk

import "strings"

// The glob language of gitignore(5), byte by byte as git has it. A pattern that
// is malformed, such as an open bracket, matches nothing.

// splitSegments cuts a pattern at its slashes, which a bracket and a backslash
// before it do not hide but a bracket's own.
func splitSegments(p string) []string {
	var segs []string
	start := 0
	for i := 0; i < len(p); i++ {
		switch p[i] {
		case '\\':
			if i+1 < len(p) && p[i+1] == '/' {
				segs = append(segs, p[start:i])
				start = i + 2
			}
			i++
		case '[':
			if n, _ := matchClass(p[i:], 0); n > 0 {
				i += n - 1
			}
		case '/':
			segs = append(segs, p[start:i])
			start = i + 1
		}
	}
	return append(segs, p[start:])
}

// anyDepth reports whether a segment is "**", which stands for any number of
// directories.
func anyDepth(seg string) bool {
	return len(seg) >= 2 && strings.Trim(seg, "*") == ""
}

// matchPath matches the segments of a pattern against a slash-separated path.
func matchPath(segs []string, path string) bool {
	for i, seg := range segs {
		last := i == len(segs)-1
		if anyDepth(seg) {
			if last {
				return true // and the path has at least one more name
			}
			for {
				if matchPath(segs[i+1:], path) {
					return true
				}
				_, rest, more := strings.Cut(path, "/")
				if !more {
					return false
				}
				path = rest
			}
		}
		name, rest, more := strings.Cut(path, "/")
		if !matchName(seg, name) || more == last {
			return false
		}
		path = rest
	}
	return true
}

// matchName matches a pattern without slashes against one name. A star that
// fails is tried again with one more byte; only the last one has to be, because
// what an earlier star would take more, the last can take as well.
func matchName(p, s string) bool {
	px, sx := 0, 0
	starP, starS := -1, 0
	for sx < len(s) {
		if px < len(p) && p[px] == '*' {
			px++
			starP, starS = px, sx
			continue
		}
		if n := matchOne(p[px:], s[sx]); n > 0 {
			px += n
			sx++
			continue
		}
		if starP < 0 {
			return false
		}
		starS++
		px, sx = starP, starS
	}
	return strings.Trim(p[px:], "*") == ""
}

// matchOne is the length of the start of p that matches the byte c, or 0.
func matchOne(p string, c byte) int {
	if p == "" {
		return 0
	}
	switch p[0] {
	case '?':
		return 1
	case '[':
		if n, ok := matchClass(p, c); ok {
			return n
		}
		return 0
	case '\\':
		if len(p) > 1 && p[1] == c {
			return 2
		}
		return 0
	default:
		if p[0] == c {
			return 1
		}
		return 0
	}
}

// matchClass matches the bracket that p starts with against c and tells its
// length, which is 0 for one that is malformed.
func matchClass(p string, c byte) (n int, ok bool) {
	i := 1
	negated := i < len(p) && (p[i] == '!' || p[i] == '^')
	if negated {
		i++
	}
	var prev byte // the start of a range, 0 where there can be none
	matched := false
	for first := true; ; first = false {
		switch {
		case i >= len(p):
			return 0, false
		case p[i] == ']' && !first:
			return i + 1, matched != negated
		case p[i] == '-' && prev != 0 && i+1 < len(p) && p[i+1] != ']':
			i++
			if p[i] == '\\' {
				if i++; i >= len(p) {
					return 0, false
				}
			}
			matched = matched || prev <= c && c <= p[i]
			prev = 0
			i++
			continue
		case p[i] == '[' && i+1 < len(p) && p[i+1] == ':':
			if name, size := className(p[i:]); size > 0 {
				in, known := namedClass(name, c)
				if !known {
					return 0, false
				}
				matched = matched || in
				prev = 0
				i += size
				continue
			}
		case p[i] == '\\':
			if i++; i >= len(p) {
				return 0, false
			}
		}
		matched = matched || p[i] == c
		prev = p[i]
		i++
	}
}

// className is the name in the "[:name:]" that p starts with, and the length of
// it all; 0 where p starts with something else.
func className(p string) (name string, size int) {
	end := strings.IndexByte(p[2:], ']') + 2
	if end < 3 || p[end-1] != ':' {
		return "", 0
	}
	return p[2 : end-1], end + 1
}

func namedClass(name string, c byte) (in, known bool) {
	lower, upper, digit := 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9'
	graph := 0x20 < c && c < 0x7f
	switch name {
	case "alpha":
		return lower || upper, true
	case "digit":
		return digit, true
	case "alnum":
		return lower || upper || digit, true
	case "lower":
		return lower, true
	case "upper":
		return upper, true
	case "space":
		return c == ' ' || '\t' <= c && c <= '\r', true
	case "blank":
		return c == ' ' || c == '\t', true
	case "punct":
		return graph && !(lower || upper || digit), true
	case "graph":
		return graph, true
	case "print":
		return graph || c == ' ', true
	case "cntrl":
		return c < 0x20 || c == 0x7f, true
	case "xdigit":
		return digit || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F', true
	}
	return false, false
}
