package session

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"time"

	"github.com/daruma-dev/daruma/loop"
	"github.com/daruma-dev/daruma/message"
)

// Version is the version of the format that this package writes.
const Version = 1

// Header is the first line of a journal.
type Header struct {
	Daruma  string    `json:"daruma"` // always "journal"
	Version int       `json:"version"`
	Session string    `json:"session"`
	Dir     string    `json:"dir"`
	Created time.Time `json:"created"`
	Model   string    `json:"model,omitempty"`
	Parent  string    `json:"parent,omitempty"` // the session that this one was forked from
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// The parts of a line around its checksum and its value.
const (
	beforeSum   = `{"c":"`
	beforeValue = `","?":`
	valueAt     = len(beforeSum) + 8 + len(beforeValue)
)

// frame is a value as a line; key is 'h' or 'e'.
func frame(key byte, value []byte) []byte {
	b := make([]byte, 0, valueAt+len(value)+2)
	b = append(b, beforeSum...)
	b = fmt.Appendf(b, "%08x", crc32.Checksum(value, castagnoli))
	b = append(b, '"', ',', '"', key, '"', ':')
	b = append(b, value...)
	return append(b, '}', '\n')
}

// errDamaged is what a line is that does not match its checksum.
var errDamaged = errors.New("session: the line is damaged")

// unframe is the value of a line and its key. The line may lack its line end.
func unframe(line []byte) (key byte, value []byte, err error) {
	line = bytes.TrimSuffix(line, []byte("\n"))
	if len(line) < valueAt+1 || !bytes.HasPrefix(line, []byte(beforeSum)) || line[len(line)-1] != '}' {
		return 0, nil, errDamaged
	}
	var sum [4]byte
	if _, err := hex.Decode(sum[:], line[len(beforeSum):len(beforeSum)+8]); err != nil {
		return 0, nil, errDamaged
	}
	value = line[valueAt : len(line)-1]
	want := uint32(sum[0])<<24 | uint32(sum[1])<<16 | uint32(sum[2])<<8 | uint32(sum[3])
	if crc32.Checksum(value, castagnoli) != want {
		return 0, nil, errDamaged
	}
	return line[valueAt-3], value, nil
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

// parseHeader reads the first line of a journal.
func parseHeader(line []byte) (Header, error) {
	key, v, err := unframe(line)
	if err != nil || key != 'h' {
		return Header{}, &Error{Text: "the file does not begin as a journal of daruma does", hint: "name another session", Err: err}
	}
	var h Header
	if err := json.Unmarshal(v, &h); err != nil {
		return Header{}, fmt.Errorf("session: decode header: %w", err)
	}
	if h.Version > Version {
		return Header{}, &Error{
			Text: fmt.Sprintf("session %s was written by a newer daruma (journal version %d; this one knows %d)", h.Session, h.Version, Version),
			hint: "update daruma",
		}
	}
	return h, nil
}
