// Package similar finds what a mistyped path may have meant.
package similar

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// The bounds on what is looked at and told.
const (
	maxEntries = 5000 // names of one directory
	maxNames   = 5    // names told
)

// Paths looks for a path that does not exist. dir is the deepest directory on
// the way that does, and names are paths like the one asked for, best first:
// those with an entry of dir in the place of the first name that is missing.
// There may be none.
func Paths(path string) (dir string, names []string) {
	dir, missing := filepath.Dir(path), filepath.Base(path)
	rest := ""
	for {
		info, err := os.Stat(dir)
		if err == nil && info.IsDir() {
			break
		}
		if parent := filepath.Dir(dir); parent == dir {
			return dir, nil
		}
		rest = filepath.Join(missing, rest)
		dir, missing = filepath.Dir(dir), filepath.Base(dir)
	}
	for _, name := range Names(missing, entries(dir)) {
		full := filepath.Join(dir, name)
		if _, err := os.Lstat(filepath.Join(full, rest)); err == nil {
			full = filepath.Join(full, rest)
		}
		names = append(names, full)
	}
	return dir, names
}

func entries(dir string) []string {
	f, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer f.Close()
	names, _ := f.Readdirnames(maxEntries) // as many as could be read
	return names
}

// Names lists those of have that are like want, best first and at most five.
func Names(want string, have []string) []string {
	type candidate struct {
		name  string
		score int // the lower the better
	}
	var found []candidate
	for _, name := range have {
		if s, ok := distance(want, name); ok {
			found = append(found, candidate{name, s})
		}
	}
	slices.SortFunc(found, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.score, b.score), strings.Compare(a.name, b.name))
	})
	var names []string
	for _, c := range found[:min(len(found), maxNames)] {
		names = append(names, c.name)
	}
	return names
}

// distance tells how far two names are apart; ok is false when they have little
// to do with each other.
func distance(a, b string) (d int, ok bool) {
	a, b = strings.ToLower(a), strings.ToLower(b)
	stemA, stemB := stem(a), stem(b)
	switch {
	case a == b:
		return 0, true
	case stemA == stemB:
		return 1, true
	}
	near := max(1, len(a)/3)
	d = max(len(a)-len(b), len(b)-len(a)) // at least
	if d <= near {
		if d = edits(a, b); d <= near {
			return 1 + d, true
		}
	}
	if min(len(stemA), len(stemB)) >= 3 && (strings.Contains(b, stemA) || strings.Contains(a, stemB)) {
		return 100 + d, true // after all that differ by typing only
	}
	return 0, false
}

// stem is a name without its extension, a leading dot kept.
func stem(name string) string {
	if i := strings.LastIndexByte(name, '.'); i > 0 {
		return name[:i]
	}
	return name
}

// edits is the number of bytes to insert, delete or change to make b of a
// (Levenshtein). Two neighbours that changed places count as one, the most
// common slip.
func edits(a, b string) int {
	before, prev, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := range len(a) {
		row[0] = i + 1
		for j := range len(b) {
			change := prev[j]
			if a[i] != b[j] {
				change++
			}
			row[j+1] = min(change, prev[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, prev, row = prev, row, before
	}
	return prev[len(b)]
}
