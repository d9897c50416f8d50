package cli

import (
	"syscall"
	"testing"
)

// After ctrl-Z and fg there is a prompt again, and keys work (B106). A shell
// does with signals what is done here.
func TestLineGoesOnAfterAStop(t *testing.T) {
	t.Parallel()
	l := talkTo(t, `
		text "Hello."
		---
		call t1 shell {"command":"touch made"}
		---
		text "Done."`)
	stop := func() {
		check(t, l.cmd.Process.Signal(syscall.SIGSTOP))
		check(t, l.cmd.Process.Signal(syscall.SIGCONT))
	}
	l.expect("› ")
	stop()
	l.expect("› ")
	l.sends("hi\n")
	l.expect("Hello.")
	l.expect("› ")
	l.sends("make it\n")
	l.expect("y: once")
	stop()
	l.expect("touch made")
	l.expect("y: once")
	l.sends("y\n")
	l.expect("Done.")
	l.expect("› ")
	if !l.exists("made") {
		t.Error("the command did not run")
	}
	l.sends(ctrlD)
	l.ends(0)
}
