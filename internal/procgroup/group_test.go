//go:build linux

package procgroup

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// start starts a shell command with a number of seconds that nothing else
// sleeps, in place of its every %[1]s.
func start(t *testing.T, command string) (g *Group, marker string) {
	t.Helper()
	marker = fmt.Sprint(100000 + time.Now().UnixNano()%899999)
	if strings.Contains(command, "%") {
		command = fmt.Sprintf(command, marker)
	}
	g, err := Start(exec.Command("bash", "-c", command))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.Kill(0) })
	return g, marker
}

// Kill ends everything, however it tries to get away (B053, B054). Each
// command leaves at least want processes that sleep.
func TestKill(t *testing.T) {
	for _, c := range []struct {
		name, command string
		want          int
	}{
		{"the command itself", "exec sleep %[1]s", 1},
		{"a pipeline", "sh -c 'sleep %[1]s | sleep %[1]s'", 2},
		{"a group of its own", "set -m; sleep %[1]s & sleep %[1]s", 2},
		{"a session of its own", "setsid sleep %[1]s & sleep %[1]s", 2},
		{"an orphan", "(sleep %[1]s &); sleep %[1]s", 2},
		{"an orphan in its own session", "(setsid sleep %[1]s &); sleep %[1]s", 2},
		{"whose own parent has ended too", "setsid sh -c 'sleep %[1]s & exit'; sleep %[1]s", 2},
		{"without a mark, but with a parent", "env -i setsid sleep %[1]s & sleep %[1]s", 2},
		{"without a mark, in the group", "(env -i sleep %[1]s &); sleep %[1]s", 2},
		{"ignoring the polite signal", "trap '' TERM INT; sh -c 'trap \"\" TERM; sleep %[1]s; sleep %[1]s' & sleep %[1]s; sleep %[1]s", 2},
		{"stopped", "sleep %[1]s & sleep 0.2; kill -STOP $!; sleep %[1]s", 2},
		{"starting another on the signal", "trap 'sleep %[1]s' TERM; sleep %[1]s & wait; wait", 1},
		{"left in the background", "sleep %[1]s & exit 0", 1},
		{"left in the background, in another session", "setsid sleep %[1]s & exit 0", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			g, marker := start(t, c.command)
			other, theirs := start(t, "sleep %[1]s & wait")
			eventually(t, "the command did not start", func() bool { return living(t, marker) >= c.want && living(t, theirs) == 1 })
			begin := time.Now()
			g.Kill(300 * time.Millisecond)
			if n := living(t, marker); n > 0 || g.Alive() {
				t.Errorf("%d processes are left, alive %t", n, g.Alive())
			}
			if took := time.Since(begin); took > 20*time.Second {
				t.Errorf("it took %v", took)
			}
			if living(t, theirs) != 1 || !other.Alive() {
				t.Error("another group was hit")
			}
			g.Kill(0) // once more does no harm
		})
	}
}

// What ends at the polite signal has the time to clean up.
func TestKillIsPolite(t *testing.T) {
	file := t.TempDir() + "/f"
	g, marker := start(t, "trap 'echo clean > "+file+"; exit 5' TERM; sleep %[1]s & wait")
	eventually(t, "the command did not start", func() bool { return living(t, marker) == 1 })
	g.Kill(10 * time.Second)
	if err := g.Wait(); err == nil || err.Error() != "exit status 5" {
		t.Errorf("Wait: %v", err)
	}
	if b, err := os.ReadFile(file); string(b) != "clean\n" {
		t.Errorf("it did not clean up: %q, %v", b, err)
	}
}

func TestAlive(t *testing.T) {
	g, _ := start(t, "exit 3")
	if err := g.Wait(); err == nil || err.Error() != "exit status 3" {
		t.Errorf("Wait: %v", err)
	}
	if g.Alive() {
		t.Error("alive after the end")
	}
	g, marker := start(t, "sleep %[1]s & exit 0")
	if err := g.Wait(); err != nil {
		t.Errorf("Wait: %v", err)
	}
	if !g.Alive() {
		t.Error("what was left in the background does not live")
	}
	eventually(t, "what was left in the background does not live", func() bool { return living(t, marker) == 1 })
	g.Kill(-1)
	if g.Alive() || living(t, marker) != 0 {
		t.Error("what was left in the background lives")
	}
}

// There is no input and no terminal, and the environment is that of the
// process when nobody says otherwise.
func TestSurroundings(t *testing.T) {
	t.Setenv("PROCGROUP_TEST", "inherited")
	cmd := exec.Command("bash", "-c", `read x; echo "input $?"; (: </dev/tty) 2>/dev/null; echo "terminal $?"; echo $PROCGROUP_TEST; ps -o sid= -p $$ | tr -d ' '; echo $$`)
	var out strings.Builder
	cmd.Stdout = &out
	g, err := Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("input 1\nterminal 1\ninherited\n%[1]d\n%[1]d\n", cmd.Process.Pid)
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestStartFails(t *testing.T) {
	if _, err := Start(exec.Command("/nonexistent/program")); err == nil {
		t.Error("no error")
	}
}

func TestParseStat(t *testing.T) {
	const rest = " 0 -1 4194304 91 0 0 0 0 0 0 0 20 0 1 0 7777 2764800 322 18446744073709551615"
	for _, c := range []struct {
		line string
		want process
		ok   bool
	}{
		{"12 (bash) S 3 4 5" + rest, process{pid: 12, parent: 3, group: 4, session: 5, born: 7777}, true},
		{"12 (a) R 1 1 1 (b) S 3 4 5" + rest, process{pid: 12, parent: 3, group: 4, session: 5, born: 7777}, true},
		{"12 (a\nb ) Z 3 4 5" + rest, process{pid: 12, parent: 3, group: 4, session: 5, born: 7777, zombie: true}, true},
		{"12 (bash) S 3 4", process{}, false},
		{"12 (bash) S x 4 5" + rest, process{}, false},
		{"", process{}, false},
	} {
		got, ok := parseStat(12, []byte(c.line))
		if ok != c.ok || ok && !cmp.Equal(c.want, got, cmp.AllowUnexported(process{}), cmpopts.EquateEmpty()) {
			t.Errorf("parseStat(%q) = %+v, %t, want %+v, %t", c.line, got, ok, c.want, c.ok)
		}
	}
	self, ok := stat(os.Getpid())
	if !ok || self.parent != os.Getppid() || self.group != syscall.Getpgrp() || self.born == 0 || self.zombie {
		t.Errorf("of ourselves: %+v, %t", self, ok)
	}
}

// A number that was given to another process does not make that one a member.
func TestNumberUsedAgain(t *testing.T) {
	g, _ := start(t, "exit 0")
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	_, marker := start(t, "sleep %[1]s & wait")
	eventually(t, "the other command did not start", func() bool { return living(t, marker) == 1 })
	other, _ := start(t, "sleep 1000")
	g.pid = other.pid // as if the system had given it out again
	if g.Alive() {
		t.Errorf("members: %v", g.members())
	}
	g.Kill(-1)
	if !other.Alive() {
		t.Error("a process that is not ours was killed")
	}
}
