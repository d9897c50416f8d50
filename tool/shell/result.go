package shell

import (
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/daruma-dev/daruma/internal/visible"
	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/tool"
)

// result says how the command ended and what it printed.
func (j *job) result(command string, moved bool) tool.Result {
	res := tool.Result{Blob: j.out.blob()}
	how := ""
	switch j.ended {
	case "timeout":
		res.Status, res.CancelSiblings = message.StatusTimeout, true
		how = fmt.Sprintf("[Ended after its time limit of %v, with all that it started. If it needs longer, set timeout.]", j.limit)
	case "cancelled":
		res.Status = message.StatusCancelled
		how = "[Interrupted, with all that it started. What it did until then may be half done: check before you repeat it.]"
	default:
		res.Status, how = ending(command, j.err, moved)
		res.CancelSiblings = res.Status == message.StatusError
	}
	text := j.out.text()
	if text == "" {
		text = "(no output)\n"
	}
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	if j.heldOpen {
		how += "\n[Something that it started still runs in the background. What that prints from now on is not read.]"
	}
	res.Text = text + how
	short := strings.Trim(strings.SplitN(how, "\n", 2)[0], "[]")
	res.Title = fmt.Sprintf("ran %s (%s, %v)", headline(command), strings.ToLower(short[:1])+firstWords(short[1:]), j.took.Round(100*time.Millisecond))
	return res
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
	return message.StatusError, fmt.Sprintf("[Exit code %d.]", code)
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
