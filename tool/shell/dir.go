package shell

import (
	"os"
	"path/filepath"
	"strings"
)

// dirFile is where the shell leaves the directory that it ended in. It is a
// file, and no pipe, because children would inherit that, and hold it open or
// use its number for something else.
type dirFile string

func newDirFile() (dirFile, error) {
	f, err := os.CreateTemp("", "daruma-dir-")
	if err != nil {
		return "", err
	}
	return dirFile(f.Name()), f.Close()
}

// quoted is the file's name for the shell, and quotedTwice the same inside
// single quotes.
func (d dirFile) quoted() string { return "'" + escapeQuotes(string(d)) + "'" }

func (d dirFile) quotedTwice() string { return escapeQuotes(d.quoted()) }

func escapeQuotes(s string) string { return strings.ReplaceAll(s, "'", `'\''`) }

// read is the directory, or empty when the shell left none or it is not there.
func (d dirFile) read() string {
	b, err := os.ReadFile(string(d))
	if err != nil {
		return ""
	}
	dir := strings.TrimSuffix(string(b), "\n")
	if st, err := os.Stat(dir); err != nil || !st.IsDir() || !filepath.IsAbs(dir) {
		return ""
	}
	return dir
}

func (d dirFile) remove() { _ = os.Remove(string(d)) }
