package modeltest

import (
	"fmt"
	"strconv"
	"strings"
)

// arg is an argument of a line: a word, a quoted string, or key=value with
// either as its value.
type arg struct {
	key    string
	text   string
	quoted bool
}

// String is the argument as it is written.
func (a arg) String() string {
	text := a.text
	if a.quoted {
		text = strconv.Quote(text)
	}
	if a.key != "" {
		return a.key + "=" + text
	}
	return text
}

// split takes a line apart. A word that starts with # starts a comment.
func split(line string) ([]arg, error) {
	var args []arg
	for {
		line = strings.TrimLeft(line, " \t")
		if line == "" || line[0] == '#' {
			return args, nil
		}
		a, rest, err := cutArg(line)
		if err != nil {
			return nil, err
		}
		args, line = append(args, a), rest
	}
}

func cutArg(line string) (a arg, rest string, err error) {
	switch line[0] {
	case '"', '`':
		a.quoted = true
		a.text, rest, err = cutQuoted(line)
		return a, rest, err
	case '/':
		a.text, rest, err = cutRegexp(line)
		return a, rest, err
	}
	end := strings.IndexAny(line, " \t")
	if end < 0 {
		end = len(line)
	}
	word, rest := line[:end], line[end:]
	key, value, ok := strings.Cut(word, "=")
	switch {
	case !ok:
		return arg{text: word}, rest, nil
	case key == "":
		return arg{}, "", fmt.Errorf("%q has nothing before the equals sign", word)
	case strings.HasPrefix(value, `"`) || strings.HasPrefix(value, "`"):
		a.key, a.quoted = key, true
		a.text, rest, err = cutQuoted(line[len(key)+1:])
		return a, rest, err
	default:
		return arg{key: key, text: value}, rest, nil
	}
}

func cutQuoted(line string) (text, rest string, err error) {
	q, err := strconv.QuotedPrefix(line)
	if err != nil {
		return "", "", fmt.Errorf("the string %s does not end; strings are quoted as in Go", line)
	}
	text, err = strconv.Unquote(q)
	if err != nil {
		return "", "", fmt.Errorf("the string %s is not quoted as in Go", q)
	}
	rest = line[len(q):]
	if rest != "" && rest[0] != ' ' && rest[0] != '\t' {
		return "", "", fmt.Errorf("a space is missing after %s", q)
	}
	return text, rest, nil
}

// cutRegexp takes /…/ with its slashes. A slash inside is written \/.
func cutRegexp(line string) (text, rest string, err error) {
	for i := 1; i < len(line); i++ {
		switch line[i] {
		case '\\':
			i++
		case '/':
			return line[:i+1], line[i+1:], nil
		}
	}
	return "", "", fmt.Errorf("the regular expression %s has no closing slash", line)
}
