package session

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

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
	Updated time.Time `json:"updated"`
	Size    int64     `json:"size"`             // bytes of the journal
	Prompt  string    `json:"prompt,omitempty"` // the first one
	End     loop.End  `json:"end,omitempty"`    // of the last run; empty when it is under way or was killed
}

// List shows the sessions of a working directory, or with an empty dir all of
// them, the newest first. It reads a little of each file's beginning and end,
// however long it is. Files that are no journals are passed over.
func List(state, dir string) ([]Info, error) {
	paths, err := journals(state, dir, "")
	if err != nil {
		return nil, err
	}
	var infos []Info
	for _, p := range paths {
		if in, err := Inspect(p); err == nil {
			infos = append(infos, in)
		}
	}
	slices.SortStableFunc(infos, func(a, b Info) int { return b.Updated.Compare(a.Updated) })
	return infos, nil
}

// journals lists the files of sessions whose ids begin so.
func journals(state, dir, prefix string) ([]string, error) {
	project := "*"
	if dir != "" {
		project = filepath.Base(projectDir(state, dir))
	}
	paths, err := filepath.Glob(filepath.Join(escape(sessionsDir(state)), project, prefix+"*"+suffix))
	if err != nil {
		return nil, fmt.Errorf("session: list %s: %w", state, err)
	}
	return paths, nil
}

// escape is a path as a glob pattern that matches it alone.
func escape(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// glance is how much of a journal's beginning and end a list reads.
const glance = 64 << 10

// Inspect reads what a list shows of the journal at path.
func Inspect(path string) (Info, error) {
	f, err := os.Open(path)
	if err != nil {
		return Info{}, openError(idOf(path), err)
	}
	defer func() { _ = f.Close() }()
	st, err := f.Stat()
	if err != nil {
		return Info{}, fmt.Errorf("session: %w", err)
	}
	in := Info{ID: idOf(path), Path: path, Updated: st.ModTime(), Size: st.Size()}
	head := bufio.NewReaderSize(io.LimitReader(f, glance), glance)
	line, err := head.ReadSlice('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return Info{}, fmt.Errorf("session: %w", err)
	}
	h, err := parseHeader(line)
	if err != nil {
		return Info{}, err
	}
	in.Dir, in.Model, in.Parent, in.Created = h.Dir, h.Model, h.Parent, h.Created
	if line, err = head.ReadSlice('\n'); err == nil {
		in.Prompt = prompt(line)
	}
	in.End = end(f, st.Size())
	return in, nil
}

// prompt is the user's text in the line of a received message.
func prompt(line []byte) string {
	if r, ok := result(line).(loop.Received); ok {
		return r.Message.Text()
	}
	return ""
}

// end is the reason in the last line, if that is the end of a run.
func end(f io.ReaderAt, size int64) loop.End {
	tail := make([]byte, min(size, glance))
	if _, err := f.ReadAt(tail, size-int64(len(tail))); err != nil && !errors.Is(err, io.EOF) {
		return ""
	}
	tail = bytes.TrimSuffix(tail, []byte("\n"))
	if r, ok := result(tail[bytes.LastIndexByte(tail, '\n')+1:]).(loop.Ended); ok {
		return r.Terminal.Reason
	}
	return ""
}

// result is the result in a line, or nil.
func result(line []byte) loop.Result {
	key, v, err := unframe(line)
	var e loop.Entry
	if err != nil || key != 'e' || json.Unmarshal(v, &e) != nil {
		return nil
	}
	return e.Result
}

// Find is the path of the session whose id begins with prefix, of any project.
func Find(state, prefix string) (string, error) {
	id := strings.ToLower(strings.TrimSpace(prefix))
	none := &Error{Text: fmt.Sprintf("there is no session %q", prefix), hint: "daruma sessions list shows those there are"}
	if id == "" || strings.ContainsFunc(id, func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') }) {
		return "", none
	}
	paths, err := journals(state, "", id)
	switch {
	case err != nil:
		return "", err
	case len(paths) == 0:
		return "", none
	case len(paths) > 1:
		const most = 3
		var ids []string
		for _, p := range paths[:min(most, len(paths))] {
			ids = append(ids, idOf(p))
		}
		return "", &Error{
			Text: fmt.Sprintf("%d sessions begin with %q", len(paths), prefix),
			hint: "give more of the id: " + strings.Join(ids, ", "),
		}
	}
	return paths[0], nil
}

// Latest is the path of the session of a working directory that was written
// last.
func Latest(state, dir string) (string, error) {
	paths, err := journals(state, dir, "")
	if err != nil {
		return "", err
	}
	at := make(map[string]time.Time, len(paths))
	for _, p := range paths {
		if st, err := os.Stat(p); err == nil {
			at[p] = st.ModTime()
		}
	}
	slices.SortStableFunc(paths, func(a, b string) int { return at[b].Compare(at[a]) })
	for _, p := range paths {
		if _, err := Inspect(p); err == nil {
			return p, nil
		}
	}
	return "", &Error{Text: "there is no session to continue in " + dir, hint: "start one without --continue"}
}

// Remove deletes the session at path with its paged-out texts. One that is in
// use is kept.
func Remove(path string) error {
	j, err := Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = j.Close() }()
	if err := os.RemoveAll(folder(path)); err != nil {
		return fmt.Errorf("session: remove %s: %w", j.ID(), err)
	}
	if err := os.Remove(path); err != nil {
		return fmt.Errorf("session: remove %s: %w", j.ID(), err)
	}
	return nil
}
