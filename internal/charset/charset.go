// Package charset tells what a file's bytes mean: UTF-8 or UTF-16 text, with or
// without a byte-order mark, or no text at all. It turns text into clean UTF-8
// for reading and back for writing.
//
// Other encodings are not guessed. Their bytes are read as UTF-8 that is not
// valid, shown as U+FFFD, and nobody here writes them back.
package charset

import (
	"bytes"
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
)

// Head is how many bytes from the start of a file are enough to judge it, as
// git does.
const Head = 8000

// Charset is an encoding of text. The zero value is UTF-8.
type Charset int

// The encodings.
const (
	UTF8 Charset = iota
	UTF16LE
	UTF16BE
)

func (c Charset) String() string {
	switch c {
	case UTF16LE:
		return "UTF-16 (little-endian)"
	case UTF16BE:
		return "UTF-16 (big-endian)"
	case UTF8:
		return "UTF-8"
	default:
		panic(fmt.Sprintf("charset: unhandled charset %d", int(c)))
	}
}

// Form is how a text file is written down.
type Form struct {
	Charset Charset
	Mark    bool // starts with a byte-order mark
}

var marks = [...]string{UTF8: "\xef\xbb\xbf", UTF16LE: "\xff\xfe", UTF16BE: "\xfe\xff"}

// MarkBytes is the mark that files of this form start with; none without Mark.
func (f Form) MarkBytes() []byte {
	if !f.Mark {
		return nil
	}
	return []byte(marks[f.Charset])
}

// Encode is s in this form, without a mark.
func (f Form) Encode(s string) []byte {
	if f.Charset == UTF8 {
		return []byte(s)
	}
	units := utf16.Encode([]rune(s))
	b := make([]byte, 0, 2*len(units))
	for _, u := range units {
		b = f.appendUnit(b, u)
	}
	return b
}

func (f Form) appendUnit(b []byte, u uint16) []byte {
	if f.Charset == UTF16BE {
		return append(b, byte(u>>8), byte(u))
	}
	return append(b, byte(u), byte(u>>8))
}

func (f Form) unit(b []byte) uint16 {
	if f.Charset == UTF16BE {
		return uint16(b[0])<<8 | uint16(b[1])
	}
	return uint16(b[1])<<8 | uint16(b[0])
}

// Detect judges by the first bytes of a file, [Head] of them if it has so many.
// What is neither marked nor looks like UTF-16 is taken for UTF-8.
func Detect(head []byte) Form {
	for c, mark := range marks {
		if bytes.HasPrefix(head, []byte(mark)) && !bytes.HasPrefix(head, utf32LE) {
			return Form{Charset: Charset(c), Mark: true}
		}
	}
	for _, c := range []Charset{UTF16LE, UTF16BE} {
		if (Form{Charset: c}).plausible(head) {
			return Form{Charset: c}
		}
	}
	return Form{}
}

// plausible reports whether unmarked bytes are UTF-16 beyond reasonable doubt:
// mostly Latin letters, and nothing that text does not hold.
func (f Form) plausible(head []byte) bool {
	if len(head) < 8 || bytes.IndexByte(head, 0) < 0 {
		return false
	}
	latin := 0
	for b := head; len(b) >= 2; b = b[2:] {
		switch u := f.unit(b); {
		case u < utf8.RuneSelf:
			if oddControl(byte(u)) || u == 0 {
				return false
			}
			latin++
		case u == 0xfffe, u == 0xffff:
			return false
		}
	}
	return latin >= len(head)/4 // half of the units
}

// oddControl reports whether b is a control character that text files seldom
// hold. Escape is not one: logs are full of it.
func oddControl(b byte) bool {
	return b < 0x20 && b != '\t' && b != '\n' && b != '\r' && b != '\f' && b != '\b' && b != 0x1b || b == 0x7f
}
