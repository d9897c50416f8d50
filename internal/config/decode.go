package config

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/daruma-dev/daruma/internal/similar"
)

// decoder lays one source after another over the same settings.
type decoder struct {
	settings *Settings
	warnings []string

	name string // of the source at work
	text []byte
}

// setter takes over the value of one key.
type setter func(d *decoder, key string, v hujson.Value) error

// decode lays one source over the settings.
func (d *decoder) decode(name string, text []byte) error {
	d.name, d.text = name, text
	v, err := hujson.Parse(text)
	if err != nil {
		if _, again := hujson.Parse(append(slices.Clip(text), "\n{}"...)); again == nil {
			return nil // nothing but white space and comments
		}
		return &Error{
			Text: fmt.Sprintf("%s is not valid JSON: %s", name, strings.TrimPrefix(err.Error(), "hujson: ")),
			Hint: "mend the file; comments and trailing commas are fine, the rest must be JSON", Err: err,
		}
	}
	return object(d.settings.keys())(d, "", v)
}

// object takes over an object by a table of its keys. What has no line there is
// a warning: a file may be older or newer than the program, or for another one.
func object(keys map[string]setter) setter {
	return func(d *decoder, at string, v hujson.Value) error {
		obj, ok := v.Value.(*hujson.Object)
		if !ok {
			return d.wrong(at, v, "an object in braces")
		}
		seen := map[string]bool{}
		for _, m := range obj.Members {
			name := m.Name.Value.(hujson.Literal).String()
			key := join(at, name)
			if seen[name] {
				d.warnf(m.Name, "%s is given twice, and the last one counts", key)
			}
			seen[name] = true
			set, ok := keys[name]
			switch {
			case !ok && at == "" && name == "$schema": // for editors
			case !ok:
				d.unknown(at, name, m.Name, slices.Sorted(maps.Keys(keys)))
			case isNull(m.Value): // as good as not there
			default:
				if err := set(d, key, m.Value); err != nil {
					return err
				}
			}
		}
		return nil
	}
}

func (d *decoder) unknown(at, name string, v hujson.Value, known []string) {
	text := fmt.Sprintf("there is no setting %q, so it is ignored", join(at, name))
	if like := similar.Names(name, known); len(like) > 0 {
		text += fmt.Sprintf("; did you mean %q?", join(at, like[0]))
	}
	d.warnf(v, "%s", text)
}

// join is the name of a key in an object, as people write it.
func join(at, name string) string {
	if at == "" {
		return name
	}
	return at + "." + name
}

func isNull(v hujson.Value) bool {
	l, ok := v.Value.(hujson.Literal)
	return ok && l.Kind() == 'n'
}

func (d *decoder) line(v hujson.Value) int {
	return 1 + bytes.Count(d.text[:v.StartOffset], []byte("\n"))
}

func (d *decoder) warnf(v hujson.Value, format string, args ...any) {
	d.warnings = append(d.warnings, fmt.Sprintf("%s, line %d: ", d.name, d.line(v))+fmt.Sprintf(format, args...))
}

// wrong is the error for a value that is not what its key wants.
func (d *decoder) wrong(key string, v hujson.Value, want string) error {
	if key == "" {
		key = "the whole file"
	}
	return &Error{
		Text: fmt.Sprintf("%s, line %d: %s must be %s, but is %s", d.name, d.line(v), key, want, found(v)),
		Hint: "mend that line, or take it out",
		Err:  errValue,
	}
}

// errValue is the cause of an Error about a value.
var errValue = errors.New("config: wrong value")

// found says what a value is.
func found(v hujson.Value) string {
	switch x := v.Value.(type) {
	case *hujson.Object:
		return "an object"
	case *hujson.Array:
		return "a list"
	case hujson.Literal:
		return literal(x)
	default:
		panic(fmt.Sprintf("config: unhandled value %T", x))
	}
}

func literal(l hujson.Literal) string {
	const most = 60
	s := string(l)
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	switch l.Kind() {
	case '"':
		return "the text " + s
	case '0':
		return "the number " + s
	default: // true, false, null
		return s
	}
}
