package file

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/daruma-dev/daruma/internal/atomicfile"
	"github.com/daruma-dev/daruma/internal/charset"
	"github.com/daruma-dev/daruma/internal/regular"
	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/tool"
)

// content is a file as it lies on the disk.
type content struct {
	raw    []byte
	hash   string
	form   charset.Form
	binary string // the kind, where it is no text
}

// load reads the whole file. A file that does not exist is nil.
func (t target) load(ctx context.Context) (*content, error) {
	f, info, err := regular.Open(t.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, t.problem("changed", err)
	}
	defer f.Close()
	if info.Size() > maxHashed {
		return nil, t.tooLarge(info.Size())
	}
	m := &meter{ctx: ctx, r: io.LimitReader(f, maxHashed+1)} // it may grow meanwhile
	raw, err := io.ReadAll(m)
	switch {
	case err != nil:
		return nil, t.problem("changed", err)
	case len(raw) > maxHashed:
		return nil, t.tooLarge(int64(len(raw)))
	}
	head := raw[:min(len(raw), charset.Head)]
	c := &content{raw: raw, hash: hashOf(raw), form: charset.Detect(head)}
	c.binary, _ = charset.Binary(head)
	return c, nil
}

func (t target) tooLarge(size int64) error {
	return tool.Errorf("%s has %d bytes, and files of more than %d are not changed with this tool. Use a shell command such as sed.",
		t.name, size, maxHashed)
}

func hashOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// body is the raw content without its byte-order mark.
func (c *content) body() []byte { return bytes.TrimPrefix(c.raw, c.form.MarkBytes()) }

// text is the content as the model and people see it.
func (c *content) text() (text string, replaced int) {
	if c == nil {
		return "", 0
	}
	return c.form.Decode(c.raw)
}

// fresh reports an error if the file is not as the model last saw it. seen says
// that the model has seen it at all.
func (t target) fresh(c *content) (seen bool, err error) {
	hash, seen := t.ws.Seen(t.path)
	if seen && hash != c.hash {
		return true, tool.Errorf("%s has changed on disk since you last read or wrote it, so it was not touched. "+
			"Read it again, then make your change to what is there now.", t.name)
	}
	return seen, nil
}

// save puts raw in the place of the old content, nil for a new file, and gives
// the result that says so: text to the model, verb and a diff to people.
func (t target) save(old *content, raw []byte, verb, text string) (tool.Result, error) {
	if err := atomicfile.Write(t.path, raw, 0o666); err != nil {
		return tool.Result{}, t.problem("written", err)
	}
	now := &content{raw: raw, form: charset.Detect(raw[:min(len(raw), charset.Head)])}
	version := message.FileVersion{Path: t.path, Hash: hashOf(raw), Action: "created"}
	if old != nil {
		version.Action, version.Before = "changed", old.hash
		now.form = old.form
	}
	r := tool.Result{Text: text, Files: []message.FileVersion{version}}
	t.ws.Note(r.Files...)
	before, _ := old.text()
	after, _ := now.text()
	d := compare(t.ws.Rel(t.path), old == nil, before, after)
	r.Diff = d.text
	r.Title = t.title(verb, fmt.Sprintf("+%d -%d", d.added, d.removed))
	return r, nil
}
