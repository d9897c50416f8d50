package search

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"github.com/daruma-dev/daruma/internal/regular"
	"github.com/daruma-dev/daruma/internal/similar"
	"github.com/daruma-dev/daruma/internal/visible"
	"github.com/daruma-dev/daruma/internal/walk"
	"github.com/daruma-dev/daruma/tool"
)

// place is where a search starts.
type place struct {
	ws   *tool.Workspace
	name string // as the model knows it
	root string // absolute, links resolved
	file bool   // root is a file, not a directory
}

// findPlace resolves a path, which is the working directory when empty.
func findPlace(ws *tool.Workspace, path string) (place, error) {
	if path == "" {
		path = "."
	}
	p := place{ws: ws, name: visible.Name(path)}
	var err error
	if p.root, err = ws.Resolve(path); err != nil {
		p.root = ws.Abs(path)
		return place{}, p.problem(err)
	}
	info, err := os.Stat(p.root)
	p.file = err == nil && !info.IsDir()
	return p, nil
}

// check refuses places that are neither files nor directories.
func (p place) check() error {
	info, err := os.Stat(p.root)
	switch {
	case err != nil:
		return p.problem(err)
	case !info.IsDir() && !info.Mode().IsRegular():
		return tool.Errorf("%s is %s, which cannot be searched. Give a directory or a regular file.", p.name, regular.Kind(info.Mode()))
	}
	return nil
}

// short names a file found, so that it can be given to the other tools.
func (p place) short(rel string) string {
	return visible.Name(p.ws.Short(filepath.Join(p.root, filepath.FromSlash(rel))))
}

// problem tells the model why the place cannot be searched.
func (p place) problem(err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		_, names := similar.Paths(p.root)
		for i, n := range names {
			names[i] = visible.Name(p.ws.Short(n))
		}
		if len(names) == 0 {
			return tool.Errorf("%s does not exist. Leave path out to search the working directory.", p.name)
		}
		return tool.Errorf("%s does not exist. Did you mean %s?", p.name, strings.Join(names, " or "))
	case errors.Is(err, fs.ErrPermission):
		return tool.Errorf("%s cannot be read: permission denied. Search elsewhere, or ask the user to change its permissions.", p.name)
	default:
		return tool.Errorf("%s cannot be searched: %v.", p.name, err)
	}
}

// troubles gathers what could not be read, from several goroutines.
type troubles struct {
	mu    sync.Mutex
	count int
	first []error
}

const maxTroubles = 3

func (t *troubles) add(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.count++; len(t.first) < maxTroubles {
		t.first = append(t.first, err)
	}
}

func (t *troubles) include(errs walk.Errors) {
	for _, err := range errs.First {
		t.add(err)
	}
	t.count += errs.Count - len(errs.First)
}

// note tells of what could not be read, and is empty when all could.
func (t *troubles) note(p place) string {
	if t.count == 0 {
		return ""
	}
	var what []string
	for _, err := range t.first {
		var path *fs.PathError
		if errors.As(err, &path) {
			what = append(what, fmt.Sprintf("%s: %v", visible.Name(p.ws.Short(path.Path)), path.Err))
		} else {
			what = append(what, err.Error())
		}
	}
	if more := t.count - len(t.first); more > 0 {
		what = append(what, fmt.Sprintf("and %d more", more))
	}
	return "Not searched, because it could not be read: " + strings.Join(what, "; ") + "."
}

// number is a count with a noun in the right form.
func number(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
