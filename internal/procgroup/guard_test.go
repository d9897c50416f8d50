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
)

// TestMain is also the program that is killed: it starts what the variable
// says, and waits.
func TestMain(m *testing.M) {
	command := os.Getenv("PROCGROUP_TEST_COMMAND")
	if command == "" {
		os.Exit(m.Run())
	}
	cmd := exec.Command("sh", "-c", command)
	cmd.Env = os.Environ()
	g, err := Start(cmd)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("started")
	_ = g.Wait()
	time.Sleep(time.Minute)
}

func living(t *testing.T, marker string) int {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, e := range entries {
		if b, err := os.ReadFile("/proc/" + e.Name() + "/cmdline"); err == nil && strings.Contains(string(b), "sleep\x00"+marker) {
			n++
		}
	}
	return n
}

// eventually waits for a condition that another process brings about.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !ok(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal(what)
		}
	}
}

// Whatever ends this process, SIGKILL included, nothing that it started is
// left: not the command, not its children, not those in the background or in a
// session of their own.
func TestNothingOutlivesThisProcess(t *testing.T) {
	for name, command := range map[string]string{
		"running":               "sleep %[1]s | sleep %[1]s",
		"in the background":     "sleep %[1]s & exit 0",
		"in another session":    "setsid sleep %[1]s & sleep %[1]s",
		"orphan, other session": "(setsid sh -c 'sleep %[1]s; :' &); exit 0",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			marker := fmt.Sprint(100000 + time.Now().UnixNano()%899999)
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), "PROCGROUP_TEST_COMMAND="+fmt.Sprintf(command, marker))
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			eventually(t, "the command did not start", func() bool { return living(t, marker) > 0 })
			time.Sleep(100 * time.Millisecond) // the guard learns of it right after
			if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait()
			eventually(t, "something is left", func() bool { return living(t, marker) == 0 })
		})
	}
}
