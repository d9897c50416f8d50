package file

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"

	"github.com/daruma-dev/daruma/internal/atomicfile"
	"github.com/daruma-dev/daruma/internal/regular"
	"github.com/daruma-dev/daruma/internal/similar"
	"github.com/daruma-dev/daruma/internal/visible"
	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/tool"
)

// target is the file that a call names.
type target struct {
	ws   *tool.Workspace
	name string // as the model gave it
	path string // absolute, links resolved
}

func find(ws *tool.Workspace, path string) (target, error) {
	if path == "" {
		return target{}, tool.Refuse(message.StatusMalformed, "path is empty. Give the path of a file.")
	}
	t := target{ws: ws, name: visible.Name(path)}
	var err error
	if t.path, err = ws.Resolve(path); err != nil {
		t.path = ws.Abs(path)
		return target{}, t.problem("used", err)
	}
	return t, nil
}

// access is what a call that does action to the file at path would touch.
func access(ws *tool.Workspace, action tool.Action, path string) (tool.Access, error) {
	t, err := find(ws, path)
	return tool.Access{Action: action, Paths: []string{t.path}, Named: []string{ws.Abs(path)}}, err
}

// title is the line about the file for people.
func (t target) title(verb, note string) string {
	return visible.Line(fmt.Sprintf("%s %s (%s)", verb, t.ws.Rel(t.path), note))
}

// problem tells the model why the file cannot be read, written and so on, and
// what to try.
func (t target) problem(done string, err error) error {
	var wrong *regular.TypeError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return tool.Errorf("%s does not exist. %s", t.name, t.suggestion())
	case errors.Is(err, syscall.ENOTDIR):
		return tool.Errorf("%s does not exist: a part of the path is a file, not a directory. %s", t.name, t.suggestion())
	case errors.As(err, &wrong) && wrong.Mode.IsDir():
		return tool.Errorf("%s is a directory. Give the path of a file in it; `read` lists it.", t.name)
	case errors.As(err, &wrong):
		return tool.Errorf("%s is %s, so it cannot be %s: these tools work on regular files only. "+
			"If it is really needed, use a shell command with a time limit.", t.name, regular.Kind(wrong.Mode), done)
	case errors.Is(err, atomicfile.ErrReadOnly):
		return tool.Errorf("%s is read-only, so it was not changed. If the user wants it changed all the same, "+
			"make it writable first (chmod u+w) or ask.", t.name)
	case errors.Is(err, fs.ErrPermission):
		return tool.Errorf("%s cannot be %s: permission denied. Do without it, or ask the user to change its permissions.", t.name, done)
	default:
		return tool.Errorf("%s cannot be %s: %v.", t.name, done, err)
	}
}

// suggestion is what a path that does not exist may have meant.
func (t target) suggestion() string {
	dir, names := similar.Paths(t.path)
	for i, n := range names {
		names[i] = visible.Name(t.ws.Short(n))
	}
	switch {
	case len(names) > 0:
		return "Did you mean " + strings.Join(names, " or ") + "?"
	default:
		return fmt.Sprintf("Nothing in %s has a name like it: `read` that directory, or find the file with `glob`.",
			visible.Name(t.ws.Short(dir)))
	}
}
