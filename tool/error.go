package tool

import (
	"errors"
	"fmt"

	"github.com/daruma-dev/daruma/message"
)

// Error is a failure of a call, in words for the model.
type Error struct {
	Status message.Status
	Text   string
}

func (e *Error) Error() string { return e.Text }

// Errorf is a failure of the tool itself. The text tells the model what went
// wrong and what to try next.
func Errorf(format string, args ...any) error {
	return &Error{Status: message.StatusError, Text: fmt.Sprintf(format, args...)}
}

// Refuse is a failure with another status, such as message.StatusMalformed.
func Refuse(status message.Status, format string, args ...any) error {
	return &Error{Status: status, Text: fmt.Sprintf(format, args...)}
}

// Failure turns an error into a result with the error's text. Its status is
// that of the *Error in it, or message.StatusError.
func Failure(err error) Result {
	r := Result{Status: message.StatusError, Text: err.Error()}
	var e *Error
	if errors.As(err, &e) && e.Status != "" {
		r.Status = e.Status
	}
	return r
}
