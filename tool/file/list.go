package file

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/daruma-dev/daruma/internal/visible"
	"github.com/daruma-dev/daruma/tool"
)

// maxEntries is how many entries of a directory are shown when the call does
// not say.
const maxEntries = 1000

// list shows the entries of a directory, one a line, with a slash after the
// directories among them. Offset and limit count entries.
func list(t target, in readInput) (tool.Result, error) {
	entries, err := os.ReadDir(t.path)
	if err != nil && len(entries) == 0 {
		return tool.Result{}, t.problem("read", err)
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	from := max(in.Offset, 1)
	limit := cmp.Or(max(in.Limit, 0), maxEntries)
	var b strings.Builder
	last := from - 1
	for ; last < min(len(entries), from-1+limit) && b.Len() < maxBytes; last++ {
		b.WriteString(entryName(t.path, entries[last]))
		b.WriteByte('\n')
	}
	note := fmt.Sprintf("%s is a directory with %d entries.", t.name, len(entries))
	switch {
	case len(entries) == 0:
		note = t.name + " is an empty directory."
	case last < len(entries):
		note += fmt.Sprintf(" These are %d-%d. To go on, read with offset %d.", from, last, last+1)
	}
	fmt.Fprintf(&b, "\n[%s]", note)
	return tool.Result{
		Text:  strings.TrimPrefix(b.String(), "\n"),
		Title: t.title("listed", fmt.Sprintf("%d entries", len(entries))),
	}, nil
}

func entryName(dir string, e fs.DirEntry) string {
	name := visible.Name(e.Name())
	switch {
	case e.IsDir():
		return name + "/"
	case e.Type()&fs.ModeSymlink != 0:
		if target, err := os.Readlink(filepath.Join(dir, e.Name())); err == nil {
			return name + " -> " + visible.Name(target)
		}
	}
	return name
}
