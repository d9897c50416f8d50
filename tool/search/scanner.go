package search

import (
	"bytes"
	"context"
	"fmt"

	"github.com/daruma-dev/daruma/internal/charset"
)

const (
	// firstRead is how many bytes are read at first: nearly every source file
	// is shorter.
	firstRead = 256 << 10
	// maxWhole is the size in bytes up to which a file is searched as a whole.
	// A larger one is searched in pieces of this size, without context, and
	// not at all where matches may reach over several lines.
	maxWhole = 16 << 20
)

// scanner searches files, one after the other. It belongs to one goroutine.
type scanner struct {
	find    *finder
	context int
	limit   int  // matching lines that are kept of one file
	only    bool // whether a file matches is all that is asked
	buf     []byte
}

// errBinary and errLarge say why a file was not searched.
var (
	errBinary = fmt.Errorf("search: not text")
	errLarge  = fmt.Errorf("search: larger than %d MB, which is too much for multiline", maxWhole>>20)
)

// found is a file with matches.
type found struct {
	path    string // relative to the root of the search, with slashes
	changed int64  // nanoseconds since 1970
	count   int    // of matching lines; 1 where more was not asked
	lines   []shown
}

// file searches one file. No matches are a zero count.
func (s *scanner) file(ctx context.Context, path string) (found, error) {
	h, err := open(path)
	if err != nil {
		return found{}, err
	}
	defer h.close()
	l := &lister{context: s.context, limit: s.limit}
	if s.only {
		l.limit = 0
	}
	if err := s.scan(ctx, h, l); err != nil || l.count == 0 {
		return found{}, err
	}
	return found{changed: h.changed(), count: l.count, lines: l.lines}, nil
}

func (s *scanner) scan(ctx context.Context, h handle, l *lister) error {
	if s.buf == nil {
		s.buf = make([]byte, firstRead)
	}
	n, end, err := s.fill(h, 0)
	if err != nil {
		return err
	}
	form := charset.Form{}
	if head := s.buf[:min(n, charset.Head)]; bytes.IndexByte(head, 0) >= 0 {
		if form = charset.Detect(head); form.Charset == charset.UTF8 {
			return errBinary
		}
	}
	for !end && len(s.buf) < maxWhole {
		if err := ctx.Err(); err != nil {
			return err
		}
		s.buf = append(s.buf, make([]byte, len(s.buf))...)
		if n, end, err = s.fill(h, n); err != nil {
			return err
		}
	}
	switch text := s.buf[:n]; {
	case form.Charset != charset.UTF8 && !end:
		return errBinary
	case form.Charset != charset.UTF8:
		decoded, _ := form.Decode(text)
		s.search(l, []byte(decoded))
	case end:
		s.search(l, bytes.TrimPrefix(text, bom))
	case !s.find.lines:
		return errLarge
	default:
		return s.pieces(ctx, h, l, n)
	}
	return nil
}

var bom = charset.Form{Mark: true}.MarkBytes()

// fill reads until the buffer is full, of which n bytes are used, or the file
// ends.
func (s *scanner) fill(h handle, n int) (used int, end bool, err error) {
	for n < len(s.buf) {
		got, err := h.read(s.buf[n:])
		if err != nil {
			return n, false, err
		}
		if got == 0 {
			return n, true, nil
		}
		n += got
	}
	return n, false, nil
}

// search finds the matches in a piece of a file.
func (s *scanner) search(l *lister, text []byte) {
	l.piece(text)
	s.find.start(text)
	for from := 0; ; {
		match, ok := s.find.find(from)
		if !ok {
			break
		}
		from = l.hit(match)
		if s.only {
			return
		}
	}
	l.done()
}

// pieces searches a file too large for the buffer, which is full: up to the last
// line end, then with the rest moved to the front and more read after it.
func (s *scanner) pieces(ctx context.Context, h handle, l *lister, n int) error {
	l.context = 0
	for end := false; ; {
		whole := bytes.LastIndexByte(s.buf[:n], '\n') + 1
		if end || whole == 0 { // the rest, or a line that fills the buffer
			whole = n
		}
		s.search(l, s.buf[:whole])
		if end || s.only && l.count > 0 {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		n = copy(s.buf, s.buf[whole:n])
		var err error
		if n, end, err = s.fill(h, n); err != nil {
			return err
		}
	}
}
