package anthropic

import (
	"fmt"
	"hash/fnv"
)

// cleanID is the id of a call as the API takes it. A call and its result get the
// same id, and different ids stay different.
func cleanID(id string) string { return cleanWord(id) }

// cleanName is the name of a tool as the API takes it. A reply's calls are
// matched with the tools by it, so the tool keeps its name.
func cleanName(name string) string { return cleanWord(name) }

// maxWord is how many bytes an id or name may have; some servers draw the line
// for names here.
const maxWord = 64

// cleanWord is s when it consists of 1 to maxWord letters, digits, _ and -.
// Otherwise other bytes become _, and a hash keeps different words apart.
func cleanWord(s string) string {
	b := []byte(s)
	changed := len(b) == 0 || len(b) > maxWord
	for i, c := range b {
		if !isWord(c) {
			b[i], changed = '_', true
		}
	}
	if !changed {
		return s
	}
	h := fnv.New64a()
	h.Write([]byte(s))
	return fmt.Sprintf("%s_%016x", b[:min(len(b), maxWord-17)], h.Sum64())
}

func isWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-'
}
