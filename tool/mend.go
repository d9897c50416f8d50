package tool

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// mend corrects one value of a call whose meaning is plain though its type is
// wrong. Models send "500" or "true" for numbers and booleans, null for what
// they leave out, and a list as its JSON text; refusing makes them send the
// same again.
func mend(s *jsonschema.Schema, v any) (any, bool) {
	text, isText := v.(string)
	if !isText || accepts(s, "string") {
		return nil, false
	}
	t := strings.TrimSpace(text)
	switch {
	case accepts(s, "integer"):
		if n, err := strconv.ParseInt(t, 10, 64); err == nil {
			return n, true
		}
	case accepts(s, "number"):
		if n, err := strconv.ParseFloat(t, 64); err == nil {
			return n, true
		}
	case accepts(s, "boolean"):
		switch strings.ToLower(t) {
		case "true":
			return true, true
		case "false":
			return false, true
		}
	case accepts(s, "array"), accepts(s, "object"):
		var any any
		if json.Unmarshal([]byte(t), &any) == nil {
			if _, still := any.(string); !still {
				return any, true
			}
		}
	}
	return nil, false
}

func accepts(s *jsonschema.Schema, typ string) bool {
	return s.Type == typ || slices.Contains(s.Types, typ)
}
