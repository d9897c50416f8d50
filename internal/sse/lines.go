package sse

import (
	"bytes"
	"errors"
	"io"
)

// minRead is the least room that a read gets, in bytes: a usual event fits.
const minRead = 4 << 10

// maxIdle is how many reads in a row may give neither bytes nor an error.
const maxIdle = 100

// lines cuts a stream into lines that end with LF, CR or CRLF. A line is
// reported at its CR; waiting for a LF that may follow could wait for ever.
type lines struct {
	src   io.Reader
	limit int // bytes of one line

	buf     []byte // what was read; bytes before pos are used up
	pos     int
	seen    int  // bytes from pos on that hold no line end
	skipLF  bool // the last line ended with CR: a LF next belongs to it
	idle    int  // reads in a row that brought nothing
	started bool // the first line is over: a byte-order mark has no meaning any more
	err     error
}

// next is the next line without its end, valid until the next call. The stream's
// last line needs no end.
func (l *lines) next() ([]byte, error) {
	for {
		if line, ok := l.cut(); ok {
			return l.first(line), nil
		}
		if l.err != nil {
			rest := l.buf[l.pos:]
			if !errors.Is(l.err, io.EOF) || len(rest) == 0 {
				return nil, l.err
			}
			l.pos, l.seen = len(l.buf), 0
			return l.first(rest), nil
		}
		l.fill()
	}
}

// cut takes the next whole line from the buffer.
func (l *lines) cut() ([]byte, bool) {
	if l.skipLF && l.pos < len(l.buf) {
		l.skipLF = false
		if l.buf[l.pos] == '\n' {
			l.pos++
		}
	}
	end := lineEnd(l.buf[l.pos+l.seen:])
	if end < 0 {
		l.seen = len(l.buf) - l.pos
		return nil, false
	}
	end += l.pos + l.seen
	line := l.buf[l.pos:end]
	l.skipLF = l.buf[end] == '\r'
	l.pos, l.seen = end+1, 0
	return line, true
}

// lineEnd is where the first CR or LF of b is, or -1.
func lineEnd(b []byte) int {
	lf := bytes.IndexByte(b, '\n')
	if lf >= 0 {
		b = b[:lf]
	}
	if cr := bytes.IndexByte(b, '\r'); cr >= 0 {
		return cr
	}
	return lf
}

// first drops the byte-order mark that the first line may have.
func (l *lines) first(line []byte) []byte {
	if l.started {
		return line
	}
	l.started = true
	return bytes.TrimPrefix(line, []byte("\ufeff"))
}

// fill makes room and reads once. Bytes that come together with an error are
// used before the error is.
func (l *lines) fill() {
	if len(l.buf)-l.pos > l.limit {
		l.fail(ErrTooLong)
		return
	}
	if l.pos > 0 && cap(l.buf)-len(l.buf) < minRead {
		l.buf = l.buf[:copy(l.buf, l.buf[l.pos:])]
		l.pos = 0
	}
	if cap(l.buf)-len(l.buf) < minRead {
		l.buf = append(make([]byte, 0, 2*cap(l.buf)+minRead), l.buf...)
	}
	n, err := l.src.Read(l.buf[len(l.buf):cap(l.buf)])
	l.buf, l.err = l.buf[:len(l.buf)+n], err
	if n > 0 {
		l.idle = 0
	} else if l.idle++; l.idle > maxIdle && err == nil {
		l.err = io.ErrNoProgress
	}
}

// fail ends the stream here; what is left of it is dropped.
func (l *lines) fail(err error) { l.pos, l.seen, l.err = len(l.buf), 0, err }
