package cli

import (
	"context"
	"errors"
	"fmt"
	"syscall"

	"github.com/daruma-dev/daruma"
	"github.com/daruma-dev/daruma/internal/config"
	"github.com/daruma-dev/daruma/loop"
)

// The exit codes that no terminal reason stands for. All are a promise to
// scripts.
const (
	exitOK      = 0
	exitFailure = 1   // the program could not do its own part
	exitUsage   = 2   // nothing was begun
	exitSignal  = 128 // plus the number of the signal
)

// codeOfEnd is the code for the way a run ended; cause is why its context was
// cancelled, if it was.
func codeOfEnd(end loop.End, cause error) int {
	switch end {
	case loop.Completed:
		return exitOK
	case loop.ModelError:
		return 10
	case loop.PromptTooLong:
		return 11
	case loop.BlockingLimit:
		return 12
	case loop.MediaError:
		return 13
	case loop.OutputLimit:
		return 14
	case loop.MaxTurns:
		return 20
	case loop.BudgetExhausted:
		return 21
	case loop.StopHookPrevented:
		return 22
	case loop.HookStopped:
		return 23
	case loop.AbortedStreaming, loop.AbortedTools:
		if cause == nil {
			cause = context.Canceled
		}
		return codeOf(cause)
	default:
		panic(fmt.Sprintf("cli: unhandled end %q", string(end)))
	}
}

// codeOf is the code for an error that kept the program from its work, or ended
// it.
func codeOf(err error) int {
	var (
		own    *problem
		use    *daruma.UsageError
		conf   *config.Error
		hinted hintedError
		sig    signalError
	)
	switch {
	case errors.As(err, &sig):
		return sig.code()
	case errors.Is(err, errReaderGone): // as if it had been killed for it
		return signalError{syscall.SIGPIPE}.code()
	case errors.As(err, &own) && own.usage, errors.As(err, &use), errors.As(err, &conf):
		return exitUsage
	case own == nil && errors.As(err, &hinted):
		return exitFailure
	case errors.Is(err, context.Canceled):
		return signalError{}.code()
	default:
		return exitFailure
	}
}
