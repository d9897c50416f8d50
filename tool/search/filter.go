package search

import (
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/daruma-dev/daruma/tool"
)

// filter says which files take part, by their paths. The zero value lets all
// pass.
type filter struct {
	globs []glob // of which one must match
	kinds []glob // of which one must match too
	not   []glob // of which none may
}

// glob is a pattern for paths with slashes, relative to where the search starts.
type glob struct {
	pattern string
	name    bool   // for the last name, at any depth
	suffix  string // the pattern is a star and this
}

// newGlob makes a glob. A pattern without a slash is for names.
func newGlob(pattern string) (glob, error) {
	if !doublestar.ValidatePattern(pattern) {
		return glob{}, tool.Errorf("the glob %q is not valid. Close each [ and {, and put a backslash before one that stands for itself.", pattern)
	}
	g := glob{pattern: strings.TrimPrefix(pattern, "./")}
	g.name = !strings.Contains(g.pattern, "/")
	if rest, ok := strings.CutPrefix(g.pattern, "*"); ok && g.name && !strings.ContainsAny(rest, `*?[{\`) {
		g.suffix = rest
	}
	return g, nil
}

func (g *glob) match(p string) bool {
	switch {
	case g.name && g.suffix != "":
		return strings.HasSuffix(p, g.suffix)
	case g.name:
		p = path.Base(p)
	}
	return doublestar.MatchUnvalidated(g.pattern, p)
}

func newFilter(pattern, kind string) (filter, error) {
	var f filter
	if pattern != "" {
		bare, negated := strings.CutPrefix(pattern, "!")
		g, err := newGlob(bare)
		if err != nil {
			return f, err
		}
		if negated {
			f.not = append(f.not, g)
		} else {
			f.globs = append(f.globs, g)
		}
	}
	if kind == "" {
		return f, nil
	}
	for _, p := range patternsOf(kind) {
		g, err := newGlob(p)
		if err != nil {
			return f, err
		}
		f.kinds = append(f.kinds, g)
	}
	return f, nil
}

func (f *filter) match(path string) bool {
	return !matchAny(f.not, path) &&
		(len(f.globs) == 0 || matchAny(f.globs, path)) &&
		(len(f.kinds) == 0 || matchAny(f.kinds, path))
}

func matchAny(globs []glob, path string) bool {
	for i := range globs {
		if globs[i].match(path) {
			return true
		}
	}
	return false
}

// patternsOf lists the globs of a type of files: a language by its name, or else
// the ending of the files' names.
func patternsOf(kind string) []string {
	kind = strings.TrimPrefix(strings.ToLower(kind), ".")
	endings, ok := types[kind]
	if !ok {
		return []string{"*." + kind}
	}
	var globs []string
	for e := range strings.FieldsSeq(endings) {
		if strings.HasPrefix(e, ".") {
			e = "*" + e
		}
		globs = append(globs, e)
	}
	return globs
}

// types are the names of languages whose files have other endings, or more than
// one. What starts with a dot is an ending, the rest are names.
var types = map[string]string{
	"c":          ".c .h",
	"cpp":        ".cpp .cc .cxx .c++ .hpp .hh .hxx .h .inl",
	"csharp":     ".cs",
	"docker":     "Dockerfile Dockerfile.* .dockerfile",
	"elixir":     ".ex .exs",
	"erlang":     ".erl .hrl",
	"haskell":    ".hs .lhs",
	"html":       ".html .htm .xhtml",
	"javascript": ".js .mjs .cjs .jsx",
	"js":         ".js .mjs .cjs .jsx",
	"json":       ".json .jsonc .json5 .jsonl",
	"kotlin":     ".kt .kts",
	"make":       "Makefile makefile GNUmakefile .mk",
	"markdown":   ".md .markdown .mdx",
	"md":         ".md .markdown .mdx",
	"ocaml":      ".ml .mli",
	"perl":       ".pl .pm .t",
	"proto":      ".proto",
	"py":         ".py .pyi",
	"python":     ".py .pyi",
	"ruby":       ".rb .gemspec Rakefile Gemfile",
	"rust":       ".rs",
	"scala":      ".scala .sc",
	"sh":         ".sh .bash .zsh .ksh",
	"shell":      ".sh .bash .zsh .ksh",
	"terraform":  ".tf .tfvars",
	"ts":         ".ts .tsx .mts .cts",
	"typescript": ".ts .tsx .mts .cts",
	"yaml":       ".yaml .yml",
}
