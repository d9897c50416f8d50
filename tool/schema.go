package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/daruma-dev/daruma/message"
)

// schema is a tool's input schema in the three forms it is used in.
type schema struct {
	json     json.RawMessage
	root     *jsonschema.Schema
	resolved *jsonschema.Resolved
}

// schemaOf derives the schema of a tool's input. It panics where In cannot
// have one, which the tool's first test shows.
func schemaOf[In any](name string) schema {
	s, err := jsonschema.For[In](nil)
	if err != nil {
		panic(fmt.Sprintf("tool: the input of %s has no schema: %v", name, err))
	}
	if s.Type != "object" {
		panic(fmt.Sprintf("tool: the input of %s is no struct", name))
	}
	simplify(s)
	res, err := s.Resolve(nil)
	if err != nil {
		panic(fmt.Sprintf("tool: the schema of %s does not resolve: %v", name, err))
	}
	if len(s.Properties) == 0 { // some servers refuse an object without this field
		return schema{json: json.RawMessage(`{"type":"object","properties":{}}`), root: s, resolved: res}
	}
	b, err := message.Marshal(s)
	if err != nil {
		panic(fmt.Sprintf("tool: the schema of %s does not encode: %v", name, err))
	}
	return schema{json: b, root: s, resolved: res}
}

// simplify takes out of a derived schema what helps no model. Models add
// fields that do not exist, and refusing the call for it changes nothing; and
// not every server understands a list of types, which here is only ever a
// type or null.
func simplify(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if types := slices.DeleteFunc(slices.Clone(s.Types), func(t string) bool { return t == "null" }); len(types) == 1 {
		s.Type, s.Types = types[0], nil
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Not != nil { // the way to write false
		s.AdditionalProperties = nil
	}
	for _, p := range s.Properties {
		simplify(p)
	}
	simplify(s.Items)
	simplify(s.AdditionalProperties)
}

// check validates input, after mending values whose meaning is plain. It
// returns the bytes it was given where there was nothing to mend.
func (s schema) check(input json.RawMessage) (json.RawMessage, error) {
	v, err := parse(input)
	if err != nil {
		return nil, fmt.Errorf("its input is not valid JSON (%w)", err)
	}
	v, changed := mend(s.root, v)
	if err := s.explain(v); err != nil {
		return nil, err
	}
	if !changed {
		return input, nil
	}
	return message.Marshal(v)
}

// explain says in plain words why a value does not fit, without repeating it:
// it may be as long as a file.
func (s schema) explain(v any) error {
	if text := misfit(s.root, v, "its input"); text != "" {
		return errors.New(text)
	}
	if err := s.resolved.Validate(v); err != nil {
		return fmt.Errorf("its input is not valid: %s", clip(err.Error(), 300))
	}
	return nil
}

// parse decodes one JSON value. Numbers keep their spelling: those over 2^53
// do not survive as float64.
func parse(b []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("there is more after its end")
	}
	return v, nil
}
