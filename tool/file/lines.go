package file

import (
	"bufio"
	"errors"
	"io"
)

// lineReader reads text line by line and holds no more of a line than asked
// for.
type lineReader struct {
	r   *bufio.Reader
	buf []byte
}

func newLineReader(r io.Reader) *lineReader {
	return &lineReader{r: bufio.NewReaderSize(r, 64<<10)}
}

// line is one line of text. The line end is not part of it.
type line struct {
	text  []byte // the part asked for, until the next call
	kept  int    // characters in text
	chars int    // characters in the whole line
	cut   bool   // there is more after text
	crlf  bool   // ends with CRLF
	ended bool   // has a line end
}

// skip passes over a line. The error is io.EOF when there is none.
func (l *lineReader) skip() error {
	for some := false; ; some = true {
		frag, err := l.r.ReadSlice('\n')
		switch {
		case err == nil:
			return nil
		case errors.Is(err, io.EOF) && (some || len(frag) > 0):
			return nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return err
		}
	}
}

// next reads a line and keeps of it at most chars characters and bytes bytes,
// from the character number from on, counted from 1. The error is io.EOF when
// there is no line.
func (l *lineReader) next(from, chars, bytes int) (line, error) {
	k := keeper{from: from, chars: chars, bytes: bytes, buf: l.buf[:0]}
	for {
		frag, err := l.r.ReadSlice('\n')
		ended := err == nil
		if ended {
			frag = frag[:len(frag)-1]
		}
		k.add(frag)
		switch {
		case ended, err == io.EOF && k.some:
			l.buf = k.buf
			return k.line(ended), nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return line{}, err
		}
	}
}

// keeper takes a line in pieces.
type keeper struct {
	from, chars, bytes int
	buf                []byte
	seen, kept         int  // characters
	keeping            bool // the present character is kept
	some               bool
	last               byte
}

func (k *keeper) add(frag []byte) {
	for _, b := range frag {
		if b&0xc0 != 0x80 { // the start of a character
			k.seen++
			k.keeping = k.seen >= k.from && k.kept < k.chars && len(k.buf)+4 <= k.bytes
			if k.keeping {
				k.kept++
			}
		}
		if k.keeping {
			k.buf = append(k.buf, b)
		}
		k.some, k.last = true, b
	}
}

func (k *keeper) line(ended bool) line {
	l := line{text: k.buf, chars: k.seen, ended: ended, crlf: ended && k.some && k.last == '\r'}
	if l.crlf {
		if k.keeping {
			l.text, k.kept = l.text[:len(l.text)-1], k.kept-1
		}
		l.chars--
	}
	l.kept = k.kept
	l.cut = k.from-1+k.kept < l.chars
	return l
}
