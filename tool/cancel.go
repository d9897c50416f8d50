package tool

import (
	"context"
	"errors"
	"fmt"

	"github.com/daruma-dev/daruma/message"
)

// siblingFailed is the cause of a cancellation by another call of the same
// reply.
type siblingFailed struct{ call message.Call }

func (e siblingFailed) Error() string {
	return fmt.Sprintf("`%s` (%s) failed", e.call.Name, e.call.ID)
}

// notBegun is the result of a call that Begin kept from running: what Begin
// says in words for the model, or that the start could not be recorded.
func notBegun(err error) Result {
	var said *Error
	if errors.As(err, &said) {
		return Failure(err)
	}
	return Failure(Errorf("not run: that it starts could not be recorded (%s). Nothing was changed; tell the user.", clean(err.Error())))
}

// notStarted is the result of a call whose turn came after the cancellation.
func notStarted(cause error) Result {
	text := reason(cause) + " before it started, so it did nothing. Wait for what the user says before you send it again."
	var sibling siblingFailed
	if errors.As(cause, &sibling) {
		text = fmt.Sprintf("not run: %s before it, and the calls of one reply share its fate. "+
			"See to that failure first, then send this call again if it is still needed.", sibling)
	}
	return Result{Status: message.StatusCancelled, Text: text}
}

// cancelledText tells the model of a call that was running at the
// cancellation. A safe one changes nothing, so nothing can be half done. said
// is the tool's own last word and may be empty.
func cancelledText(safe bool, cause error, said string) string {
	text := reason(cause) + " while it ran. "
	if safe {
		text += "It only reads, so nothing is half done; send it again if it is still needed."
	} else {
		text += "What it did until then is unknown and may be half done: check before you send it again."
	}
	if said != "" {
		text += "\nThe tool's last word: " + said
	}
	return text
}

// reason opens the sentence about a cancellation.
func reason(cause error) string {
	var sibling siblingFailed
	switch {
	case errors.As(cause, &sibling):
		return fmt.Sprintf("cancelled, because %s and the calls of one reply share its fate,", sibling)
	case errors.Is(cause, context.DeadlineExceeded):
		return "stopped at the time limit of the run"
	default:
		return "interrupted by the user"
	}
}
