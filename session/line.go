package session

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"time"

	"github.com/daruma-dev/daruma/loop"
	"github.com/daruma-dev/daruma/message"
)

// Version is the version of the format that this package writes.
const Version = 1

// maxLine is the longest line that is written or read, in bytes. Results are
// paged out long before, so only a message with dozens of large images could
// need more, and no provider would take that.
const maxLine = 64 << 20

// Header is the first line of a journal.
type Header struct {
	Daruma  string    `json:"daruma"` // always "journal"
	Version int       `json:"version"`
	Session string    `json:"session"`
	Dir     string    `json:"dir"`
	Created time.Time `json:"created"`
	Model   string    `json:"model,omitempty"`
	Program string    `json:"program,omitempty"` // version of the daruma that began it
	Parent  string    `json:"parent,omitempty"`  // the session that this one was forked from
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// A line is {"c":"0badcafe","e":VALUE}: these many bytes stand before the value.
const valueAt = len(`{"c":"0badcafe","e":`)

// appendStart appends what stands before a value in its line; key is 'h' or
// 'e'.
func appendStart(b []byte, key byte, value []byte) []byte {
	var sum [4]byte
	crc := crc32.Checksum(value, castagnoli)
	sum[0], sum[1], sum[2], sum[3] = byte(crc>>24), byte(crc>>16), byte(crc>>8), byte(crc)
	b = append(b, `{"c":"`...)
	b = hex.AppendEncode(b, sum[:])
	return append(b, '"', ',', '"', key, '"', ':')
}

// frame is a value as a line.
func frame(key byte, value []byte) []byte {
	b := make([]byte, 0, valueAt+len(value)+2)
	b = append(appendStart(b, key, value), value...)
	return append(b, '}', '\n')
}

// unframe is the value of a line without its line end, and its key. It is not
// ok when the line does not match its checksum.
func unframe(line []byte) (key byte, value []byte, ok bool) {
	if len(line) <= valueAt || line[len(line)-1] != '}' {
		return 0, nil, false
	}
	key, value = line[valueAt-3], line[valueAt:len(line)-1]
	var start [valueAt]byte
	return key, value, bytes.Equal(appendStart(start[:0], key, value), line[:valueAt])
}

func headerLine(h Header) ([]byte, error) {
	v, err := message.Marshal(h)
	if err != nil {
		return nil, fmt.Errorf("session: encode header: %w", err)
	}
	return frame('h', v), nil
}

func entryLine(e loop.Entry) ([]byte, error) {
	v, err := e.MarshalJSON()
	if err != nil {
		return nil, fmt.Errorf("session: encode entry %d: %w", e.Seq, err)
	}
	return frame('e', v), nil
}

// errDamaged says that a line is no header, or was one.
var errDamaged = errors.New("session: the header is damaged")

// parseHeader reads the first line of a journal. The error is errDamaged, or an
// [*Error] when a newer daruma wrote it.
func parseHeader(line []byte) (Header, error) {
	key, v, ok := unframe(line)
	if !ok || key != 'h' {
		return Header{}, errDamaged
	}
	var h Header
	err := json.Unmarshal(v, &h)
	if h.Version > Version {
		err = fmt.Errorf("its journal has version %d, and this daruma knows %d", h.Version, Version)
	}
	if err != nil {
		return Header{}, strange(h.Session, err)
	}
	return h, nil
}

// strange is the trouble with what is undamaged and cannot be understood: only
// a newer daruma can have written it.
func strange(id string, err error) error {
	return &Error{
		Text: fmt.Sprintf("session %s cannot be read: %v", id, err),
		hint: "update daruma, or begin a new session", Err: err,
	}
}

// line is one line of a file.
type line struct {
	text  []byte // without its line end; nil when it is too long
	size  int64  // with its line end
	ended bool   // it has one; only the last line may lack it
}

// lines reads a file line by line and holds no more than one.
type lines struct {
	in   *bufio.Reader
	buf  []byte // of a line longer than in's buffer
	most int64  // bytes a line may have
}

func newLines(r io.Reader) *lines { return &lines{in: bufio.NewReaderSize(r, 64<<10), most: maxLine} }

// next is the next line, which is good until the following call. The error is
// io.EOF at the end.
func (l *lines) next() (line, error) {
	var out line
	l.buf = l.buf[:0]
	for {
		part, err := l.in.ReadSlice('\n')
		out.size += int64(len(part))
		full := errors.Is(err, bufio.ErrBufferFull)
		switch {
		case out.size > l.most:
			out.text = nil
		case !full && len(l.buf) == 0: // the usual case: nothing is copied
			out.text = part
		default:
			l.buf = append(l.buf, part...)
			out.text = l.buf
		}
		switch {
		case full:
		case err == nil:
			out.ended = true
			out.text = bytes.TrimSuffix(out.text, []byte("\n"))
			return out, nil
		case errors.Is(err, io.EOF) && out.size > 0:
			return out, nil
		default:
			return line{}, err
		}
	}
}
