package tool

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// misfit says what keeps a value from having the types and fields of a schema;
// it is empty when nothing does. at names the value.
func misfit(s *jsonschema.Schema, v any, at string) string {
	if s.Type != "" && !fits(s, v) {
		return fmt.Sprintf("%s is %s and must be %s", at, withArticle(typeOf(v)), withArticle(s.Type))
	}
	switch v := v.(type) {
	case map[string]any:
		if text := missing(s, v, at); text != "" {
			return text
		}
		for _, name := range slices.Sorted(maps.Keys(v)) { // the same words each time
			if p := property(s, name); p != nil {
				if text := misfit(p, v[name], fmt.Sprintf("%q of %s", name, at)); text != "" {
					return text
				}
			}
		}
	case []any:
		if s.Items == nil {
			return ""
		}
		for i, item := range v {
			if text := misfit(s.Items, item, fmt.Sprintf("item %d of %s", i, at)); text != "" {
				return text
			}
		}
	}
	return ""
}

// missing names the required fields that an object lacks, what they are for,
// and the fields that it has instead: the model may have the wrong name in
// mind. A field is also missing when the call was cut off before it.
func missing(s *jsonschema.Schema, v map[string]any, at string) string {
	var lacks, strange []string
	for _, name := range s.Required {
		if _, ok := v[name]; !ok {
			lacks = append(lacks, describe(name, s.Properties[name]))
		}
	}
	if lacks == nil {
		return ""
	}
	text := fmt.Sprintf("%s lacks %s", at, strings.Join(lacks, " and "))
	for _, name := range slices.Sorted(maps.Keys(v)) {
		if property(s, name) == nil {
			strange = append(strange, fmt.Sprintf("%q", clip(name, 40)))
		}
	}
	if strange != nil {
		text += fmt.Sprintf(" (it has %s, which means nothing here)", strings.Join(strange[:min(len(strange), 5)], ", "))
	}
	return text + ". If it was too long to be written in one go, send it in parts"
}

func describe(name string, s *jsonschema.Schema) string {
	text := fmt.Sprintf("%q", name)
	if s == nil {
		return text
	}
	if s.Type != "" {
		text += ", " + withArticle(s.Type)
	}
	if s.Description != "" {
		text += fmt.Sprintf(" (%s)", s.Description)
	}
	return text
}

// property is the schema of an object's field; nil where there is none.
func property(s *jsonschema.Schema, name string) *jsonschema.Schema {
	if p, ok := s.Properties[name]; ok {
		return p
	}
	return s.AdditionalProperties
}

// fits reports whether a value has the type that a schema asks for. What the
// value holds is not looked at.
func fits(s *jsonschema.Schema, v any) bool {
	t := typeOf(v)
	return s.Type == "" || s.Type == t || s.Type == "number" && t == "integer"
}

// typeOf is the JSON type of a value that parse and mend gave.
func typeOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case int64, uint64:
		return "integer"
	case float64, json.Number:
		return "number"
	case string:
		return "string"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	default:
		panic(fmt.Sprintf("tool: unhandled JSON value %T", v))
	}
}

func withArticle(typ string) string {
	switch typ {
	case "null", "":
		return typ
	case "integer", "array", "object":
		return "an " + typ
	default:
		return "a " + typ
	}
}
