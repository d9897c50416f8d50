package shellsyntax

import (
	"slices"
	"strings"
)

// checkSed reads the scripts of a call of sed. GNU sed's commands w, W, e, r
// and R, and the flags w and e of s, write files, run programs and read others,
// so only scripts are allowed that print, delete and substitute.
func checkSed(args []Word) string {
	var scripts, operands []Word
	for i := 0; i < len(args); i++ {
		w := args[i]
		switch {
		case w.MayBeFlag() && !w.Known:
			return "an argument that is not known may be a flag"
		case !strings.HasPrefix(w.Text, "-") || w.Text == "-":
			operands = append(operands, w)
		case slices.Contains([]string{"--quiet", "--silent", "--regexp-extended", "--posix", "--"}, w.Text):
		case strings.Trim(w.Text[1:], "nErsuz") == "":
		case strings.Trim(w.Text[1:len(w.Text)-1], "nErsuz") == "" && strings.HasSuffix(w.Text, "e") && i+1 < len(args):
			i++
			scripts = append(scripts, args[i])
		default:
			return "`" + w.Text + "` may write files"
		}
	}
	if len(scripts) == 0 && len(operands) > 0 {
		scripts = operands[:1]
	}
	if slices.ContainsFunc(scripts, func(w Word) bool { return !w.Known || !sedReads(w.Text) }) {
		return "its script is not known to only print"
	}
	return ""
}

// sedReads reports whether every command of a script only prints.
func sedReads(script string) bool {
	for {
		script = strings.TrimLeft(script, " \t\n;{}")
		if script == "" {
			return true
		}
		var ok bool
		if script, ok = sedAddress(script); !ok || script == "" {
			return false
		}
		script = strings.TrimLeft(script, " \t!{")
		if script == "" {
			return false
		}
		c := script[0]
		script = script[1:]
		switch {
		case strings.IndexByte("pdqQ=PDnNgGhHx", c) >= 0:
			script = strings.TrimLeft(script, " \t0123456789")
		case c == 's' || c == 'y':
			if script, ok = sedSubstitute(script); !ok {
				return false
			}
		default:
			return false
		}
		if script != "" && strings.IndexByte(";}\n", script[0]) < 0 {
			return false
		}
	}
}

// sedAddress skips the addresses before a command: 1,5 or $ or /x/,+3 or 0~4.
func sedAddress(s string) (string, bool) {
	for {
		s = strings.TrimLeft(s, " \t,+~0123456789$")
		if s == "" || s[0] != '/' {
			return s, true
		}
		var ok bool
		if s, ok = sedUntil(s[1:], '/'); !ok {
			return "", false
		}
		s = strings.TrimLeft(s, "IM")
	}
}

// sedSubstitute skips what follows an s: two texts and harmless flags.
func sedSubstitute(s string) (string, bool) {
	if s == "" || s[0] == '\\' || s[0] == '\n' || s[0] >= 0x80 {
		return "", false
	}
	delim := s[0]
	s, ok := sedUntil(s[1:], delim)
	if !ok {
		return "", false
	}
	if s, ok = sedUntil(s, delim); !ok {
		return "", false
	}
	return strings.TrimLeft(s, "gpiI0123456789 \t"), true
}

// sedUntil skips to behind the next delimiter. One in brackets ends the text
// for some versions of sed and not for others, so brackets are not judged when
// they hold one.
func sedUntil(s string, delim byte) (string, bool) {
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\':
			i++
		case s[i] == delim:
			if open := strings.LastIndexByte(s[:i], '['); open >= 0 && !strings.Contains(s[open:i], "]") {
				return "", false
			}
			return s[i+1:], true
		}
	}
	return "", false
}
