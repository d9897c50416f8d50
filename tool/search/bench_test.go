package search_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/daruma-dev/daruma/tool"
	"github.com/daruma-dev/daruma/tool/search"
)

// source is the standard library: some ten thousand files, a hundred megabytes.
func source(b *testing.B) *tool.Workspace {
	b.Helper()
	ws, err := tool.NewWorkspace(goSource(b))
	if err != nil {
		b.Skip(err)
	}
	return ws
}

// goSource is the directory of the standard library's source.
func goSource(t testing.TB) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Skip("needs the go command")
	}
	return filepath.Join(strings.TrimSpace(string(out)), "src")
}

// against runs a tool b.N times and reports, where ripgrep is on the path, how
// many times longer that took than the like command. Less than 1 is faster. Both
// are measured in turn, so that what else the machine does troubles both.
func against(b *testing.B, t tool.Tool, in args, root string, rg ...string) {
	b.Helper()
	path, err := exec.LookPath("rg")
	var ours, theirs time.Duration
	for b.Loop() {
		begin := time.Now()
		if _, err := run(t, in); err != nil {
			b.Fatal(err)
		}
		ours += time.Since(begin)
		if err != nil {
			continue
		}
		b.StopTimer()
		begin = time.Now()
		cmd := exec.Command(path, append(rg, root)...)
		_ = cmd.Run() // 1 when nothing is found
		theirs += time.Since(begin)
		b.StartTimer()
	}
	if err == nil {
		b.ReportMetric(ours.Seconds()/theirs.Seconds(), "times-rg")
	}
}

func BenchmarkGrepTree(b *testing.B) {
	ws := source(b)
	for _, bm := range []struct {
		name, pattern string
		fold          bool
	}{
		{"word", "ReadDirEnt", false},
		{"rare", "nowhereToBeFound", false},
		{"common", "return", false},
		{"alternatives", "ErrNotExist|ErrPermission|ErrClosed", false},
		{"pattern", `func \(\w+ \*\w+\) Read\(`, false},
		{"fold", "notimplemented", true},
		{"no-literal", `[a-z]+[0-9]{3}[A-Z]\w+`, false},
		{"classes", `\w+\s+\w+\s+\w+_test`, false},
	} {
		b.Run(bm.name, func(b *testing.B) {
			rg := []string{"--hidden", "--no-messages", "-n", "--color=never"}
			if bm.fold {
				rg = append(rg, "-i")
			}
			against(b, search.Grep(ws), args{"pattern": bm.pattern, "ignore_case": bm.fold}, ws.Root(), append(rg, bm.pattern)...)
		})
	}
}

func BenchmarkGlobTree(b *testing.B) {
	ws := source(b)
	for name, pattern := range map[string]string{"ending": "*_test.go", "path": "**/testdata/**/*.go"} {
		b.Run(name, func(b *testing.B) {
			against(b, search.Glob(ws), args{"pattern": pattern}, ws.Root(), "--files", "--hidden", "--sortr=modified", "-g", pattern)
		})
	}
}
