package cli

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"testing"

	"github.com/daruma-dev/daruma"
	"github.com/daruma-dev/daruma/internal/config"
	"github.com/daruma-dev/daruma/loop"
)

// The codes are a promise to scripts (docs/cli.md): this table is never changed,
// only added to.
func TestExitCodes(t *testing.T) {
	want := map[loop.End]int{
		loop.Completed: 0, loop.ModelError: 10, loop.PromptTooLong: 11, loop.BlockingLimit: 12, loop.MediaError: 13,
		loop.OutputLimit: 14, loop.MaxTurns: 20, loop.BudgetExhausted: 21, loop.StopHookPrevented: 22, loop.HookStopped: 23,
		loop.AbortedStreaming: 130, loop.AbortedTools: 130,
	}
	for _, end := range loop.Ends() { // panics for an end it does not know
		if got := codeOfEnd(end, nil); got != want[end] {
			t.Errorf("%s has the code %d, want %d", end, got, want[end])
		}
	}
	for sig, want := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143, syscall.SIGHUP: 129} {
		if got := codeOfEnd(loop.AbortedTools, signalError{sig}); got != want {
			t.Errorf("after %v the code is %d, want %d", sig, got, want)
		}
	}
}

func TestCodesOfErrors(t *testing.T) {
	for _, tc := range []struct {
		err  error
		want int
	}{
		{usage("hint", "text"), 2},
		{fmt.Errorf("wrapped: %w", &daruma.UsageError{Text: "x"}), 2},
		{&config.Error{Text: "x"}, 2},
		{errors.Join(&daruma.UsageError{Text: "x"}, nil), 2},
		{errors.New("anything else"), 1},
		{&problem{Text: "not the user's fault"}, 1},
		{signalError{syscall.SIGTERM}, 143},
		{context.Canceled, 130},
	} {
		if got := codeOf(tc.err); got != tc.want {
			t.Errorf("codeOf(%v) = %d, want %d", tc.err, got, tc.want)
		}
	}
}

func TestSubtypes(t *testing.T) {
	want := map[loop.End]string{
		loop.Completed: "success", loop.MaxTurns: "error_max_turns", loop.BudgetExhausted: "error_max_budget_usd",
	}
	for _, end := range loop.Ends() {
		w := want[end]
		if w == "" {
			w = "error_during_execution"
		}
		o := outcome{terminal: loop.Terminal{Reason: end}}
		r := o.result()
		if r.Subtype != w || r.IsError != (end != loop.Completed) || r.IsError != (len(r.Errors) > 0) || r.Terminal != string(end) {
			t.Errorf("%s: %+v", end, r)
		}
	}
}
