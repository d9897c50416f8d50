package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The example in the documentation must be one that works, and name every
// setting there is.
func TestDocumentedExample(t *testing.T) {
	page, err := os.ReadFile(filepath.FromSlash("../../docs/cli.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "\n```js\n")
	example, _, ok := strings.Cut(rest, "\n```\n")
	if !ok {
		t.Fatal("docs/cli.md has no example of a settings file")
	}
	s, warnings, err := Load("", example)
	if err != nil || len(warnings) > 0 {
		t.Fatalf("the example gives %v and warns %q", err, warnings)
	}
	for key := range s.keys() {
		if !strings.Contains(example, `"`+key+`":`) {
			t.Errorf("the example does not name %s", key)
		}
	}
	for key := range new(Model).keys() {
		if !strings.Contains(example, `"`+key+`":`) {
			t.Errorf("the example does not name %s of a model", key)
		}
	}
}
