package modeltest

import (
	"encoding/json"
	"strings"
)

const nameLetters = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-"

func isName(s string, longest int) bool {
	return s != "" && len(s) <= longest && strings.Trim(s, nameLetters) == ""
}

// checkTools checks the tools that we define. The service's own have a type
// and are not looked into.
func checkTools(r *request) error {
	seen := map[string]bool{}
	for _, t := range r.tools {
		name := t.text("name")
		if seen[name] {
			return wrong("tools: Tool names must be unique.")
		}
		seen[name] = true
		if t.typ != "" && t.typ != "custom" {
			continue
		}
		if err := checkTool(t, name); err != nil {
			return err
		}
	}
	return nil
}

func checkTool(t wireBlock, name string) error {
	path := t.path + ".custom"
	if err := onlyFields(t.fields, path, "type", "name", "description", "input_schema", "strict", "cache_control",
		"eager_input_streaming", "defer_loading", "input_examples", "allowed_callers"); err != nil {
		return err
	}
	if !isName(name, 128) {
		return at(path+".name", "String should match pattern '^[a-zA-Z0-9_-]{1,128}$'")
	}
	if t.get("description") != nil {
		if err := needText(t.fields, path, "description"); err != nil {
			return err
		}
	}
	return checkSchema(t.get("input_schema"), path+".input_schema")
}

// checkSchema checks the top of a JSON Schema, which is what the service is
// particular about.
func checkSchema(raw json.RawMessage, path string) error {
	if raw == nil {
		return at(path, "Field required")
	}
	fs, err := fieldsOf(raw)
	if err != nil {
		return at(path, "Input should be a valid dictionary")
	}
	if fs.get("type") == nil {
		return at(path+".type", "Field required")
	}
	if fs.text("type") != "object" {
		return at(path+".type", "Input should be 'object'")
	}
	for _, word := range []string{"oneOf", "allOf", "anyOf"} {
		if fs.get(word) != nil {
			return at(path, "input_schema does not support oneOf, allOf, or anyOf at the top level")
		}
	}
	var known struct {
		Properties map[string]json.RawMessage `json:"properties"`
		Required   []string                   `json:"required"`
	}
	if err := json.Unmarshal(raw, &known); err != nil {
		return at(path, "JSON schema is invalid. It must match JSON Schema draft 2020-12")
	}
	return nil
}

// checkSystem checks the system prompt, which is text.
func checkSystem(r *request) error {
	for _, b := range r.system {
		if b.typ != "text" {
			return at(b.path+".type", "Input should be 'text'")
		}
		if err := checkText(b, b.path, "system"); err != nil {
			return err
		}
	}
	return nil
}
