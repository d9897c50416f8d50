package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// maxSize is the most a settings file may hold, in bytes. It bounds the depth
// of nesting as well, and no honest file comes near it.
const maxSize = 64 << 10

// Dir is the directory of the user's own files: $XDG_CONFIG_HOME/daruma, or
// ~/.config/daruma where the variable is unset or relative, which the XDG
// specification wants ignored. It is empty when there is no home either.
func Dir(getenv func(string) string) string {
	base := getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(base) {
		home := getenv("HOME")
		if home == "" {
			home = getenv("USERPROFILE")
		}
		if home == "" {
			return ""
		}
		base = filepath.Join(home, ".config")
	}
	return filepath.Join(base, "daruma")
}

// UserFile is the user's settings file, whether it exists or not; empty when
// there is no place for one.
func UserFile(getenv func(string) string) string {
	dir := Dir(getenv)
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, "settings.json")
}

// Load reads the file user, if it exists, and over it extra, which must: a
// path, or the settings themselves when it starts with a brace. Either may be
// empty. Single values are replaced by the later source, lists of rules and
// directories grow, models are merged.
//
// Warnings are for the user, one sentence each; they name keys that mean
// nothing. The error is an *[Error].
func Load(user, extra string) (s Settings, warnings []string, err error) {
	d := decoder{settings: &s}
	if user != "" {
		if err := d.file(user, false); err != nil {
			return Settings{}, nil, err
		}
	}
	switch {
	case strings.HasPrefix(strings.TrimSpace(extra), "{"):
		err = d.decode("--settings", []byte(extra))
	case extra != "":
		err = d.file(extra, true)
	}
	if err != nil {
		return Settings{}, nil, err
	}
	return s, d.warnings, nil
}

// file decodes one file. One that must exist may be a pipe as well, as a shell
// makes it of <(command).
func (d *decoder) file(name string, must bool) error {
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !must:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return &Error{Text: fmt.Sprintf("the settings file %s does not exist", name), Hint: "check the path given with --settings", Err: err}
	case err != nil:
		return unreadable(name, err)
	case info.IsDir() || !must && !info.Mode().IsRegular():
		return &Error{Text: fmt.Sprintf("the settings file %s is not a file", name), Hint: "put JSON with settings there, or move it away"}
	}
	text, err := readFile(name)
	switch {
	case err != nil:
		return unreadable(name, err)
	case len(text) > maxSize:
		return &Error{
			Text: fmt.Sprintf("the settings file %s is larger than %d KiB", name, maxSize>>10),
			Hint: "check that it is the file you meant",
		}
	}
	return d.decode(name, bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")))
}

// readFile reads a file, but no more than shows that it is too large.
func readFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxSize+1))
}

func unreadable(name string, err error) error {
	cause := err
	var pe *fs.PathError
	if errors.As(err, &pe) {
		cause = pe.Err
	}
	return &Error{
		Text: fmt.Sprintf("the settings file %s cannot be read: %v", name, cause),
		Hint: "make it readable for yourself, or move it away", Err: err,
	}
}
