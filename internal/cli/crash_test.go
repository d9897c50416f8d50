package cli

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// A fault of the program itself has its own code, is told in a sentence, and
// gives scripts the object they wait for.
func TestCrashIsTold(t *testing.T) {
	var out, errs bytes.Buffer
	p := &program{out: &output{w: &out}, err: &errs, flags: &flags{}}
	if code := p.crashed([]string{"-p", "--output-format", "json", "hi"}, "kaboom"); code != exitFailure {
		t.Errorf("exit code %d, want %d", code, exitFailure)
	}
	var r result
	if err := json.Unmarshal(out.Bytes(), &r); err != nil || !r.IsError || len(r.Errors) != 1 {
		t.Errorf("stdout %q: %v", out.String(), err)
	}
	if s := errs.String(); !strings.HasPrefix(s, "daruma: this is a fault of daruma") || !strings.Contains(s, "kaboom") {
		t.Errorf("stderr %q", s)
	}
}
