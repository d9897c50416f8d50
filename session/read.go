package session

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/oklog/ulid/v2"

	"github.com/daruma-dev/daruma/internal/regular"
	"github.com/daruma-dev/daruma/loop"
)

// Contents is what a journal was found to hold.
type Contents struct {
	// Header is what could be saved of a header that is damaged: the session
	// and when it began.
	Header   Header
	Headless bool // the header is damaged or missing
	Entries  int
	Damaged  int   // lines that do not match their checksum, without the header
	Lines    []int // the numbers of the first few of them, from 1
	Missing  int   // entries that are known to be lost: those of Damaged, and more
	Last     int64 // Seq of the last entry
	Torn     int64 // bytes at the end: a line that was never finished

	good   int64 // bytes up to the end of the last whole line
	noEnd  bool  // the last line is whole but for its line end
	behind int   // damaged lines behind the last entry
}

// Read goes through the journal at path, entry by entry, and fills in c; c is
// complete when the sequence has ended. Where entries are lost, the next one's
// Seq shows it. Read holds one entry at a time, changes nothing and does not
// lock the journal. The sequence is single use.
func Read(path string, c *Contents) iter.Seq2[loop.Entry, error] {
	return func(yield func(loop.Entry, error) bool) {
		f, _, err := regular.Open(path)
		if err != nil {
			yield(loop.Entry{}, openError(path, err))
			return
		}
		defer func() { _ = f.Close() }()
		r := reader{Contents: c, in: newLines(f), id: idOf(path)}
		if err := r.all(yield); err != nil {
			yield(loop.Entry{}, err)
		}
	}
}

// reader is a journal being read.
type reader struct {
	*Contents
	in *lines
	id string
	n  int // lines so far
}

// all yields every entry.
func (r *reader) all(yield func(loop.Entry, error) bool) error {
	for {
		l, err := r.in.next()
		switch {
		case errors.Is(err, io.EOF):
			return r.end()
		case err != nil:
			return fmt.Errorf("session: read %s: %w", r.id, err)
		}
		r.n++
		e, found, err := r.line(l.text)
		switch {
		case err != nil:
			return err
		case found == damaged && !l.ended && l.text != nil:
			r.Torn = l.size
			continue
		case found == damaged:
			r.damage()
		}
		r.good += l.size
		r.noEnd = !l.ended
		if found == entry && !yield(e, nil) {
			return nil
		}
	}
}

// finding is what a line is.
type finding int

const (
	damaged finding = iota
	header
	entry
)

// line takes in one line.
func (r *reader) line(text []byte) (e loop.Entry, found finding, err error) {
	if r.n == 1 {
		if r.Header, err = parseHeader(text); !errors.Is(err, errDamaged) {
			return e, header, err
		}
		r.Header, r.Headless = guess(r.id), true
	}
	key, v, ok := unframe(text)
	if !ok || key != 'e' {
		return e, damaged, nil
	}
	if err = e.UnmarshalJSON(v); err == nil {
		err = r.sound(e)
	}
	if err != nil { // though its checksum is right
		return e, damaged, strange(r.id, err)
	}
	if r.Entries > 0 && e.Seq <= r.Last { // written twice, by a copy or without a lock
		return e, damaged, nil
	}
	r.Missing += int(e.Seq - r.Last - 1)
	r.Last, r.behind = e.Seq, 0
	r.Entries++
	return e, entry, nil
}

// sound says what is missing of an entry that no version so far has written
// without it.
func (r *reader) sound(e loop.Entry) error {
	ms := e.Made
	switch res := e.Result.(type) {
	case loop.Received:
		ms = append(slices.Clip(ms), res.Message)
	case loop.Attached:
		ms = append(slices.Clip(ms), res.Messages...)
	}
	const farthest = 1 << 40 // no gap is so wide
	if e.Seq < 1 || e.Seq > r.Last+farthest || slices.Contains(ms, nil) {
		return fmt.Errorf("entry %d is not whole", e.Seq)
	}
	return nil
}

// damage counts a line that is of no use.
func (r *reader) damage() {
	if r.n == 1 {
		return // said by Headless
	}
	r.Damaged++
	r.behind++
	const most = 5
	if len(r.Lines) < most {
		r.Lines = append(r.Lines, r.n)
	}
}

// end judges the whole. A file in which nothing is right is not a journal,
// unless its first write was torn.
func (r *reader) end() error {
	if r.n == 0 {
		r.Header, r.Headless = guess(r.id), true
	}
	if r.Headless && r.Entries == 0 && r.good > 0 {
		return &Error{
			Text: fmt.Sprintf("session %s holds nothing that can be read", r.id),
			hint: "begin a new session",
		}
	}
	return nil
}

// guess is what the id says about a session without its header.
func guess(id string) Header {
	h := Header{Daruma: "journal", Version: Version, Session: id}
	if u, err := ulid.ParseStrict(strings.ToUpper(id)); err == nil {
		h.Created = ulid.Time(u.Time()).UTC()
	}
	return h
}

// Notices tells people what was found wrong, a sentence each.
func (c *Contents) Notices() []string {
	var ns []string
	if c.Headless && c.Entries > 0 {
		ns = append(ns, "The first line of the session's journal is damaged; the conversation is whole.")
	}
	switch {
	case c.Damaged == 1:
		ns = append(ns, fmt.Sprintf("1 line of the session's journal is damaged and left out (line %d); the rest is there.", c.Lines[0]))
	case c.Damaged > 1:
		ns = append(ns, fmt.Sprintf("%d lines of the session's journal are damaged and left out (%s); the rest is there.", c.Damaged, c.where()))
	}
	if lost := c.Missing - c.Damaged; lost == 1 {
		ns = append(ns, "1 entry of the session's journal is missing.")
	} else if lost > 1 {
		ns = append(ns, fmt.Sprintf("%d entries of the session's journal are missing.", lost))
	}
	if c.Torn > 0 {
		ns = append(ns, "The last line of the session's journal was cut off and is left out; everything before it is there.")
	}
	return ns
}

// where lists the damaged lines.
func (c *Contents) where() string {
	text := "lines " + strings.Trim(strings.ReplaceAll(fmt.Sprint(c.Lines), " ", ", "), "[]")
	if c.Damaged > len(c.Lines) {
		text += ", …"
	}
	return text
}
