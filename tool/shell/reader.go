package shell

import (
	"errors"
	"os"
	"sync/atomic"
	"time"
)

// reader reads what a command prints, from a pipe that others may hold open
// after the command itself has ended.
type reader struct {
	pipe *os.File
	out  *output
	stop atomic.Pointer[time.Time] // when to stop; nil means at the end
}

// run reads until the end, or until the time that stopAt says. It is false in
// the second case; what was in the pipe by then has been read.
func (r *reader) run() (ended bool) {
	buf := make([]byte, 64<<10)
	for {
		r.wait()
		n, err := r.pipe.Read(buf)
		now := time.Now()
		if n > 0 {
			r.out.add(buf[:n], now)
		}
		switch stop := r.stop.Load(); {
		case err == nil:
		case !errors.Is(err, os.ErrDeadlineExceeded):
			return true
		case stop != nil && !now.Before(*stop):
			return r.rest(buf)
		}
	}
}

// wait sets until when to wait for more: there may be something to tell the
// user meanwhile, or an end to it.
func (r *reader) wait() {
	var until time.Time
	now := time.Now()
	if d := r.out.late(now); d > 0 {
		until = now.Add(d)
	}
	// stopAt may come between the two lines: it sets the deadline as well.
	_ = r.pipe.SetReadDeadline(until)
	if stop := r.stop.Load(); stop != nil && (until.IsZero() || stop.Before(until)) {
		_ = r.pipe.SetReadDeadline(*stop)
	}
}

// stopAt ends the reading at a time even if somebody holds the pipe open.
func (r *reader) stopAt(t time.Time) {
	r.stop.Store(&t)
	_ = r.pipe.SetReadDeadline(t)
}

// rest reads what is in the pipe, and no longer than a pipe can be: whatever
// the command itself has printed is among that.
func (r *reader) rest(buf []byte) (ended bool) {
	const longest = 1 << 20 // fs.pipe-max-size, pipe(7)
	for left := longest; left > 0; {
		n, err := readNow(r.pipe, buf)
		if n > 0 {
			r.out.add(buf[:n], time.Now())
			left -= n
		}
		if err != nil || n <= 0 {
			return err == nil && n == 0
		}
	}
	return false
}
