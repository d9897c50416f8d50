package session

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/daruma-dev/daruma/tool"
)

// blob is a file in the session's folder.
type blob struct{ *os.File }

// Path implements [tool.Blob].
func (b blob) Path() string { return b.Name() }

// Blob opens a new file in the session's folder; it fits loop.Deps.Blob. A name
// that is taken gets a number.
func (j *Journal) Blob(name string) (tool.Blob, error) {
	dir := folder(j.path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, writeError(err)
	}
	base := filepath.Base(name)
	name = base
	for {
		f, err := os.OpenFile(filepath.Join(dir, name), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err == nil {
			return blob{f}, nil
		}
		if !os.IsExist(err) {
			return nil, writeError(err)
		}
		j.mu.Lock()
		j.blobs++
		name = fmt.Sprintf("%d-%s", j.blobs, base)
		j.mu.Unlock()
	}
}
