package tool

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// mend corrects values of a call whose meaning is plain though their type is
// wrong, at any depth, and reports whether there were any. Models send "500"
// or "true" for numbers and booleans, 2.0 for 2, null or an empty text for
// what they leave out, a list as its JSON text, one thing where a list of one
// belongs, and Path for path; refusing makes them send the same again. v comes
// from parse and is changed in place.
func mend(s *jsonschema.Schema, v any) (any, bool) {
	v, changed := convert(s, v)
	switch v := v.(type) {
	case map[string]any:
		return v, mendObject(s, v) || changed
	case []any:
		return v, mendList(s, v) || changed
	default:
		return v, changed
	}
}

func mendObject(s *jsonschema.Schema, v map[string]any) (changed bool) {
	changed = mendNames(s, v)
	for name, old := range v {
		p := property(s, name)
		if p == nil {
			continue
		}
		fixed, did := mend(p, old)
		if !fits(p, fixed) && meansNothing(fixed) {
			delete(v, name) // if it is required, it is missing now
			changed = true
			continue
		}
		v[name] = fixed
		changed = changed || did
	}
	return changed
}

// mendNames gives fields their exact names. encoding/json takes "Path" for
// "path", even where both are there, so that a tool would act upon another
// path than the one a hook has read.
func mendNames(s *jsonschema.Schema, v map[string]any) (changed bool) {
	for _, name := range slices.Sorted(maps.Keys(v)) {
		if property(s, name) != nil {
			continue
		}
		for exact := range s.Properties {
			if strings.EqualFold(exact, name) {
				if _, both := v[exact]; !both {
					v[exact] = v[name]
				}
				delete(v, name)
				changed = true
			}
		}
	}
	return changed
}

func mendList(s *jsonschema.Schema, v []any) (changed bool) {
	if s.Items == nil {
		return false
	}
	for i, old := range v {
		fixed, did := mend(s.Items, old)
		v[i] = fixed
		changed = changed || did
	}
	return changed
}

// meansNothing reports whether a value is a way to leave it out.
func meansNothing(v any) bool {
	text, isText := v.(string)
	return v == nil || isText && strings.TrimSpace(text) == ""
}

// convert gives a value the type that the schema asks for, where it can.
func convert(s *jsonschema.Schema, v any) (any, bool) {
	if n, ok := v.(json.Number); ok {
		return convertNumber(s, n)
	}
	if fits(s, v) {
		return v, false
	}
	switch v := v.(type) {
	case bool:
		if s.Type == "string" {
			return strconv.FormatBool(v), true
		}
	case string:
		if fixed, ok := fromText(s, v); ok {
			return fixed, true
		}
	}
	return inList(s, v)
}

func convertNumber(s *jsonschema.Schema, n json.Number) (any, bool) {
	if s.Type == "string" {
		return string(n), true
	}
	v := number(n)
	if i, ok := whole(v); ok && s.Type == "integer" {
		return i, true
	}
	if fits(s, v) {
		return v, false
	}
	return inList(s, n)
}

// inList makes a list of one thing where a list of such things belongs.
func inList(s *jsonschema.Schema, v any) (any, bool) {
	if s.Type == "array" && s.Items != nil && !meansNothing(v) {
		if item, _ := mend(s.Items, v); fits(s.Items, item) {
			return []any{item}, true
		}
	}
	return v, false
}

// fromText reads a text as JSON of the type that the schema asks for. Models
// also write True and 007.
func fromText(s *jsonschema.Schema, text string) (any, bool) {
	text = strings.TrimSpace(text)
	switch s.Type {
	case "boolean":
		text = strings.ToLower(text)
	case "integer", "number":
		if i, err := strconv.ParseInt(text, 10, 64); err == nil {
			return i, true
		}
	case "array":
		if !strings.HasPrefix(text, "[") { // JSON or not, it is one thing
			return nil, false
		}
	}
	v, err := parse([]byte(text))
	if err != nil {
		return nil, false
	}
	if n, ok := v.(json.Number); ok {
		v, _ = convertNumber(s, n)
	}
	return v, v == nil || fits(s, v)
}

// number is a JSON number as the narrowest Go type that holds it exactly, or
// the nearest float64.
func number(n json.Number) any {
	if i, err := n.Int64(); err == nil {
		return i
	}
	if u, err := strconv.ParseUint(string(n), 10, 64); err == nil {
		return u
	}
	f, err := n.Float64()
	if err != nil { // out of range; encoding/json refuses the text of it later
		return math.MaxFloat64
	}
	return f
}

// whole is the integer that is spelled with a fraction or an exponent, as in
// 2.0, which encoding/json does not take for one.
func whole(v any) (int64, bool) {
	f, ok := v.(float64)
	if !ok || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return 0, false
	}
	return int64(f), true
}
