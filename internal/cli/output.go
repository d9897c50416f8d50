package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"
	"syscall"

	"github.com/daruma-dev/daruma/message"
)

// output is stdout. After a failed write nothing more is written, and gone is
// called once, for a run without a reader has nobody to work for. It may be
// used by many goroutines.
type output struct {
	w    io.Writer
	gone func(error) // nil means nobody wants to know

	mu  sync.Mutex
	err error
}

// errReaderGone says that the other end of the pipe was closed. That is how
// `daruma … | head` ends, and nothing to complain about.
var errReaderGone = errors.New("cli: nobody reads stdout any more")

// Write implements [io.Writer].
func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil {
		return 0, o.err
	}
	n, err := o.w.Write(b)
	if err == nil {
		return n, nil
	}
	o.err = &problem{Text: fmt.Sprintf("stdout cannot be written: %v", below(err)), Hint: "check the disk or the program that reads it", Err: err}
	if errors.Is(err, syscall.EPIPE) {
		o.err = errReaderGone
	}
	if o.gone != nil {
		o.gone(o.err)
	}
	return n, o.err
}

// below is err without the operation and the path that the system adds.
func below(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// object writes a value as JSON on one line, with one write.
func (o *output) object(v any) {
	b, err := message.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("cli: encode %T: %v", v, err)) // our own types always encode
	}
	_, _ = o.Write(append(b, '\n')) // kept in o.err
}

// text writes text.
func (o *output) text(s string) { _, _ = io.WriteString(o, s) }

// shared is a writer for several goroutines. What cannot be written is lost:
// there is nowhere else to tell it.
type shared struct {
	mu sync.Mutex
	w  io.Writer
}

// Write implements [io.Writer]. It never fails.
func (s *shared) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, _ = s.w.Write(b)
	return len(b), nil
}
