package cli

import "os"

// isTerminal reports whether a file is a terminal.
func isTerminal(f *os.File) bool { return f != nil && terminal(f.Fd()) }

// plain reports whether the terminal should get no escape codes at all; see
// no-color.org.
func plain(getenv func(string) string) bool {
	return getenv("NO_COLOR") != "" || getenv("TERM") == "dumb" || getenv("TERM") == ""
}
