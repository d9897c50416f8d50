package charset

import (
	"bytes"
	"io"
	"slices"
	"unicode/utf16"
	"unicode/utf8"
)

// NUL stands for a NUL character in what a [Reader] gives: providers refuse
// the character itself.
const NUL = '␀'

// chunk is how much a Reader reads at a time.
const chunk = 64 << 10

// Reader turns the bytes of a text file into clean UTF-8: without the
// byte-order mark, U+FFFD for each byte that is no text, and [NUL] for NUL.
type Reader struct {
	// Replaced counts the bytes shown as U+FFFD so far, NULs the NUL
	// characters.
	Replaced, NULs int

	src  io.Reader
	form Form
	raw  []byte // bytes read and not yet turned
	out  []byte // text turned and not yet given
	buf  []byte // space for out
	skip int    // bytes of the mark still to skip
	err  error
}

// NewReader reads text of this form from src, which starts at the beginning of
// the file.
func (f Form) NewReader(src io.Reader) *Reader {
	return &Reader{src: src, form: f, raw: make([]byte, 0, chunk), skip: len(f.MarkBytes())}
}

// Read implements [io.Reader].
func (r *Reader) Read(p []byte) (int, error) {
	for len(r.out) == 0 {
		if r.err != nil {
			return 0, r.err
		}
		r.fill()
	}
	n := copy(p, r.out)
	r.out = r.out[n:]
	return n, nil
}

func (r *Reader) fill() {
	n, err := r.src.Read(r.raw[len(r.raw):cap(r.raw)])
	r.raw, r.err = r.raw[:len(r.raw)+n], err
	src := r.raw
	if r.skip > 0 {
		cut := min(r.skip, len(src))
		src, r.skip = src[cut:], r.skip-cut
	}
	out, used := r.turn(r.buf[:0], src, err != nil)
	r.buf = out
	r.out = out
	left := copy(r.raw[:cap(r.raw)], src[used:])
	r.raw = r.raw[:left]
}

// Decode is the text of all of b, a whole file of this form or a part of one,
// as a [Reader] gives it. replaced counts the bytes that are no text.
func (f Form) Decode(b []byte) (text string, replaced int) {
	r := Reader{form: f}
	out, _ := r.turn(nil, bytes.TrimPrefix(b, f.MarkBytes()), true)
	return string(out), r.Replaced
}

// turn appends the text of src to dst and tells how much of src it has used: at
// the end of src a character may be cut in two, unless src is the last.
func (r *Reader) turn(dst, src []byte, last bool) (out []byte, used int) {
	if r.form.Charset == UTF8 {
		return r.turn8(dst, src, last)
	}
	return r.turn16(dst, src, last)
}

func (r *Reader) turn8(dst, src []byte, last bool) ([]byte, int) {
	end := len(src)
	if !last {
		end = whole(src)
	}
	src = src[:end]
	if utf8.Valid(src) && bytes.IndexByte(src, 0) < 0 {
		return append(dst, src...), end
	}
	dst = slices.Grow(dst, len(src))
	for len(src) > 0 {
		c, size := utf8.DecodeRune(src)
		dst = r.append(dst, c, size, size == 1 && c == utf8.RuneError)
		src = src[size:]
	}
	return dst, end
}

// whole is how much of src there is without a character that is cut off at its
// end.
func whole(src []byte) int {
	for i := len(src) - 1; i >= 0 && i >= len(src)-utf8.UTFMax; i-- {
		if utf8.RuneStart(src[i]) {
			if !utf8.FullRune(src[i:]) {
				return i
			}
			break
		}
	}
	return len(src)
}

func (r *Reader) turn16(dst, src []byte, last bool) ([]byte, int) {
	used := 0
	for len(src)-used >= 2 {
		c, size := rune(r.form.unit(src[used:])), 2
		if utf16.IsSurrogate(c) {
			switch rest := src[used+2:]; {
			case len(rest) >= 2:
				if pair := utf16.DecodeRune(c, rune(r.form.unit(rest))); pair != utf8.RuneError {
					c, size = pair, 4
				}
			case !last:
				return dst, used
			}
		}
		dst = r.append(dst, c, size, utf16.IsSurrogate(c))
		used += size
	}
	if last && used < len(src) {
		dst = r.append(dst, utf8.RuneError, 1, true)
		used = len(src)
	}
	return dst, used
}

func (r *Reader) append(dst []byte, c rune, size int, bad bool) []byte {
	switch {
	case bad:
		r.Replaced += size
		c = utf8.RuneError
	case c == 0:
		r.NULs++
		c = NUL
	}
	return utf8.AppendRune(dst, c)
}
