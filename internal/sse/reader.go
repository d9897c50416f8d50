package sse

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// MaxEvent is how many bytes one event, and one line, may have. Models send
// whole files in one line; more than this is no event stream.
const MaxEvent = 64 << 20

// ErrTooLong says that an event is larger than MaxEvent.
var ErrTooLong = fmt.Errorf("sse: event is longer than %d MiB", MaxEvent>>20)

// Event is one event of a stream, or a comment.
type Event struct {
	// Name is the "event:" field; empty when there was none.
	Name string
	// ID is the last "id:" field seen so far in the stream.
	ID string
	// Data is the "data:" lines, joined by line feeds. It is valid until the
	// next call of Next only.
	Data []byte
	// Comment says that this is no event but a comment line, which servers send
	// as a sign of life. Data holds its text.
	Comment bool
	// Last says that the stream ended before the event did, so Data may be cut
	// short.
	Last bool
}

// Reader reads events from a stream. It is for one goroutine.
type Reader struct {
	lines lines
	limit int // bytes of one event

	name    string // of the latest event: the next one is probably called the same
	id      string
	data    []byte
	hasName bool // an event line came since the last event
	hasData bool // a data line came since the last event, even an empty one
}

// NewReader is a Reader of src. It reads no further ahead than src gives in
// one call, so an event is reported as soon as its last byte is there.
func NewReader(src io.Reader) *Reader {
	return &Reader{lines: lines{src: src, limit: MaxEvent}, limit: MaxEvent}
}

// Next returns the next event or comment. At the end of the stream the error is
// io.EOF; other errors are the source's own, or [ErrTooLong]. After an error
// every call returns it again.
func (r *Reader) Next() (Event, error) {
	r.reset()
	for {
		line, err := r.lines.next()
		switch {
		case errors.Is(err, io.EOF) && r.hasData:
			return r.event(true), nil
		case err != nil:
			return Event{}, err
		case len(line) == 0 && r.hasData:
			return r.event(false), nil
		case len(line) == 0:
			r.reset()
		case line[0] == ':' && !r.hasData && !r.hasName:
			return Event{ID: r.id, Data: line[1:], Comment: true}, nil
		default:
			if err := r.field(line); err != nil {
				return Event{}, err
			}
		}
	}
}

// field takes in one line of an event. Fields that the standard does not know
// are ignored, and so are comments inside an event and "retry:", as this reader
// never connects again.
func (r *Reader) field(line []byte) error {
	key, value, _ := bytes.Cut(line, []byte{':'})
	value = bytes.TrimPrefix(value, []byte{' '})
	switch string(key) {
	case "data":
		if len(r.data)+len(value) > r.limit {
			r.lines.fail(ErrTooLong)
			return ErrTooLong
		}
		if r.hasData {
			r.data = append(r.data, '\n')
		}
		r.data, r.hasData = append(r.data, value...), true
	case "event":
		if r.name != string(value) {
			r.name = string(value)
		}
		r.hasName = true
	case "id":
		if bytes.IndexByte(value, 0) < 0 && r.id != string(value) {
			r.id = string(value)
		}
	}
	return nil
}

func (r *Reader) event(last bool) Event {
	e := Event{ID: r.id, Data: r.data, Last: last}
	if r.hasName {
		e.Name = r.name
	}
	return e
}

func (r *Reader) reset() {
	r.data, r.hasData, r.hasName = r.data[:0], false, false
}
