package session

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"

	"github.com/daruma-dev/daruma/loop"
)

// Contents is what a journal was found to hold.
type Contents struct {
	Header  Header
	Entries int
	Damaged int   // lines that do not match their checksum
	Last    int64 // Seq of the last entry
	Good    int64 // bytes up to the end of the last whole line
	Torn    int64 // bytes after that: a line that was never finished
	NoEnd   bool  // the last line is whole but for its line end, which Good does not count
}

// Read goes through the journal at path, entry by entry, and fills in c; c is
// complete when the sequence has ended. It holds one entry at a time and does
// not lock the journal. The sequence is single use.
func Read(path string, c *Contents) iter.Seq2[loop.Entry, error] {
	return func(yield func(loop.Entry, error) bool) {
		f, err := os.Open(path)
		if err != nil {
			yield(loop.Entry{}, openError(idOf(path), err))
			return
		}
		defer func() { _ = f.Close() }()
		r := reader{Contents: c, in: bufio.NewReaderSize(f, 256<<10)}
		if err := r.all(yield); err != nil {
			yield(loop.Entry{}, fmt.Errorf("session: read %s: %w", idOf(path), err))
		}
	}
}

// reader is a journal being read.
type reader struct {
	*Contents
	in *bufio.Reader
}

func (r reader) all(yield func(loop.Entry, error) bool) error {
	for first := true; ; first = false {
		line, err := r.in.ReadBytes('\n')
		whole := err == nil
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if len(line) == 0 {
			return nil
		}
		if first {
			if r.Header, err = parseHeader(line); err != nil {
				return err
			}
			r.count(line, whole)
			continue
		}
		e, err := r.entry(line, whole)
		switch {
		case errors.Is(err, errDamaged):
		case err != nil:
			return err
		case !yield(e, nil):
			return nil
		}
	}
}

// entry reads one line. Damage is counted; a torn line at the end is no damage.
func (r reader) entry(line []byte, whole bool) (loop.Entry, error) {
	key, v, err := unframe(line)
	if err != nil || key != 'e' {
		if whole {
			r.Damaged++
			r.Good += int64(len(line))
		} else {
			r.Torn = int64(len(line))
		}
		return loop.Entry{}, errDamaged
	}
	var e loop.Entry
	if err := json.Unmarshal(v, &e); err != nil {
		return loop.Entry{}, err // its checksum is right: a newer daruma wrote it
	}
	r.Entries++
	r.Last = max(r.Last, e.Seq)
	r.count(line, whole)
	return e, nil
}

func (r reader) count(line []byte, whole bool) {
	r.Good += int64(len(line))
	r.NoEnd = !whole
}

// Load reads the session's state from the journal and mends its end, so that it
// can be written on. What was found wrong is in [Journal.Notices].
func (j *Journal) Load(m *loop.Machine) (loop.State, error) {
	var c Contents
	var s loop.State
	for e, err := range Read(j.path, &c) {
		if err != nil {
			return loop.State{}, err
		}
		s = m.Fold(s, e)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.header, j.size, j.seq = c.Header, c.Good, c.Last
	return s, j.mend(c)
}

// mend cuts off a torn line, or ends the last one.
func (j *Journal) mend(c Contents) error {
	if c.Damaged > 0 {
		j.notices = append(j.notices, fmt.Sprintf("%s of the session's journal %s damaged and left out", plural(c.Damaged, "line"), isAre(c.Damaged)))
	}
	switch {
	case c.Torn > 0:
		j.notices = append(j.notices, "the last line of the session's journal was not finished and is left out: the process ended while writing it")
		if err := j.f.Truncate(j.size); err != nil {
			return writeError(err)
		}
	case c.NoEnd:
		return j.append([]byte("\n"))
	}
	return nil
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func isAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}
