package shell

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/daruma-dev/daruma/internal/visible"
	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/tool"
)

const (
	// DefaultMaxOutput is how many bytes of a command's output go to the model.
	// A third is its beginning, where compilers tell the first error, and two
	// thirds are its end, where tests tell the outcome.
	DefaultMaxOutput = 30_000
	// maxSpool is how many bytes of output are kept on disk. What is beyond is
	// counted only: a command that prints for ever must not fill the disk.
	maxSpool = 200 << 20
	// tellEvery is how often the user is shown what was printed meanwhile.
	tellEvery = 100 * time.Millisecond
)

// output takes what a command prints and holds no more of it than head and tail
// need.
type output struct {
	call      tool.Call
	headLimit int
	tailLimit int

	mu     sync.Mutex
	head   []byte
	tail   []byte // the newest bytes after head; up to twice tailLimit
	total  int64
	spool  tool.Blob
	failed bool // no spool could be had
	told   time.Time
	untold []byte
}

func newOutput(call tool.Call, limit int) *output {
	if limit <= 0 {
		limit = DefaultMaxOutput
	}
	return &output{call: call, headLimit: limit / 3, tailLimit: limit - limit/3}
}

// copy reads until the end, or until r is closed.
func (o *output) copy(r io.Reader) {
	buf := make([]byte, 32<<10)
	for {
		n, err := r.Read(buf)
		if n > 0 {
			o.add(buf[:n])
		}
		if err != nil {
			return
		}
	}
}

func (o *output) add(b []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.tell(b)
	o.keep(b)
	rest := b
	if room := o.headLimit - len(o.head); room > 0 {
		n := min(room, len(rest))
		o.head = append(o.head, rest[:n]...)
		rest = rest[n:]
	}
	o.tail = append(o.tail, rest...)
	if len(o.tail) > 2*o.tailLimit {
		o.tail = append(o.tail[:0], o.tail[len(o.tail)-o.tailLimit:]...)
	}
	o.total += int64(len(b))
}

// keep writes what does not fit into the result to the session's folder; the
// file begins when the head and tail are full, with what they hold.
func (o *output) keep(b []byte) {
	switch {
	case o.call.Blob == nil || o.failed || o.total >= maxSpool:
		return
	case o.spool != nil:
		_, err := o.spool.Write(b)
		o.failed = err != nil
	case o.total+int64(len(b)) > int64(o.headLimit+o.tailLimit):
		var err error
		if o.spool, err = o.call.Blob("shell-" + fileName(o.call.ID) + ".txt"); err != nil {
			o.failed = true
			return
		}
		for _, part := range [][]byte{o.head, o.tail, b} {
			if _, err := o.spool.Write(part); err != nil {
				o.failed = true
				return
			}
		}
	}
}

// tell shows the user what was printed, not too often: screens are slower than
// commands. Of what comes faster than that only the end is shown.
func (o *output) tell(b []byte) {
	const most = 4 << 10
	o.untold = append(o.untold, b...)
	if len(o.untold) > most {
		o.untold = append(o.untold[:0], o.untold[len(o.untold)-most:]...)
	}
	if now := time.Now(); now.Sub(o.told) >= tellEvery {
		o.call.Progress(visible.Text(string(o.untold)))
		o.told, o.untold = now, o.untold[:0]
	}
}

func (o *output) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.untold) > 0 {
		o.call.Progress(visible.Text(string(o.untold)))
		o.untold = nil
	}
	if o.spool != nil {
		if err := o.spool.Close(); err != nil {
			o.failed = true
		}
	}
}

// blob names the file with the whole output, if there is one.
func (o *output) blob() *message.Blob {
	if o.spool == nil || o.failed {
		return nil
	}
	return &message.Blob{Path: o.spool.Path(), Size: min(o.total, maxSpool)}
}

// text is what the model gets to see.
func (o *output) text() string {
	tail := o.tail
	cut := o.total - int64(len(o.head)) - int64(len(tail))
	if len(tail) > o.tailLimit {
		cut += int64(len(tail) - o.tailLimit)
		tail = tail[len(tail)-o.tailLimit:]
	}
	if cut == 0 {
		return readable(append(o.head[:len(o.head):len(o.head)], tail...))
	}
	where := "The rest was not kept."
	if b := o.blob(); b != nil {
		where = fmt.Sprintf("The whole output is in %s: `read` it with an offset, or `grep` it.", b.Path)
		if o.total > maxSpool {
			where = fmt.Sprintf("The first %d MB are in %s: `read` them with an offset, or `grep` them.", maxSpool>>20, b.Path)
		}
	}
	return fmt.Sprintf("%s\n[%d bytes of %d left out here. %s]\n%s",
		strings.TrimSuffix(readable(wholeEnd(o.head)), "\n"), cut, o.total, where, readable(wholeStart(tail)))
}

// readable is output as the model and people can take it: carriage returns that
// end lines are dropped, other control characters become visible.
func readable(b []byte) string {
	return visible.Text(strings.ReplaceAll(string(b), "\r\n", "\n"))
}

// wholeEnd is b without the beginning of a character at its end.
func wholeEnd(b []byte) []byte {
	for i := 1; i < utf8.UTFMax && i <= len(b); i++ {
		if c := b[len(b)-i]; utf8.RuneStart(c) {
			if !utf8.FullRune(b[len(b)-i:]) {
				return b[:len(b)-i]
			}
			break
		}
	}
	return b
}

// wholeStart is b without the end of a character at its start.
func wholeStart(b []byte) []byte {
	for i := 0; i < utf8.UTFMax && i < len(b); i++ {
		if utf8.RuneStart(b[i]) {
			return b[i:]
		}
	}
	return b
}

// fileName makes a call's id fit for a file name.
func fileName(id string) string {
	id = strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
			return r
		}
		return '_'
	}, id)
	return id[:min(len(id), 48)]
}
