package archtest

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

// TestArchitecture holds this repository to its rules.
func TestArchitecture(t *testing.T) {
	files, err := load(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 20 {
		t.Fatalf("only %d files were found", len(files))
	}
	for _, p := range check(files, table, bans) {
		t.Error(p)
	}
}

// TestCheckFindsWhatIsBroken shows each rule broken, in a small module of
// its own.
func TestCheckFindsWhatIsBroken(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/broken.txtar")
	if err != nil {
		t.Fatal(err)
	}
	root, err := txtar.FS(archive)
	if err != nil {
		t.Fatal(err)
	}
	files, err := load(root)
	if err != nil {
		t.Fatal(err)
	}
	const (
		undone     = "DO: do it, or open an issue that says what is to be done"
		undoneName = "ME: do it, or open an issue that says what is to be done"
		only       = " may import, of this module, "
		turn       = ": turn the dependency round, or change the architecture and say why in DESIGN.md"
		leavesEtc  = "internal/atomicfile, …"
		silent     = ` has no comment that says what it is for: put one over a package clause, beginning with "Package" and its name`
	)
	want := []string{
		"hook/hook.go, line 9: TO" + undone,
		"hook/hook.go, line 11: FIX" + undoneName,
		"hook/hook.go, line 15: FIX" + undoneName,
		"internal/cli/cli.go imports github.com/daruma-dev/daruma/internal/tui: package internal/cli" + only + leavesEtc,
		"internal/cli/cli.go imports github.com/daruma-dev/daruma/internal/tui: " + bans[3].why,
		"loop/loop.go imports github.com/daruma-dev/daruma/session: package loop" + only + "message, model, tool, permission" + turn,
		"loop/loop.go imports net/http: " + bans[0].why,
		"loop/loop.go imports os: " + bans[0].why,
		"loop/other_system.go imports os/exec: " + bans[0].why,
		"message/message.go imports gopkg.in/yaml.v3: package message keeps to the standard library",
		"message/message.go imports github.com/daruma-dev/daruma/model: package message" + only + "nothing" + turn,
		"package newcomer has no rule: add a line to the table in internal/archtest/table.go " +
			"that says what it may import, and one to the package list in ARCHITECTURE.md",
		"session/session.go imports pgregory.net/rapid: that module is for tests",
		"session/session.go imports github.com/daruma-dev/daruma/internal/tui: package session" + only + leavesEtc,
		"session/session.go imports github.com/daruma-dev/daruma/internal/unprivileged: package session" + only + leavesEtc,
		"session/session.go imports os/signal: " + bans[1].why,
		"session/session.go imports C: " + bans[2].why,
		"session/session.go imports github.com/daruma-dev/daruma/internal/tui: " + bans[3].why,
		"subagent/subagent.go imports github.com/daruma-dev/daruma/loop/looptest: it is there for tests",
		"package newcomer" + silent,
		"package session" + silent,
	}
	got := check(files, table, bans)
	for i, p := range got { // the long lists of the table are not what this is about
		if before, _, long := strings.Cut(p, "internal/atomicfile, "); long {
			got[i] = before + leavesEtc
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

func TestCovered(t *testing.T) {
	for _, c := range []struct {
		pattern, path string
		want          bool
	}{
		{"loop", "loop", true},
		{"loop", "loop/prepare", false},
		{"loop/...", "loop", true},
		{"loop/...", "loop/prepare", true},
		{"loop/...", "looptest", false},
		{"os/...", "os", true},
	} {
		if got := covered([]string{"x", c.pattern}, c.path); got != c.want {
			t.Errorf("%s covers %s: %v", c.pattern, c.path, got)
		}
	}
	if covered(nil, "loop") {
		t.Error("nothing covers something")
	}
}

// The table itself must be sound: one line a package, and nothing named that
// has no line.
func TestTable(t *testing.T) {
	dirs := map[string]bool{}
	for _, r := range table {
		if dirs[r.dir] {
			t.Errorf("two rules for %s", r.dir)
		}
		dirs[r.dir] = true
	}
	for _, r := range table {
		for _, o := range r.ours {
			if o, _ = strings.CutSuffix(o, "/..."); !dirs[o] {
				t.Errorf("%s may import %s, which has no rule", r.dir, o)
			}
		}
	}
}
