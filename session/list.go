package session

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/daruma-dev/daruma/internal/regular"
	"github.com/daruma-dev/daruma/loop"
)

// Info is what a list shows of a session.
type Info struct {
	ID      string    `json:"id"`
	Path    string    `json:"path"`
	Dir     string    `json:"dir"`
	Model   string    `json:"model,omitempty"`
	Parent  string    `json:"parent,omitempty"`
	Created time.Time `json:"created"`
	Updated time.Time `json:"updated"`           // when the journal was last written
	Size    int64     `json:"size"`              // bytes of the journal
	Entries int64     `json:"entries,omitempty"` // about how many; 0 when not known
	Prompt  string    `json:"prompt,omitempty"`  // the first one, on one line and clipped
	Last    string    `json:"last,omitempty"`    // the last one, if it is not too far from the end
	End     loop.End  `json:"end,omitempty"`     // of the last run; empty when it is under way or was killed
}

// List shows the sessions of a working directory, or with an empty dir all of
// them, the newest first. It reads a little of each file's beginning and end,
// however long it is. Files that are no journals are passed over.
func List(state, dir string) ([]Info, error) {
	paths, err := journals(state, dir, "")
	if err != nil {
		return nil, err
	}
	var g glancer
	var infos []Info
	for _, p := range paths {
		if in, err := g.inspect(p); err == nil {
			infos = append(infos, in)
		}
	}
	slices.SortFunc(infos, func(a, b Info) int {
		return cmp.Or(b.Updated.Compare(a.Updated), strings.Compare(b.ID, a.ID))
	})
	return infos, nil
}

// journals lists the files of sessions whose ids begin so, of one working
// directory or, with an empty dir, of all.
func journals(state, dir, prefix string) ([]string, error) {
	var projects []string
	if dir != "" {
		projects = []string{projectDir(state, dir)}
	} else {
		es, err := entriesOf(sessionsDir(state))
		if err != nil {
			return nil, err
		}
		for _, e := range es {
			projects = append(projects, filepath.Join(sessionsDir(state), e.Name()))
		}
	}
	var paths []string
	for _, p := range projects {
		es, err := entriesOf(p)
		if err != nil {
			return nil, err
		}
		for _, e := range es {
			if name := e.Name(); strings.HasPrefix(name, prefix) && strings.HasSuffix(name, suffix) {
				paths = append(paths, filepath.Join(p, name))
			}
		}
	}
	return paths, nil
}

// entriesOf lists a folder. One that is not there, or is none, holds nothing.
func entriesOf(dir string) ([]fs.DirEntry, error) {
	es, err := os.ReadDir(dir)
	if info, gone := os.Stat(dir); err != nil && (errors.Is(err, fs.ErrNotExist) || gone == nil && !info.IsDir()) {
		return nil, nil
	}
	if err != nil {
		return nil, &Error{
			Text: "the folder " + dir + " cannot be read (" + cause(err).Error() + ")",
			hint: "check its owner and permissions", Err: err,
		}
	}
	return es, nil
}

// Inspect reads what a list shows of the journal at path.
func Inspect(path string) (Info, error) { return new(glancer).inspect(path) }

// glance is how much of a journal's beginning and end a list reads, in bytes.
const glance = 64 << 10

// glancer looks at one journal after the other.
type glancer struct{ head, tail []byte }

func (g *glancer) inspect(path string) (Info, error) {
	f, st, err := regular.Open(path)
	if err != nil {
		return Info{}, openError(path, err)
	}
	defer func() { _ = f.Close() }()
	if err := g.read(f, st.Size()); err != nil {
		return Info{}, openError(path, err)
	}
	in := Info{ID: idOf(path), Path: path, Updated: st.ModTime(), Size: st.Size()}
	text, rest, _ := bytes.Cut(g.head, []byte("\n"))
	h, err := parseHeader(text)
	headless := errors.Is(err, errDamaged)
	switch {
	case headless:
		h = guess(in.ID)
	case err != nil:
		return Info{}, err
	}
	in.Dir, in.Model, in.Parent, in.Created = h.Dir, h.Model, h.Parent, h.Created
	text, _, _ = bytes.Cut(rest, []byte("\n"))
	in.Prompt = prompt(text)
	in.ending(g.tail)
	if headless && in.Entries == 0 {
		return Info{}, openError(path, errDamaged)
	}
	return in, nil
}

// read reads the two ends of a file, which are the same where it is short.
func (g *glancer) read(f io.ReaderAt, size int64) error {
	n := min(size, glance)
	g.head = slices.Grow(g.head[:0], glance)[:n]
	if _, err := f.ReadAt(g.head, 0); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if size == n {
		g.tail = g.head
		return nil
	}
	g.tail = slices.Grow(g.tail[:0], glance)[:n]
	if _, err := f.ReadAt(g.tail, size-n); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// ending goes through the last lines of a journal, from the end, and takes from
// them how the last run ended and what was asked last.
func (in *Info) ending(tail []byte) {
	lines := bytes.Split(tail, []byte("\n")) // forwards, which is faster than to look for each from the end
	for i := len(lines) - 1; i >= 0 && in.Last == ""; i-- {
		if in.Entries > 0 && kindOf(lines[i]) != "received" {
			continue // only the newest entry and the last prompt matter
		}
		e, ok := decode(lines[i])
		if !ok {
			continue
		}
		if r, ended := e.Result.(loop.Ended); ended && in.Entries == 0 {
			in.End = r.Terminal.Reason
		}
		in.Entries = max(in.Entries, e.Seq)
		in.Last = promptOf(e)
	}
}

// kindOf finds the kind of an entry without decoding it: a line may be long,
// and the kind stands near its beginning.
func kindOf(text []byte) string {
	_, rest, _ := bytes.Cut(text[:min(len(text), 200)], []byte(`,"kind":"`))
	kind, _, _ := bytes.Cut(rest, []byte(`"`))
	return string(kind)
}

// decode reads a line that should hold an entry.
func decode(text []byte) (e loop.Entry, ok bool) {
	key, v, ok := unframe(text)
	return e, ok && key == 'e' && e.UnmarshalJSON(v) == nil
}

// prompt is the user's text in the line of a received message.
func prompt(text []byte) string {
	e, _ := decode(text)
	return promptOf(e)
}

// promptOf is what the user said in an entry, on one line.
func promptOf(e loop.Entry) string {
	if r, ok := e.Result.(loop.Received); ok && r.Message != nil {
		return oneLine(r.Message.Text())
	}
	return ""
}
