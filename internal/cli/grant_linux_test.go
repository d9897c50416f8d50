package cli

import (
	"strings"
	"testing"
)

// "Always" for one call says nothing about another of the same reply that does
// more: the rule that would allow the first part of a chain is the same.
func TestLineGrantIsNoBlankCheque(t *testing.T) {
	t.Parallel()
	l := talkTo(t, `
		call t1 shell {"command":"touch made"}
		call t2 shell {"command":"touch made && mkdir evil"}
		---
		text "Done."`, "make it")
	l.expect("a: always in this session (shell(touch made *))")
	l.sends("a\n")
	l.expect("mkdir evil")
	l.expect("y: once")
	l.sends("n\n")
	l.expect("Done.")
	l.sends(ctrlD)
	l.ends(0)
	if !l.exists("made") || l.exists("evil") {
		t.Errorf("made: %t, evil: %t", l.exists("made"), l.exists("evil"))
	}
}

// A mode that is granted for one call of a reply holds for the others.
func TestLineGrantsAMode(t *testing.T) {
	t.Parallel()
	l := talkTo(t, `
		call t1 write {"path":"a","content":"a"}
		call t2 write {"path":"b","content":"b"}
		call t3 write {"path":".git/config","content":"evil"}
		---
		text "Done."`, "make them")
	l.expect("a: always in this session (accept-edits)")
	l.sends("a\n")
	l.expect(".git/config") // b is not asked about
	l.expect("y: once")
	l.sends("n\n")
	l.expect("Done.")
	l.sends(ctrlD)
	l.ends(0)
	if n := strings.Count(l.output(), "y: once"); n != 2 {
		t.Errorf("%d questions were asked, not 2", n)
	}
	if !l.exists("a") || !l.exists("b") || l.exists(".git/config") {
		t.Errorf("a: %t, b: %t, .git/config: %t", l.exists("a"), l.exists("b"), l.exists(".git/config"))
	}
}

// Nobody agrees to what they cannot see: only the text of files is shortened.
func TestLineShowsWholeCommands(t *testing.T) {
	t.Parallel()
	command := strings.Repeat("true\\n", 60) + "rm -rf here"
	content := strings.Repeat("x\\n", 60) + "last line"
	l := talkTo(t, `
		call t1 shell {"Command":"`+command+`","command":"`+command+`"}
		---
		call t2 write {"path":"a","content":"`+content+`"}
		---
		text "Done."`, "go")
	l.expect("rm -rf here")
	l.expect("rm -rf here")
	l.expect("y: once")
	l.sends("n\n")
	l.expect("… 21 more lines")
	l.expect("y: once")
	l.sends("n\n")
	l.expect("Done.")
	l.sends(ctrlD)
	l.ends(0)
	if strings.Contains(l.output(), "last line") {
		t.Error("the text of a file was not shortened")
	}
}
