package session

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

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
		return "", ambiguous(prefix, paths)
	}
	return paths[0], nil
}

// ambiguous lists the sessions that a prefix may mean, the newest first.
func ambiguous(prefix string, paths []string) error {
	ids := make([]string, len(paths))
	for i, p := range paths {
		ids[i] = idOf(p)
	}
	slices.Sort(ids) // which is by age
	slices.Reverse(ids)
	const most = 5
	more := ""
	if len(ids) > most {
		ids, more = ids[:most], ", …"
	}
	return &Error{
		Text: fmt.Sprintf("%d sessions begin with %q", len(paths), prefix),
		hint: "give more of the id: " + strings.Join(ids, ", ") + more,
	}
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
	slices.Reverse(paths) // the younger first where the times are the same
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
	if err := os.RemoveAll(folder(path)); err != nil {
		return errors.Join(writeError(folder(path), err), j.Close())
	}
	return j.remove()
}

// remove deletes the journal and closes it. It goes while it is still locked,
// where the system lets an open file go.
func (j *Journal) remove() error {
	early := os.Remove(j.path)
	f := j.f
	j.f, j.closed = nil, true
	err := f.Close()
	if early != nil {
		err = os.Remove(j.path)
	}
	if err != nil {
		return writeError(j.path, err)
	}
	return nil
}
