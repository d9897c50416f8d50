package session

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// StateDir is where daruma keeps its state: $DARUMA_STATE_DIR, else
// $XDG_STATE_HOME/daruma, else ~/.local/state/daruma. It is absolute. A
// relative $XDG_STATE_HOME is ignored, as the XDG base directory specification
// asks.
func StateDir(getenv func(string) string) (string, error) {
	if dir := getenv("DARUMA_STATE_DIR"); dir != "" {
		return filepath.Abs(dir)
	}
	if dir := getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "daruma"), nil
	}
	home := getenv("HOME")
	if home == "" {
		var err error
		if home, err = os.UserHomeDir(); err != nil {
			return "", &Error{Text: "there is no home directory to keep sessions in", hint: "set HOME or DARUMA_STATE_DIR", Err: err}
		}
	}
	return filepath.Join(home, ".local", "state", "daruma"), nil
}

// sessionsDir is the folder of all projects.
func sessionsDir(state string) string { return filepath.Join(state, "sessions") }

// projectDir is the folder of the sessions of one working directory: its name,
// for people, and a hash of its path, for there are many directories of one
// name.
func projectDir(state, dir string) string {
	dir = resolved(dir)
	sum := sha256.Sum256([]byte(dir))
	return filepath.Join(sessionsDir(state), fmt.Sprintf("%s-%.4x", slug(dir), sum))
}

// resolved is a directory by its one true path: a shell that went there through
// a link says another. What cannot be resolved, because it is gone, stands as
// it is.
func resolved(dir string) string {
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	return dir
}

// slug is the last name of a path with nothing in it that a file name or a
// shell could mind.
func slug(dir string) string {
	name := strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9':
			return r
		case 'A' <= r && r <= 'Z':
			return r + 'a' - 'A'
		default:
			return '-'
		}
	}, filepath.Base(dir))
	name = strings.Trim(name[:min(len(name), 40)], "-")
	switch {
	case name != "":
		return name
	case dir == filepath.Dir(dir):
		return "root"
	default:
		return "project"
	}
}

const suffix = ".jsonl"

// folder is where a journal's paged-out texts lie.
func folder(path string) string { return strings.TrimSuffix(path, suffix) }

func idOf(path string) string { return strings.TrimSuffix(filepath.Base(path), suffix) }
