package file

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"strings"

	"github.com/daruma-dev/daruma/internal/charset"
	"github.com/daruma-dev/daruma/internal/regular"
	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/tool"
)

// maxHashed is the size in bytes up to which files are hashed when they are
// read, and may be written over or edited. To go on reading a larger one only
// to learn its hash takes longer than it is worth, and to edit it takes more
// memory; without a hash it does not count as seen.
const maxHashed = 64 << 20

//go:embed read.md
var readText string

type readInput struct {
	Path   string `json:"path" jsonschema:"The file or directory: absolute, or relative to the working directory."`
	Offset int    `json:"offset,omitempty" jsonschema:"The first line to show, counted from 1."`
	Limit  int    `json:"limit,omitempty" jsonschema:"How many lines to show; 2000 when left out."`
	Column int    `json:"column,omitempty" jsonschema:"Show only the line given by offset, from this character on, counted from 1. For lines too long to be shown whole."`
}

// Read is the tool that shows a file: text with line numbers, a page at a time,
// images as such, and the entries of a directory.
func Read(ws *tool.Workspace) tool.Tool {
	t := tool.New("read", readText, func(ctx context.Context, _ tool.Call, in readInput) (tool.Result, error) {
		return read(ctx, ws, in)
	})
	t.ReadOnlyFunc = func(readInput) bool { return true }
	t.AccessFunc = func(in readInput) (tool.Access, error) { return access(ws, tool.Read, in.Path) }
	return t
}

func read(ctx context.Context, ws *tool.Workspace, in readInput) (tool.Result, error) {
	if in.Offset < 0 {
		return tool.Result{}, tool.Errorf("offset is %d, but lines are counted from 1. To see the end of a file, read it once to learn how many lines it has.", in.Offset)
	}
	t, err := find(ws, in.Path)
	if err != nil {
		return tool.Result{}, err
	}
	if info, err := os.Stat(t.path); err == nil && info.IsDir() {
		return list(t, in)
	}
	f, info, err := regular.Open(t.path)
	if err != nil {
		return tool.Result{}, t.problem("read", err)
	}
	defer f.Close()
	// Some files of the system wait for news when they are read.
	defer context.AfterFunc(ctx, func() { f.Close() })()

	head := make([]byte, charset.Head)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return tool.Result{}, t.problem("read", err)
	}
	head = head[:n]
	m := &meter{ctx: ctx, r: io.MultiReader(bytes.NewReader(head), f)}
	if mime := imageType(head); mime != "" {
		return readImage(t, mime, info.Size(), m)
	}
	if kind, ok := charset.Binary(head); ok {
		return binaryNote(t, kind, info.Size()), nil
	}
	if info.Size() <= maxHashed {
		m.hash = sha256.New()
	}
	return readLines(t, in, charset.Detect(head), m)
}

// binaryNote is the result for what is neither text nor an image. It does not
// count as seen: nothing of it was shown.
func binaryNote(t target, kind string, size int64) tool.Result {
	return tool.Result{
		Text: fmt.Sprintf("[%s is not text: %s, %d bytes. Nothing of it is shown; if it is needed, examine it with a shell command.]",
			t.name, kind, size),
		Title: t.title("read", fmt.Sprintf("%s, %d bytes", kind, size)),
	}
}

func readLines(t target, in readInput, form charset.Form, m *meter) (tool.Result, error) {
	p := &page{offset: max(in.Offset, 1), limit: maxLines, column: max(in.Column, 0)}
	if in.Limit > 0 {
		p.limit = in.Limit
	}
	text := form.NewReader(m)
	lines := newLineReader(text)
	err := p.fill(lines)
	known := errors.Is(err, io.EOF)
	if err == nil && m.hash != nil {
		err, known = p.count(lines), true
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return tool.Result{}, t.problem("read", err)
	}
	if err := p.check(t, known); err != nil {
		return tool.Result{}, err
	}
	notes := append(p.notes(known), formNotes(form, text)...)
	if p.lines == 0 {
		notes = []string{t.name + " is empty."}
	}
	for _, n := range notes {
		fmt.Fprintf(&p.text, "\n[%s]", n)
	}
	r := tool.Result{Text: p.text.String(), Title: t.title("read", p.extent(known))}
	if hash, ok := m.sum(); ok {
		r.Files = []message.FileVersion{{Path: t.path, Hash: hash, Action: "read"}}
		t.ws.Note(r.Files...)
	}
	return r, nil
}

// check reports a page that shows nothing because it lies outside the text.
func (p *page) check(t target, known bool) error {
	switch {
	case p.last == 0 && p.offset > 1 && known:
		return tool.Errorf("%s has only %d lines, so there is nothing at offset %d. Read with a smaller offset.", t.name, p.lines, p.offset)
	case p.column > 1 && p.column > p.only.chars+1:
		return tool.Errorf("Line %d of %s has only %d characters, so there is nothing at column %d. Read with a smaller column.",
			p.last, t.name, p.only.chars, p.column)
	}
	return nil
}

// extent says in a few words what a page shows.
func (p *page) extent(known bool) string {
	switch {
	case p.column > 0:
		return fmt.Sprintf("line %d from character %d", p.last, p.column)
	case known && p.offset == 1 && p.last == p.lines:
		return plural(p.lines, "line")
	case known:
		return fmt.Sprintf("lines %d-%d of %d", p.offset, p.last, p.lines)
	}
	return fmt.Sprintf("lines %d-%d", p.offset, p.last)
}

// formNotes tells in what way the text shown differs from the bytes.
func formNotes(form charset.Form, r *charset.Reader) []string {
	var notes []string
	if form.Charset != charset.UTF8 {
		notes = append(notes, fmt.Sprintf("The file is %v, shown as UTF-8; edit and write keep its encoding.", form.Charset))
	}
	if r.Replaced > 0 {
		notes = append(notes, fmt.Sprintf("%s of the file cannot be decoded as %v, and each is shown as \uFFFD. "+
			"Change the text around such bytes with edit, which leaves them as they are; do not write the file anew.",
			plural(r.Replaced, "byte"), form.Charset))
	}
	if r.NULs > 0 {
		notes = append(notes, fmt.Sprintf("%s shown as %c.", plural(r.NULs, "NUL character"), charset.NUL))
	}
	return notes
}

// plural is a number with a noun.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, strings.TrimSuffix(noun, "s"))
}

// meter reads a file on behalf of a call: it stops when the call is cancelled,
// and hashes what comes by.
type meter struct {
	ctx  context.Context
	r    io.Reader
	hash hash.Hash // nil when the file is not hashed
	size int64     // bytes read
	end  bool      // all was read
}

func (m *meter) Read(p []byte) (int, error) {
	if err := m.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := m.r.Read(p)
	m.size += int64(n)
	if m.hash != nil {
		m.hash.Write(p[:n])
	}
	m.end = m.end || err == io.EOF
	return n, err
}

// sum is the hash of the file, if all of it was read and hashed.
func (m *meter) sum() (string, bool) {
	if m.hash == nil || !m.end {
		return "", false
	}
	return hex.EncodeToString(m.hash.Sum(nil)), true
}
