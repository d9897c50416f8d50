// Package unprivileged lets a test see what a user without special rights sees.
// The superuser, who runs the tests in many containers, is never refused
// anything.
package unprivileged

import (
	"os"
	"os/exec"
	"testing"
)

const marker = "DARUMA_TEST_UNPRIVILEGED"

// Run calls test in a process that is not the superuser's: in this one, or, where
// the superuser runs it, in a copy of this test that is the user "nobody". The
// test that calls Run must do nothing else, and must not be a subtest.
func Run(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	if os.Geteuid() != 0 || os.Getenv(marker) != "" {
		test(t)
		return
	}
	cmd := exec.Command("/proc/self/exe", "-test.run=^"+t.Name()+"$", "-test.count=1", "-test.v")
	cmd.Env = append(os.Environ(), marker+"=1", "HOME=/nonexistent")
	cmd.Dir = os.TempDir()
	if !become(cmd) {
		t.Skip("needs another user to run as")
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("as another user: %v\n%s", err, out)
	}
}
