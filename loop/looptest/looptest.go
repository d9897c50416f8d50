package looptest

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "write the traces of loop scripts anew")

// Run plays every script that matches the pattern, each as a subtest, and
// compares the traces.
func Run(t *testing.T, pattern string) {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("looptest: no script matches %s (%v)", pattern, err)
	}
	for _, f := range files {
		t.Run(filepath.Base(f), func(t *testing.T) { runFile(t, f) })
	}
}

func runFile(t *testing.T, file string) {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s, err := parse(data)
	if err != nil {
		t.Fatal(err)
	}
	got := Play(t, s)
	if *update {
		writeTrace(t, file, s, got)
		return
	}
	if diff := cmp.Diff(s.trace, got); diff != "" {
		t.Errorf("the trace differs (-want +got):\n%s", diff)
	}
}

// Play plays a script in a bubble of fake time and returns its trace.
func Play(t *testing.T, s script) string {
	t.Helper()
	p, err := newPlay(s)
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) { p.all(t.Context()) })
	for _, text := range p.problems {
		t.Error(text)
	}
	return p.trace.String()
}

func writeTrace(t *testing.T, file string, s script, trace string) {
	t.Helper()
	a := s.file
	for i := range a.Files {
		if a.Files[i].Name == "trace" {
			a.Files = append(a.Files[:i], a.Files[i+1:]...)
			break
		}
	}
	a.Files = append(a.Files, txtar.File{Name: "trace", Data: []byte(trace)})
	if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
		t.Fatal(err)
	}
}
