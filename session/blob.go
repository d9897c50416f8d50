package session

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/daruma-dev/daruma/tool"
)

// blob is a file in the session's folder.
type blob struct{ *os.File }

// Path implements [tool.Blob].
func (b blob) Path() string { return b.Name() }

// Blob opens a new file in the session's folder; it fits loop.Deps.Blob. What a
// file name should not hold becomes an underscore, and a name that is taken gets
// a number.
func (j *Journal) Blob(name string) (tool.Blob, error) {
	dir := folder(j.path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, writeError(dir, err)
	}
	base := fileName(name)
	ext := filepath.Ext(base)
	for n := 1; ; n++ {
		path := filepath.Join(dir, base)
		if n > 1 {
			path = filepath.Join(dir, fmt.Sprintf("%s-%d%s", strings.TrimSuffix(base, ext), n, ext))
		}
		f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		switch {
		case err == nil:
			return blob{f}, nil
		case !errors.Is(err, fs.ErrExist):
			return nil, writeError(path, err)
		}
	}
}

// fileName is a name that is good on every system: a tool may make it of what a
// model sent.
func fileName(name string) string {
	name = strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '-', r == '_', r == '.':
			return r
		default:
			return '_'
		}
	}, name)
	name = strings.TrimLeft(name, ".")
	if len(name) > 100 {
		name = name[len(name)-100:] // the end has the extension
	}
	if name == "" {
		return "blob"
	}
	return name
}
