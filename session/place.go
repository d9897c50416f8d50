package session

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// StateDir is where daruma keeps its state. A relative path in a variable is
// ignored, as the XDG base directory specification asks.
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

// projectDir is the folder of the sessions of one working directory.
func projectDir(state, dir string) string {
	sum := sha256.Sum256([]byte(dir))
	return filepath.Join(sessionsDir(state), fmt.Sprintf("%s-%.4x", slug(filepath.Base(dir)), sum))
}

// slug is a name with nothing in it that a file name or a shell could mind.
func slug(name string) string {
	name = strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9':
			return r
		case 'A' <= r && r <= 'Z':
			return r + 'a' - 'A'
		default:
			return '-'
		}
	}, name)
	name = strings.Trim(name, "-")
	if name == "" {
		return "root"
	}
	return name[:min(len(name), 40)]
}

const suffix = ".jsonl"

// folder is where a journal's paged-out texts lie.
func folder(path string) string { return strings.TrimSuffix(path, suffix) }

func idOf(path string) string { return strings.TrimSuffix(filepath.Base(path), suffix) }
