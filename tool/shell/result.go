package shell

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/daruma-dev/daruma/internal/visible"
	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/tool"
)

// result says how the command ended and what it printed.
func (j *job) result(command string, moved bool) tool.Result {
	var res tool.Result
	how := ""
	switch j.ended {
	case "timeout":
		res.Status, res.CancelSiblings = message.StatusTimeout, true
		how = fmt.Sprintf("[Ended after its time limit of %v, with all that it started. If it needs longer, set timeout.]", j.limit)
	case "cancelled":
		res.Status = message.StatusCancelled
		how = fmt.Sprintf("[%s. It was ended with all that it started; what it did until then may be half done, so check before you repeat it.]", interruption(j.cause))
	default:
		res.Status, how = ending(command, j.err, moved)
		res.CancelSiblings = res.Status == message.StatusError
	}
	text, blob := j.out.text()
	if text == "" {
		text = "(no output)\n"
	}
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	res.Text, res.Blob = text+how+j.remains(), blob
	short := strings.Trim(how, "[]")
	res.Title = fmt.Sprintf("ran %s (%s, %v)", headline(command), strings.ToLower(short[:1])+firstWords(short[1:]), j.took.Round(100*time.Millisecond))
	if !j.read {
		j.out.close()
	}
	return res
}

// interruption opens the sentence about a cancellation.
func interruption(cause error) string {
	switch {
	case cause == nil, errors.Is(cause, context.Canceled):
		return "Interrupted by the user"
	case errors.Is(cause, context.DeadlineExceeded):
		return "Stopped at the time limit of the run"
	default:
		return fmt.Sprintf("Cancelled: %v", cause)
	}
}

// remains tells the model what still runs.
func (j *job) remains() string {
	switch spool := j.out.path(); {
	case !j.left:
		return ""
	case !j.read:
		return "\n[Something that it started still runs in the background.]"
	case spool == "":
		return "\n[Something that it started still runs in the background. What it prints from now on is not kept.]"
	default:
		return fmt.Sprintf("\n[Something that it started still runs in the background. What it prints from now on goes to %s.]", spool)
	}
}

// ending is how a command ended by itself.
func ending(command string, err error, moved bool) (message.Status, string) {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return message.StatusOK, "[Exit code 0.]"
	case !errors.As(err, &exit):
		return message.StatusError, fmt.Sprintf("[It could not be waited for: %v.]", err)
	case exit.ExitCode() < 0:
		return message.StatusError, fmt.Sprintf("[Ended by a signal: %s.]", exit.ProcessState)
	}
	code := exit.ExitCode()
	if what := meaning(command, code, moved); what != "" {
		return message.StatusOK, fmt.Sprintf("[Exit code %d: %s.]", code, what)
	}
	return message.StatusError, fmt.Sprintf("[Exit code %d%s.]", code, bySignal(code))
}

// bySignal names the signal that a shell means by an exit code over 128.
func bySignal(code int) string {
	if code <= 128 || code > 128+64 {
		return ""
	}
	return fmt.Sprintf(": a program in it was ended by a signal, %s", syscall.Signal(code-128))
}

// headline is the command on one short line, for people.
func headline(command string) string {
	line := visible.Line(strings.Join(strings.Fields(command), " "))
	const most = 60
	if r := []rune(line); len(r) > most {
		return string(r[:most]) + "…"
	}
	return line
}

// firstWords is a sentence up to its first punctuation.
func firstWords(s string) string {
	if i := strings.IndexAny(s, ".:,"); i >= 0 {
		return s[:i]
	}
	return s
}
