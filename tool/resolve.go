package tool

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// maxLinks is how many symbolic links one path may lead through. It is Linux's
// own limit (path_resolution(7)).
const maxLinks = 40

// resolve follows the symbolic links in an absolute, clean path the way opening
// the path would, but goes on where something does not exist.
func resolve(abs string) (string, error) {
	volume := filepath.VolumeName(abs)
	root := volume + string(filepath.Separator)
	done, todo := root, split(abs[len(volume):])
	for links := 0; len(todo) > 0; {
		name := todo[0]
		todo = todo[1:]
		if name == ".." { // of a link's target; done holds no links
			done = filepath.Dir(done)
			continue
		}
		next := filepath.Join(done, name)
		target, err := readlink(next)
		switch {
		case err != nil:
			return "", err
		case target == "":
			done = next
			continue
		}
		if links++; links > maxLinks {
			return "", fmt.Errorf("tool: resolve %s: more than %d symbolic links, perhaps in a circle", abs, maxLinks)
		}
		if filepath.IsAbs(target) {
			volume = filepath.VolumeName(target)
			done, target = volume+string(filepath.Separator), target[len(volume):]
		}
		todo = append(split(target), todo...)
	}
	return done, nil
}

// readlink is the target of a link, and empty for what is none or is missing.
func readlink(path string) (string, error) {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case err != nil:
		return "", err
	case info.Mode()&fs.ModeSymlink == 0:
		return "", nil
	}
	return os.Readlink(path)
}

// split lists the names in a path, without the empty ones. A "." among them is
// dropped when it is joined.
func split(path string) []string {
	return strings.FieldsFunc(path, func(r rune) bool { return os.IsPathSeparator(uint8(r)) && r < 0x80 })
}
