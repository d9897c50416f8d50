package tool

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/daruma-dev/daruma/message"
)

// Workspace is the part of the file system a session works in, and what its
// tools have seen of it. All tools of a session share one, so that a relative
// path means the same file to each of them. It is safe for concurrent use.
type Workspace struct {
	root  string
	extra []string

	hidden func(path string) bool // nil means nothing is

	mu   sync.Mutex
	dir  string
	seen map[string]string // path → hash of the content last read or written
}

// NewWorkspace makes a workspace of a root directory and more directories that
// are as good as inside it. Symbolic links in them are resolved; each must
// exist.
func NewWorkspace(root string, extra ...string) (*Workspace, error) {
	r, err := realDir(root)
	if err != nil {
		return nil, err
	}
	w := &Workspace{root: r, dir: r, seen: map[string]string{}}
	for _, e := range extra {
		d, err := realDir(e)
		if err != nil {
			return nil, err
		}
		w.extra = append(w.extra, d)
	}
	return w, nil
}

func realDir(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(abs)
}

// Root is the directory the session was started in.
func (w *Workspace) Root() string { return w.root }

// Roots lists the root and the added directories.
func (w *Workspace) Roots() []string { return append([]string{w.root}, w.extra...) }

// Dir is the working directory: the root until a shell command leaves it.
func (w *Workspace) Dir() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.dir
}

// SetDir changes the working directory.
func (w *Workspace) SetDir(dir string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.dir = dir
}

// Abs makes path absolute by the working directory, without resolving links. A
// leading "~/" is the user's home directory, as in a shell: models write it, and
// a directory named "~" is never what they mean.
func (w *Workspace) Abs(path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			path = filepath.Join(home, rest)
		}
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(w.Dir(), path)
	}
	return filepath.Clean(path)
}

// Resolve is Abs with symbolic links resolved, the last one included, as far
// as the path exists; what does not exist yet is taken as it is written. A link
// whose target does not exist is resolved too, so that the result is the file
// that writing to the path would make. It is an error when links lead in a
// circle.
func (w *Workspace) Resolve(path string) (string, error) {
	return resolve(w.Abs(path))
}

// Contains reports whether a resolved path lies in the workspace.
func (w *Workspace) Contains(path string) bool {
	return slices.ContainsFunc(w.Roots(), func(root string) bool {
		sep := string(filepath.Separator)
		return path == root || strings.HasPrefix(path, strings.TrimSuffix(root, sep)+sep)
	})
}

// Hide keeps files from tools that read many at once, such as a search: those
// for whose resolved paths hidden is true. It is called before any tool runs.
// What a call names itself is for the permission rules to judge.
func (w *Workspace) Hide(hidden func(path string) bool) { w.hidden = hidden }

// Hides reports whether a search must leave a file out.
func (w *Workspace) Hides(path string) bool { return w.hidden != nil && w.hidden(path) }

// Rel shortens a path for people: relative to the root where it lies inside.
func (w *Workspace) Rel(path string) string {
	if rel, err := filepath.Rel(w.root, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}

// Short names a path for the model so that it can be given back as it is:
// relative to the working directory where it lies below it, absolute elsewhere.
func (w *Workspace) Short(path string) string {
	if rel, err := filepath.Rel(w.Dir(), path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}

// Note remembers what a call read or changed.
func (w *Workspace) Note(files ...message.FileVersion) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, f := range files {
		if f.Action == "deleted" {
			delete(w.seen, f.Path)
		} else {
			w.seen[f.Path] = f.Hash
		}
	}
}

// Seen is the hash of the content that the model last read from or wrote to a
// resolved path; ok is false when it has not seen the file.
func (w *Workspace) Seen(path string) (hash string, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	hash, ok = w.seen[path]
	return hash, ok
}
