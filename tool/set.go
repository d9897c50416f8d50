package tool

import "fmt"

// Set is the tools on offer, in the order they are described to the model. The
// zero value is empty. A Set is not changed after it is shared.
type Set struct {
	tools []Tool
	named map[string]Tool
}

// NewSet makes a set. Two tools of one name are an error.
func NewSet(tools ...Tool) (Set, error) {
	s := Set{tools: tools, named: make(map[string]Tool, len(tools))}
	for _, t := range tools {
		name := t.Spec().Name
		if _, dup := s.named[name]; dup {
			return Set{}, fmt.Errorf("tool: two tools are named %q", name)
		}
		s.named[name] = t
	}
	return s, nil
}

// Find returns the tool of that name, or nil.
func (s Set) Find(name string) Tool { return s.named[name] }

// All lists the tools in order. The slice is the set's own.
func (s Set) All() []Tool { return s.tools }

// Names lists the tools' names in order.
func (s Set) Names() []string {
	names := make([]string, len(s.tools))
	for i, t := range s.tools {
		names[i] = t.Spec().Name
	}
	return names
}
