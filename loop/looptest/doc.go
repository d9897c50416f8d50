// Package looptest runs a loop by a script and prints what it did. It is how
// the loop's behaviour is tested: a script is a txtar file that begins with
// prose naming what it pins, says what the model and the world do, and ends
// with the expected trace.
//
//	A failing read cancels nobody.
//	-- model --
//	call t1 read {"path":"a"}
//	---
//	text "done"
//	-- world --
//	tool read safe fails "no such file"
//	user "look at a"
//	-- trace --
//	received "look at a"
//	…
//
// # The model
//
// The section "model" is a script of package modeltest; its client plays it. A
// request that a real server would refuse fails the test.
//
// # The world
//
// Lines of the section "world"; strings are Go-quoted:
//
//	user "text"                    a run with this prompt; several lines, several runs
//	continue                       a run without a prompt, after a crash or an interrupt
//	tool NAME [safe] [returns "text"] [fails "text"] [panics "text"] [takes 2s] [cancels]
//	                               takes: 1s if not said, so that nothing is a matter of luck;
//	                               safe: may run beside others; cancels: a failure cancels its siblings
//	vet NAME allow|ask|deny ["reason"]
//	answer CALL yes|no ["reason"]  what the user says to a question; without any, nobody is there
//	interrupt after 2s             counted from the start of the run that the line follows
//	interrupt executing CALL       as soon as that call runs
//	type "text" executing CALL     the user types while that call runs
//	crash executing CALL           the process dies while that call runs
//	crash recording N              the process dies before entry N is written
//	hook object|prevent "text"     what the stop hook says, once for each line
//	set early=all|safe|off executor=streaming|batch max_turns=N token_budget=N objections=N max_output=N
//	                               model=PROVIDER/ID fallback=A,B window=N
//
// # The trace
//
// One line for each journal entry, and, indented, for what else was told. Run a
// test with -update to write the traces anew, and commit only a difference you
// can explain.
//
// Whatever the script, the package checks that the fold of the journal equals
// the live state, that each run ends with exactly one Finish, that no unsafe
// call ran twice, and that the model was never sent an invalid request. Time is
// fake.
package looptest
