package shell

import (
	"fmt"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/tool"
)

const (
	// DefaultMaxOutput is how many characters of a command's output go to the
	// model. A third is its beginning, where compilers tell the first error,
	// and two thirds are its end, where tests tell the outcome.
	DefaultMaxOutput = 30_000
	// maxSpool is how many bytes of output are kept on disk. What is beyond is
	// counted only: a command that prints for ever must not fill the disk.
	maxSpool = 200 << 20
)

// output takes what a command prints and holds no more of it than the result
// needs, however much it is. The rest goes to a file in the session's folder,
// the spool.
//
// The alternative, a file that the command writes to directly, would cost the
// command nothing to fill, would grow without bounds, and `echo >/dev/stderr`
// would cut it off.
type output struct {
	call       tool.Call
	head, tail int // how many characters of the result each may have

	mu     sync.Mutex
	redact redactor
	first  []byte // the beginning, up to the bytes that head may need
	last   []byte // the newest bytes after first, up to twice what tail may need
	total  int64
	spool  tool.Blob
	failed bool // no spool can be had
	closed bool // nothing more can be written to it
	news   news
}

func newOutput(call tool.Call, limit int, secrets []string) *output {
	if limit <= 0 {
		limit = DefaultMaxOutput
	}
	return &output{call: call, head: limit / 3, tail: limit - limit/3, redact: redactor{secrets: secrets}}
}

// add takes more of the output, at the given time.
func (o *output) add(b []byte, now time.Time) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.keep(o.redact.add(b), now)
}

// keep is add without secrets. mu is held.
func (o *output) keep(b []byte, now time.Time) {
	if len(b) == 0 {
		return
	}
	o.news.add(b)
	o.tell(now, false)
	maxFirst, maxLast := o.head*utf8.UTFMax, o.tail*utf8.UTFMax
	switch {
	case o.spool != nil:
		o.write(b)
	case len(o.first)+len(o.last)+len(b) > maxFirst+maxLast && o.total <= int64(maxFirst+maxLast):
		o.begin() // all that came before is still there
		o.write(b)
	}
	o.total += int64(len(b))
	n := min(max(0, maxFirst-len(o.first)), len(b))
	o.first = append(o.first, b[:n]...)
	o.last = append(o.last, b[n:]...)
	if len(o.last) > 2*maxLast {
		o.last = append(o.last[:0], o.last[len(o.last)-maxLast:]...)
	}
}

// open begins the spool with what has come so far.
func (o *output) open() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.begin()
}

// begin is open with mu held.
func (o *output) begin() {
	if o.call.Blob == nil || o.failed || o.spool != nil {
		return
	}
	var err error
	if o.spool, err = o.call.Blob("shell-" + fileName(o.call.ID) + ".txt"); err != nil {
		o.failed = true
		return
	}
	o.write(o.first)
	o.write(o.last)
}

// write adds to the spool as long as it may grow. mu is held.
func (o *output) write(b []byte) {
	b = b[:min(int64(len(b)), max(0, maxSpool-o.total))]
	if o.spool == nil || o.failed || o.closed || len(b) == 0 {
		return
	}
	_, err := o.spool.Write(b)
	o.failed = err != nil
}

// end says that nothing more comes during the call: what was held back is told.
func (o *output) end(now time.Time) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.keep(o.redact.end(), now)
	o.tell(now, true)
	o.call.Progress = func(string) {}
}

// close closes the spool.
func (o *output) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.spool != nil && !o.closed {
		_ = o.spool.Close() // every write has been checked
	}
	o.closed = true
}

// blob names the spool, if there is one. mu is held.
func (o *output) blob() *message.Blob {
	if o.spool == nil || o.failed {
		return nil
	}
	return &message.Blob{Path: o.spool.Path(), Size: min(o.total, maxSpool)}
}

// path is the spool's, and empty when there is none.
func (o *output) path() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	if b := o.blob(); b != nil {
		return b.Path
	}
	return ""
}

// text is what the model gets to see, and where the whole is kept if that is
// not all. It is called between end and close.
func (o *output) text() (string, *message.Blob) {
	o.mu.Lock()
	defer o.mu.Unlock()
	last := o.last[max(0, len(o.last)-o.tail*utf8.UTFMax):] // how much more there is depends on the pieces it came in
	head, tail := readable(wholeEnd(o.first)), readable(wholeStart(last))
	if o.total == int64(len(o.first)+len(o.last)) { // nothing is lost
		all := readable(append(o.first[:len(o.first):len(o.first)], o.last...))
		if utf8.RuneCountInString(all) <= o.head+o.tail {
			return all, nil
		}
		head, tail = all, all
		o.begin()
	}
	head, tail = firstChars(head, o.head), lastChars(tail, o.tail)
	return fmt.Sprintf("%s\n[Cut here: this is the beginning and the end of %d bytes; %d are left out. %s]\n%s",
		strings.TrimSuffix(head, "\n"), o.total, max(0, o.total-int64(len(head)+len(tail))), o.where(), tail), o.blob()
}

// where tells the model how to get at the rest.
func (o *output) where() string {
	switch b := o.blob(); {
	case b == nil:
		return "They were not kept, so have less printed if you need them."
	case o.total > maxSpool:
		return fmt.Sprintf("The first %d MB are in %s: `read` them with an offset, or `grep` them.", maxSpool>>20, b.Path)
	default:
		return fmt.Sprintf("The whole output is in %s: `read` it with an offset, or `grep` it.", b.Path)
	}
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
