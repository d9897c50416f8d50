package anthropic

import (
	"fmt"
	"slices"

	"github.com/daruma-dev/daruma/message"
)

// uniqueID is the id of a call of this reply: the one that came, unless it is
// empty or was used before, in this reply or in the conversation. The API
// refuses a request in which two calls share an id.
func (r *reply) uniqueID(id string) string {
	if id != "" && !r.taken(id) {
		return id
	}
	n := 2
	if id == "" {
		id, n = "call", 1
	}
	for ; ; n++ {
		if next := fmt.Sprintf("%s_%d", id, n); !r.taken(next) {
			return next
		}
	}
}

// taken reports whether a call of that id is known.
func (r *reply) taken(id string) bool {
	if slices.Contains(r.ids, id) {
		return true
	}
	for _, m := range r.req.Messages {
		for _, p := range m.Parts {
			if c, ok := p.(message.Call); ok && c.ID == id {
				return true
			}
		}
	}
	return false
}

// toolName is the name of the tool that the model calls name: tools whose names
// the API refuses are offered under another.
func (r *reply) toolName(name string) string {
	offered := ""
	for _, t := range r.req.Tools {
		switch {
		case t.Name == name:
			return name
		case offered == "" && cleanName(t.Name) == name:
			offered = t.Name
		}
	}
	if offered != "" {
		return offered
	}
	return name
}
