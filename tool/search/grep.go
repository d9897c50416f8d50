package search

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"io/fs"
	"path/filepath"
	"sync/atomic"

	"github.com/daruma-dev/daruma/internal/walk"
	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/tool"
)

const (
	// defaultLimit is how many lines or files are shown when the call does not
	// say, and maxLimit how many at most.
	defaultLimit = 200
	maxLimit     = 5000
	// maxContext is how many lines are shown around a match at most.
	maxContext = 50
)

//go:embed grep.md
var grepText string

type grepInput struct {
	Pattern        string `json:"pattern" jsonschema:"Regular expression (RE2) to look for in each line."`
	Path           string `json:"path,omitempty" jsonschema:"Directory or file to search; the working directory when left out."`
	Glob           string `json:"glob,omitempty" jsonschema:"Search only files that this glob matches, such as *.go or src/**/*.ts; with ! before it, only the others."`
	Type           string `json:"type,omitempty" jsonschema:"Search only files of this language or ending, such as go, py, ts or proto."`
	IgnoreCase     bool   `json:"ignore_case,omitempty" jsonschema:"Take upper and lower case as the same."`
	Context        int    `json:"context,omitempty" jsonschema:"How many lines to show before and after each match."`
	Mode           string `json:"mode,omitempty" jsonschema:"content: the matching lines (the default); files: the names of the files; count: the number of lines in each file."`
	Multiline      bool   `json:"multiline,omitempty" jsonschema:"Let matches reach over several lines; . matches line ends then."`
	Limit          int    `json:"limit,omitempty" jsonschema:"How many lines, or files, to show; 200 when left out."`
	IncludeIgnored bool   `json:"include_ignored,omitempty" jsonschema:"Search files too that .gitignore and the like leave out."`
}

// The modes.
const (
	modeContent = "content"
	modeFiles   = "files"
	modeCount   = "count"
)

// Grep is the tool that finds text in files.
func Grep(ws *tool.Workspace) tool.Tool {
	t := tool.New("grep", grepText, func(ctx context.Context, _ tool.Call, in grepInput) (tool.Result, error) {
		return grep(ctx, ws, in)
	})
	t.ReadOnlyFunc = func(grepInput) bool { return true }
	t.AccessFunc = func(in grepInput) (tool.Access, error) {
		p, err := findPlace(ws, in.Path)
		return tool.Access{Action: tool.Read, Paths: []string{p.root}}, err
	}
	return t
}

// grepping is one call of grep.
type grepping struct {
	in      grepInput
	place   place
	pattern *pattern
	filter  filter
	*collector

	searched atomic.Int64 // files
	binary   atomic.Int64 // files that were not searched for it
	large    atomic.Int64
	hidden   atomic.Int64 // files that a rule keeps from being read
	ignored  atomic.Int64 // files and directories that were left out
	errors   troubles
}

func grep(ctx context.Context, ws *tool.Workspace, in grepInput) (tool.Result, error) {
	g := &grepping{in: in}
	if err := g.prepare(ws); err != nil {
		return tool.Result{}, err
	}
	var err error
	if g.place.file {
		err = g.one(ctx)
	} else {
		err = g.tree(ctx, ws.Root())
	}
	if err != nil {
		return tool.Result{}, err
	}
	return g.result(), nil
}

func (g *grepping) prepare(ws *tool.Workspace) error {
	in := &g.in
	if in.Pattern == "" {
		return tool.Refuse(message.StatusMalformed, "pattern is empty. Give the text or the regular expression to look for; to list files use glob.")
	}
	in.Mode = cmp.Or(in.Mode, modeContent)
	if in.Mode != modeContent && in.Mode != modeFiles && in.Mode != modeCount {
		return tool.Refuse(message.StatusMalformed, "mode is %q. It may be content, files or count.", in.Mode)
	}
	in.Limit = min(cmp.Or(max(in.Limit, 0), defaultLimit), maxLimit)
	in.Context = min(max(in.Context, 0), maxContext)
	var err error
	if g.place, err = findPlace(ws, in.Path); err != nil {
		return err
	}
	if g.pattern, err = compile(in.Pattern, in.IgnoreCase, in.Multiline); err != nil {
		return err
	}
	if g.filter, err = newFilter(in.Glob, in.Type); err != nil {
		return err
	}
	g.collector = &collector{limit: in.Limit, weight: func(found) int { return 1 }}
	if in.Mode == modeContent {
		g.weight = func(f found) int { return min(f.count, in.Limit) }
	}
	return g.place.check()
}

// scanner makes a scanner for one goroutine.
func (g *grepping) scanner() *scanner {
	s := &scanner{find: newFinder(g.pattern), context: g.in.Context, only: g.in.Mode == modeFiles}
	if g.in.Mode == modeContent {
		s.limit = g.in.Limit
	}
	return s
}

// one searches the file that was named, whatever the filter and the ignore rules
// say of it.
func (g *grepping) one(ctx context.Context) error {
	f, err := g.scanner().file(ctx, g.place.root)
	switch {
	case errors.Is(err, errBinary):
		return tool.Errorf("%s is not text, so it was not searched. Use a shell command such as strings.", g.place.name)
	case errors.Is(err, errLarge):
		return tool.Errorf("%s is larger than %d MB, which is too much for multiline. Search it without.", g.place.name, maxWhole>>20)
	case err != nil:
		return g.place.problem(err)
	}
	g.searched.Add(1)
	if f.count > 0 {
		g.add(f)
	}
	return nil
}

// tree searches a directory.
func (g *grepping) tree(ctx context.Context, top string) error {
	errs, err := walk.Walk(ctx, g.place.root, walk.Options{All: g.in.IncludeIgnored, Top: top}, func() func(walk.Entry) {
		s := g.scanner()
		return func(e walk.Entry) { g.visit(ctx, s, e) }
	})
	if err != nil {
		return g.place.problem(err)
	}
	g.errors.include(errs)
	return nil
}

func (g *grepping) visit(ctx context.Context, s *scanner, e walk.Entry) {
	switch {
	case e.Ignored:
		g.ignored.Add(1)
		return
	case !e.Type.IsRegular(), !g.filter.match(e.Path):
		return
	}
	path := filepath.Join(g.place.root, filepath.FromSlash(e.Path))
	if g.place.ws.Hides(path) {
		g.hidden.Add(1)
		return
	}
	f, err := s.file(ctx, path)
	switch {
	case errors.Is(err, errBinary):
		g.binary.Add(1)
	case errors.Is(err, errLarge):
		g.large.Add(1)
	case errors.Is(err, fs.ErrNotExist), ctx.Err() != nil: // it went away, or nobody waits any more
	case err != nil:
		g.errors.add(&fs.PathError{Op: "open", Path: filepath.Join(g.place.root, e.Path), Err: err})
	default:
		g.searched.Add(1)
		if f.count > 0 {
			f.path = e.Path
			g.add(f)
		}
	}
}
