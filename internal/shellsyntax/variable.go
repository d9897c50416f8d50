package shellsyntax

import (
	"slices"
	"strings"
)

// safeVariables change how programs talk, not what they do.
var safeVariables = []string{
	"CI", "CGO_ENABLED", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS", "COLORTERM", "DEBUG", "FORCE_COLOR", "GOARCH", "GOOS",
	"LANG", "LANGUAGE", "LINES", "NODE_ENV", "NO_COLOR", "PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED",
	"RUST_BACKTRACE", "RUST_LOG", "TERM", "TZ",
}

// SafeVariable reports whether a variable may be set without changing what
// programs do: one of a few well-known ones, or one with a lower-case letter
// in its name. Variables that programs obey, such as PATH, IFS, LD_PRELOAD and
// GIT_EXTERNAL_DIFF, are in capitals; the lower-case ones (http_proxy) only
// choose a way to the network.
func SafeVariable(name string) bool {
	return strings.HasPrefix(name, "LC_") || slices.Contains(safeVariables, name) || name != strings.ToUpper(name) || name == "_"
}

// unsafeAssign names the first variable that the command sets and that is not
// safe. "IFS= read" is how lines are read; it changes nothing else.
func (c Command) unsafeAssign() string {
	for _, a := range c.Assigns {
		if !SafeVariable(a.Name) && (a.Name != "IFS" || c.Name() != "read") {
			return a.Name
		}
	}
	return ""
}
