package tool

import (
	"context"
	"fmt"
	"path"
	"runtime"
	"strings"
	"unicode/utf8"

	"github.com/daruma-dev/daruma/message"
)

// perform runs one call and says what came of it, whatever the tool does: it
// may fail, panic, end its goroutine or be cancelled.
//
// When ctx ended meanwhile, what the tool says for itself still counts: a
// Result without an error that has a status or a text, and an *Error with a
// status of its own, stand as they are, because the effect may well have
// happened. Anything else is taken for the cancellation's doing.
func perform(ctx context.Context, job Job, progress func(string), blob func(string) (Blob, error)) Result {
	if job.Tool == nil {
		return Failure(Refuse(message.StatusUnknown, "there is no tool named %q: use one of those you were told about.", job.Call.Name))
	}
	if cause := context.Cause(ctx); cause != nil { // recording the start took a moment
		return notStarted(cause)
	}
	call := Call{ID: job.Call.ID, Name: job.Call.Name, Input: job.Call.Input, Progress: progress, Blob: blob}
	answered := true
	r := guard(call.Name, func() Result {
		r, err := job.Tool.Run(ctx, call)
		if err != nil {
			f := Failure(err)
			r.Status, r.Text = f.Status, f.Text // what else is known of the call is kept
			answered = r.Status != message.StatusError
		} else {
			answered = r.Status != "" || r.Text != "" || len(r.Media) > 0
		}
		return r
	})
	if cause := context.Cause(ctx); cause != nil && !answered {
		r.Status, r.Text = message.StatusCancelled, cancelledText(job.Safe, cause, r.Text)
	}
	return presentable(r, call.Name)
}

// presentable makes sure that a result can be sent: providers refuse NUL bytes
// and what is not UTF-8, some of them a failure without a text, and a
// conversation that holds one is refused for ever after.
func presentable(r Result, name string) Result {
	r.Text, r.Title, r.Diff = clean(r.Text), clean(r.Title), clean(r.Diff)
	if r.Text == "" && r.Status != "" && r.Status != message.StatusOK {
		r.Text = fmt.Sprintf("`%s` failed and did not say why. Try another way.", name)
	}
	return r
}

func clean(s string) string {
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	return strings.ReplaceAll(s, "\x00", "\uFFFD")
}

// guard calls run in a goroutine of its own, because that is the only way to
// outlive runtime.Goexit, and waits for it. Goroutines that the tool starts
// itself are beyond its reach: a panic there ends the process.
func guard(name string, run func() Result) (r Result) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		returned := false
		defer func() {
			if !returned {
				r = Result{Status: message.StatusPanic, Text: crashText(name, recover())}
			}
		}()
		r = run()
		returned = true
	}()
	<-done
	return r
}

// maxPanicValue is how many bytes of a panic's value are told to the model. A
// value may be as large as the input that caused it.
const maxPanicValue = 500

// crashText tells the model of a panic. A nil value stands for a goroutine that
// was ended by runtime.Goexit; a panic has never a nil value.
func crashText(name string, value any) string {
	what := "it ended without an answer"
	if value != nil {
		what = clip(clean(fmt.Sprint(value)), maxPanicValue)
	}
	return fmt.Sprintf("`%s` crashed: %s. That is a fault in the tool, and what it did before is unknown: "+
		"check, then try another way instead of sending the same call again.%s", name, what, stack())
}

// clip cuts s to at most n bytes, between two characters.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

// maxFrames is how much of a stack helps to find the fault.
const maxFrames = 8

// stack lists the innermost functions of a panicking tool, one a line, without
// the directories of the machine that built it. It is called by a deferred
// function.
func stack() string {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs)])
	var b strings.Builder
	for n, inTool := 0, false; n < maxFrames; {
		f, more := frames.Next()
		if strings.Contains(f.Function, "/tool.perform.") {
			break
		}
		switch {
		case strings.HasPrefix(f.Function, "runtime."): // the panic's own machinery
			inTool = true
		case inTool:
			fmt.Fprintf(&b, "\n  %s (%s:%d)", path.Base(f.Function), path.Base(f.File), f.Line)
			n++
		}
		if !more {
			break
		}
	}
	return b.String()
}
