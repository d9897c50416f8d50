package search

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/daruma-dev/daruma/internal/visible"
	"github.com/daruma-dev/daruma/internal/walk"
	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/tool"
)

//go:embed glob.md
var globText string

type globInput struct {
	Pattern        string `json:"pattern" jsonschema:"What the paths must match, such as **/*.go, src/**/*.{ts,tsx} or go.mod."`
	Path           string `json:"path,omitempty" jsonschema:"Directory to search; the working directory when left out."`
	Limit          int    `json:"limit,omitempty" jsonschema:"How many files to list; 200 when left out."`
	IncludeIgnored bool   `json:"include_ignored,omitempty" jsonschema:"List files too that .gitignore and the like leave out."`
}

// Glob is the tool that finds files by their names.
func Glob(ws *tool.Workspace) tool.Tool {
	t := tool.New("glob", globText, func(ctx context.Context, _ tool.Call, in globInput) (tool.Result, error) {
		return globFiles(ctx, ws, in)
	})
	t.ReadOnlyFunc = func(globInput) bool { return true }
	t.AccessFunc = func(in globInput) (tool.Access, error) {
		p, _, err := in.place(ws)
		return tool.Access{Action: tool.Read, Paths: []string{p.root}}, err
	}
	return t
}

// maxIgnored is how many entries of ignored directories are looked at to tell
// how many files were left out. Some have hundreds of thousands.
const maxIgnored = 20_000

// globbing is one call of glob.
type globbing struct {
	in    globInput
	place place
	glob  glob
	*collector
	errors troubles

	mu      sync.Mutex
	ignored []string // directories
	left    int      // files that match and are ignored
	more    bool     // and there may be more
}

func globFiles(ctx context.Context, ws *tool.Workspace, in globInput) (tool.Result, error) {
	if in.Pattern == "" {
		return tool.Result{}, tool.Refuse(message.StatusMalformed, "pattern is empty. Give one such as **/*.go.")
	}
	in.Limit = min(cmp.Or(max(in.Limit, 0), defaultLimit), maxLimit)
	g := &globbing{in: in, collector: &collector{limit: in.Limit, weight: func(found) int { return 1 }}}
	var rest string
	var err error
	if g.place, rest, err = in.place(ws); err != nil {
		return tool.Result{}, err
	}
	if g.glob, err = newGlob(rest); err != nil {
		return tool.Result{}, err
	}
	// A pattern that has come to its last name starts where it has to match.
	g.glob.name = g.glob.name && !strings.ContainsAny(in.Pattern, `/\`)
	if g.place.file {
		return tool.Result{}, tool.Errorf("%s is a file. Give the directory it is in as path, or leave path out.", g.place.name)
	}
	if err := g.list(ctx, ws.Root()); err != nil {
		return tool.Result{}, err
	}
	return g.result(), nil
}

// place splits a pattern into the directory where it starts and what paths below
// that must match.
func (in globInput) place(ws *tool.Workspace) (p place, rest string, err error) {
	base, rest := doublestar.SplitPattern(filepath.ToSlash(in.Pattern))
	dir := base
	if !filepath.IsAbs(base) && base != "~" && !strings.HasPrefix(base, "~/") {
		dir = filepath.Join(cmp.Or(in.Path, "."), base)
	}
	// Brackets may be meant as they are: some frameworks have such names.
	for {
		name, after, more := strings.Cut(rest, "/")
		if !strings.Contains(name, "[") || strings.ContainsAny(name, `*?{\`) || !more {
			break
		}
		if info, err := os.Stat(ws.Abs(filepath.Join(dir, name))); err != nil || !info.IsDir() {
			break
		}
		dir, rest = filepath.Join(dir, name), after
	}
	// A directory stands for the files in it.
	if info, err := os.Stat(ws.Abs(filepath.Join(dir, rest))); err == nil && info.IsDir() {
		dir, rest = filepath.Join(dir, rest), "**"
	}
	p, err = findPlace(ws, dir)
	return p, rest, err
}

// list finds the files.
func (g *globbing) list(ctx context.Context, top string) error {
	exact := g.addExact()
	if exact && !g.glob.name {
		return nil
	}
	errs, err := walk.Walk(ctx, g.place.root, walk.Options{All: g.in.IncludeIgnored, Top: top}, func() func(walk.Entry) {
		return func(e walk.Entry) { g.visit(e, exact) }
	})
	if err != nil {
		return g.place.problem(err)
	}
	g.errors.include(errs)
	return g.countIgnored(ctx)
}

// addExact adds the file that the pattern names when it is taken as it is,
// ignored or not, and tells whether there is one.
func (g *globbing) addExact() bool {
	info, err := os.Lstat(filepath.Join(g.place.root, filepath.FromSlash(g.glob.pattern)))
	if err != nil || info.IsDir() {
		return false
	}
	g.add(found{path: g.glob.pattern, changed: info.ModTime().UnixNano(), count: 1})
	return true
}

func (g *globbing) visit(e walk.Entry, exact bool) {
	switch {
	case e.Ignored && e.Type.IsDir():
		g.mu.Lock()
		defer g.mu.Unlock()
		g.ignored = append(g.ignored, e.Path)
	case e.Type.IsDir(), !g.glob.match(e.Path), exact && e.Path == g.glob.pattern:
	case e.Ignored:
		g.mu.Lock()
		defer g.mu.Unlock()
		g.left++
	default:
		g.take(e)
	}
}

// take adds a file, or a link to anything but a directory.
func (g *globbing) take(e walk.Entry) {
	path := filepath.Join(g.place.root, filepath.FromSlash(e.Path))
	info, err := os.Lstat(path)
	if err != nil {
		return // it went away
	}
	if e.Type&fs.ModeSymlink != 0 {
		if to, err := os.Stat(path); err == nil && to.IsDir() {
			return
		}
	}
	g.add(found{path: e.Path, changed: info.ModTime().UnixNano(), count: 1})
}

// countIgnored counts the files in ignored directories that match.
func (g *globbing) countIgnored(ctx context.Context) error {
	var seen, matches atomic.Int64
	enough, stop := context.WithCancel(ctx)
	defer stop()
	for _, dir := range g.ignored {
		_, err := walk.Walk(enough, filepath.Join(g.place.root, filepath.FromSlash(dir)), walk.Options{All: true}, func() func(walk.Entry) {
			return func(e walk.Entry) {
				if seen.Add(1) > maxIgnored {
					stop()
					return
				}
				if !e.Type.IsDir() && g.glob.match(dir+"/"+e.Path) {
					matches.Add(1)
				}
			}
		})
		if enough.Err() != nil {
			g.more = true
			break
		}
		if err != nil && !errors.Is(err, fs.ErrPermission) && !errors.Is(err, fs.ErrNotExist) {
			return g.place.problem(err)
		}
	}
	g.left += int(matches.Load())
	return ctx.Err()
}

func (g *globbing) result() tool.Result {
	var b strings.Builder
	n := 0
	for _, f := range g.sorted() {
		name := g.place.short(f.path)
		if n == g.in.Limit || b.Len()+len(name) > maxText {
			break
		}
		b.WriteString(name + "\n")
		n++
	}
	var cut string
	switch {
	case g.files == 0:
		fmt.Fprintf(&b, "No file below %s matches %q.", g.place.name, g.in.Pattern)
	case n < g.files:
		cut = fmt.Sprintf("These are %d of %s, those changed last first. For the others, make the pattern narrower or raise limit.", n, number(g.files, "file"))
	}
	writeNotes(&b, []string{cut, g.leftOut(), g.errors.note(g.place)})
	return tool.Result{Text: b.String(), Title: visible.Line(fmt.Sprintf("glob %s (%s)", clip(g.in.Pattern), number(g.files, "file")))}
}

// leftOut tells of the files that match and are ignored.
func (g *globbing) leftOut() string {
	if g.left == 0 && !g.more {
		return ""
	}
	count := number(g.left, "matching file")
	if g.more {
		count = "at least " + count
	}
	return fmt.Sprintf("Left out, because .gitignore or the like ignores them: %s. To list them, set include_ignored.", count)
}
