package prompt

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// Where says where to look for instruction files. Empty fields are not looked
// at. Paths are absolute.
type Where struct {
	Dir    string // working directory
	Root   string // of the git work tree around it; empty: look in Dir alone
	Home   string // the user's; ~/.claude/CLAUDE.md is read
	Config string // daruma's, such as ~/.config/daruma
}

// names are the instruction files of a directory; the first that says something
// is read.
var names = []string{"AGENTS.override.md", "AGENTS.md", "CLAUDE.md", ".claude/CLAUDE.md"}

// local is read beside them: what a user keeps out of the repository.
const local = "CLAUDE.local.md"

// maxHops is how many imports may follow one another.
const maxHops = 4

// maxFiles bounds the imports: a directory of files that import each other
// would otherwise take a while to read.
const maxFiles = 100

// Load finds and reads the instruction files: the user's, then those of each
// directory from the git root down to the working directory. What a file
// imports stands before it. No file is loaded twice, whatever names it has.
//
// A project's files may not bring in what lies outside the project, be it by
// import or as a link: a repository could otherwise send the user's files to
// the model provider by being opened. Trouble with a file is a note, never an
// error: work can go on without it.
func Load(w Where) Instructions {
	l := loader{home: w.Home}
	if w.Home != "" {
		l.first(filepath.Join(w.Home, ".claude"), "", "CLAUDE.md")
	}
	if w.Config != "" {
		l.first(w.Config, "", "AGENTS.override.md", "AGENTS.md")
	}
	if w.Dir != "" {
		bound := w.Dir
		if within(w.Root, w.Dir) {
			bound = w.Root
		}
		real := resolve(bound)
		for _, dir := range between(bound, w.Dir) {
			l.first(dir, real, names...)
			l.first(dir, real, local)
		}
	}
	l.fit()
	return l.Instructions
}

// between lists the directories from root down to dir.
func between(root, dir string) []string {
	dirs := []string{dir}
	for dir != root && dir != filepath.Dir(dir) {
		dir = filepath.Dir(dir)
		dirs = append(dirs, dir)
	}
	slices.Reverse(dirs)
	return dirs
}

type loader struct {
	Instructions
	home string
	seen []os.FileInfo
}

// first loads the first of the files in dir that says something, or that was
// loaded already under another name.
func (l *loader) first(dir, bound string, names ...string) {
	for _, name := range names {
		if l.load(filepath.Join(dir, name), "", bound, 0) {
			return
		}
	}
}

// load loads a file unless it must not be, or is already. bound is the
// directory the file must lie in, links resolved; empty, for the user's own
// files, allows any. It reports whether the file is in the prompt, now or
// before.
func (l *loader) load(path, by, bound string, hops int) bool {
	fi, err := os.Stat(path)
	switch {
	case err != nil:
		return l.missing(path, err)
	case l.has(fi):
		return true
	case hops > maxHops:
		l.notef("%s is left out: more than %d imports follow one another", path, maxHops)
		return false
	case len(l.seen) >= maxFiles:
		l.notef("%s is left out: there are more than %d instruction files", path, maxFiles)
		return false
	case bound != "" && !within(bound, resolve(path)):
		l.outside(path, by)
		return false
	}
	l.seen = append(l.seen, fi)
	f, imports, ok := l.read(path)
	if !ok {
		return false
	}
	if bound == "" && hops > 0 {
		// The user's own file may import from anywhere, but what it imports
		// may be somebody else's and stays where it is.
		bound = filepath.Dir(resolve(path))
	}
	for _, word := range imports {
		if p := l.locate(path, word); p != "" {
			l.load(p, path, bound, hops+1)
		}
	}
	f.By = by
	l.Files = append(l.Files, f)
	return true
}

// read is the file at path and what it imports; ok is false when it is empty
// or cannot be read.
func (l *loader) read(path string) (f File, imports []string, ok bool) {
	raw, size, err := readRegular(path, MaxFile+1)
	if err != nil {
		l.notef("%s could not be read: %v", path, bare(err))
		return File{}, nil, false
	}
	text, ok := decode(raw)
	if !ok {
		l.notef("%s is left out: it is not text", path)
		return File{}, nil, false
	}
	long := size > MaxFile
	if long {
		text = cut(text, min(len(text), MaxFile))
	}
	r := read(text)
	return File{Path: path, Size: size, Text: r.text, Truncated: long}, r.imports, r.text != ""
}

// missing notes why a file could not be looked at, unless it just is not there.
func (l *loader) missing(path string, err error) bool {
	if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
		l.notef("%s could not be read: %v", path, bare(err))
	}
	return false
}

func (l *loader) outside(path, by string) {
	if by == "" {
		l.notef("%s is left out: it is a link to a file outside the project", path)
		return
	}
	l.notef("%s is left out: %s imports it from outside the project", path, by)
}

// locate is the file that an import means, or "": a word that names no file is
// no import, as @ stands before many things. The end of a sentence is not part
// of the name.
func (l *loader) locate(from, word string) string {
	for ; word != ""; word = word[:len(word)-1] {
		p := word
		switch {
		case strings.HasPrefix(p, "~/") && l.home != "":
			p = filepath.Join(l.home, p[2:])
		case !filepath.IsAbs(p):
			p = filepath.Join(filepath.Dir(from), p)
		}
		if fi, err := os.Stat(p); err == nil && fi.Mode().IsRegular() {
			return p
		}
		if !strings.ContainsAny(word[len(word)-1:], ".,;:!?)]}>\"'*_") {
			return ""
		}
	}
	return ""
}

func (l *loader) has(fi os.FileInfo) bool {
	return slices.ContainsFunc(l.seen, func(s os.FileInfo) bool { return os.SameFile(s, fi) })
}

// resolve is path with links resolved, or path where that fails.
func resolve(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// within reports whether path is dir or lies in it.
func within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// bare is an error without the path, which the sentence around it names.
func bare(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}
