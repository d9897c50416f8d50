package cli

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// signalError is the cause of a context that a signal ended. The zero value
// stands for ctrl-C.
type signalError struct{ Signal syscall.Signal }

func (e signalError) Error() string { return fmt.Sprintf("ended by the signal %v", e.Signal) }

// code is the code by which shells tell that a signal ended a program.
func (e signalError) code() int {
	if e.Signal == 0 {
		return exitSignal + int(syscall.SIGINT)
	}
	return exitSignal + int(e.Signal)
}

func asError(s os.Signal) signalError {
	n, _ := s.(syscall.Signal)
	return signalError{n}
}

// listen gets the signals that end a run, and makes a write to a pipe without a
// reader fail instead of killing the process, which could have tools running.
// (Ignoring that signal would do it too, but commands would inherit it.) A
// hang-up that is ignored, as under nohup, stays ignored. stop gives the signals
// back.
func listen() (signals <-chan os.Signal, stop func()) {
	settle()
	c, pipe := make(chan os.Signal, 2), make(chan os.Signal, 1)
	signal.Notify(c, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(c, syscall.SIGHUP)
	}
	signal.Notify(pipe, syscall.SIGPIPE)
	return c, func() {
		signal.Stop(c)
		signal.Stop(pipe)
	}
}

// settle lets package os find out now what the system can do with processes. On
// Linux it tries that with a child that shares our memory and would do so right
// before the first tool starts; a ctrl-C in that moment reaches both of them and
// is told twice, which quits the program.
func settle() {
	if p, err := os.FindProcess(os.Getpid()); err == nil {
		_ = p.Release()
	}
}

// echo is how soon the same signal again is no second wish: programs such as
// timeout send it to the process and then to its group.
const echo = 200 * time.Millisecond

// watchSignals is a context that the first signal ends, with a signalError as
// its cause. A second one ends the process at once, by exit: whoever sends it
// does not want to wait for tools to be torn down, which the guard of
// internal/procgroup then sees to.
func watchSignals(parent context.Context, exit func(int)) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals, stop := listen()
	done := make(chan struct{})
	go func() {
		var first os.Signal
		var at time.Time
		for {
			select {
			case s := <-signals:
				switch {
				case first == nil:
					first, at = s, time.Now()
					cancel(asError(s))
				case s != first || time.Since(at) > echo:
					exit(asError(s).code())
				}
			case <-done:
				return
			}
		}
	}()
	return ctx, func() {
		stop()
		close(done)
		cancel(nil)
	}
}
