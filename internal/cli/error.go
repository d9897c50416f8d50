package cli

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/daruma-dev/daruma"
	"github.com/daruma-dev/daruma/internal/config"
)

// problem is trouble for people: one sentence, and what to do about it.
type problem struct {
	Text string
	Hint string
	Err  error // the cause below; may be nil

	usage bool // the user can mend it, and nothing was begun
}

func (e *problem) Error() string { return e.Text }

// Unwrap gives the cause below.
func (e *problem) Unwrap() error { return e.Err }

// usage is a mistake in what was typed.
func usage(hint, format string, args ...any) *problem {
	return &problem{Text: fmt.Sprintf(format, args...), Hint: hint, usage: true}
}

// hintedError is an error of another package that knows what to do about it.
type hintedError interface {
	error
	Hint() string
}

// explain is an error as a sentence and a hint. The hint may be empty. Where an
// error below has one, its own words are enough: what stands around them says
// where in the program it happened.
func explain(err error) (text, hint string) {
	var (
		own    *problem
		use    *daruma.UsageError
		conf   *config.Error
		hinted hintedError
	)
	switch {
	case errors.As(err, &own):
		return own.Text, own.Hint
	case errors.As(err, &use):
		return use.Text, use.Hint
	case errors.As(err, &conf):
		return conf.Text, conf.Hint
	case errors.As(err, &hinted):
		return hinted.Error(), hinted.Hint()
	default:
		return err.Error(), ""
	}
}

// tell writes an error for people.
func tell(w io.Writer, err error) {
	text, hint := explain(err)
	tellText(w, text, hint)
}

// tellText writes a sentence and a hint with one write. Both may hold the words
// of a server or a file.
func tellText(w io.Writer, text, hint string) {
	s := "daruma: " + shown(strings.TrimSpace(strings.TrimPrefix(text, "daruma: "))) + "\n"
	if hint != "" {
		s += "hint: " + shown(hint) + "\n"
	}
	_, _ = io.WriteString(w, s) // there is nowhere else to tell it
}
