package tool

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/daruma-dev/daruma/message"
)

// Func is a typed tool made by [New]. Its optional fields may be set before
// the tool is first used.
type Func[In any] struct {
	// ReadOnlyFunc makes calls concurrency-safe where it returns true; nil
	// means never.
	ReadOnlyFunc func(in In) bool
	// AccessFunc tells what a call would touch; nil means Other.
	AccessFunc func(in In) (Access, error)

	name, description string
	run               func(ctx context.Context, call Call, in In) (Result, error)
	schema            func() schema
}

// New makes a tool from a function of a typed input. The input's JSON Schema is
// derived from In, which must be a struct: `json` tags name the properties,
// `omitempty` or `omitzero` makes one optional, and a `jsonschema` tag holds its
// description. The schema is built at the first use, not here, so that a
// program with many tools starts fast. Inputs are checked before run sees
// them, and forgiven where the meaning is plain: "3" where a number belongs.
// An input that does not fit is a failure with message.StatusMalformed that
// says what is wrong with it.
func New[In any](name, description string, run func(ctx context.Context, call Call, in In) (Result, error)) *Func[In] {
	return &Func[In]{
		name: name, description: description, run: run,
		schema: sync.OnceValue(func() schema { return schemaOf[In](name) }),
	}
}

// Spec implements [Tool].
func (f *Func[In]) Spec() Spec {
	return Spec{Name: f.name, Description: f.description, Schema: f.schema().json}
}

// Run implements [Tool].
func (f *Func[In]) Run(ctx context.Context, call Call) (Result, error) {
	in, err := f.decode(call.Input)
	if err != nil {
		return Result{}, err
	}
	return f.run(ctx, call, in)
}

// ReadOnly implements [ReadOnly]. An input that cannot be decoded is safe: it
// will not run.
func (f *Func[In]) ReadOnly(input json.RawMessage) bool {
	if f.ReadOnlyFunc == nil {
		return false
	}
	in, err := f.decode(input)
	return err != nil || f.ReadOnlyFunc(in)
}

// Access implements [Accessor].
func (f *Func[In]) Access(input json.RawMessage) (Access, error) {
	if f.AccessFunc == nil {
		return Access{Action: Other}, nil
	}
	in, err := f.decode(input)
	if err != nil {
		return Access{}, err
	}
	return f.AccessFunc(in)
}

func (f *Func[In]) decode(input json.RawMessage) (In, error) {
	var in In
	fixed, err := f.schema().check(input)
	if err == nil {
		err = json.Unmarshal(fixed, &in)
	}
	if err != nil {
		return in, Refuse(message.StatusMalformed, "%s was not run: %v. Send the call again with a corrected input.", f.name, err)
	}
	return in, nil
}
