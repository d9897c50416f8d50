package permission

import (
	"path"
	"runtime"
	"slices"
	"strings"
)

// matchesPath compares an absolute path with the pattern of a rule, which is
// that of a .gitignore file:
//
//	//etc/**   from the root of the file system
//	~/notes    in the home directory
//	/docs/**   in a workspace directory
//	./docs     the same
//	docs/*.md  the same
//	*.pem      a bare name: at any depth
//
// What matches a directory matches all that is in it. A strict match, for deny
// and ask rules, also takes a bare name or "dir/**" anywhere in the file
// system, and /etc for the real one.
func (p Policy) matchesPath(pattern, file string, strict bool) bool {
	return slices.ContainsFunc(p.anchored(pattern, strict), func(abs string) bool { return matchGlob(abs, file) })
}

// anchored lists the absolute patterns that a rule's pattern stands for.
func (p Policy) anchored(pattern string, strict bool) []string {
	if rest, ok := strings.CutPrefix(pattern, "//"); ok {
		return []string{"/" + rest}
	}
	if pattern == "~" || strings.HasPrefix(pattern, "~/") {
		if p.Home == "" {
			return nil
		}
		return []string{p.Home + pattern[1:]}
	}
	rest := strings.TrimPrefix(strings.TrimPrefix(pattern, "."), "/")
	if strings.HasPrefix(pattern, ".") && !strings.HasPrefix(pattern, "./") && pattern != "." {
		rest = pattern
	}
	rest = strings.TrimSuffix(rest, "/")
	first, below, deep := strings.Cut(rest, "/")
	floats := !strings.HasPrefix(pattern, "/") && !strings.HasPrefix(pattern, "./") && !deep
	var out []string
	for _, root := range p.Roots {
		root = strings.TrimSuffix(root, "/")
		if floats {
			out = append(out, root+"/**/"+rest)
		} else {
			out = append(out, path.Clean(root+"/"+rest))
		}
	}
	if strict {
		if floats || first != ".." && below == "**" {
			out = append(out, "/**/"+rest)
		}
		if strings.HasPrefix(pattern, "/") {
			out = append(out, pattern)
		}
	}
	return out
}

// foldsCase says that the usual file systems do not tell upper from lower case.
const foldsCase = runtime.GOOS == "darwin" || runtime.GOOS == "windows"

// matchGlob reports whether a pattern matches a path or a directory it is in.
func matchGlob(pattern, file string) bool {
	if foldsCase {
		pattern, file = strings.ToLower(pattern), strings.ToLower(file)
	}
	return matchSegments(segments(pattern), segments(file))
}

func segments(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return r == '/' || r == '\\' && runtime.GOOS == "windows" })
}

func matchSegments(pattern, file []string) bool {
	for len(pattern) > 0 {
		if pattern[0] == "**" {
			for len(pattern) > 1 && pattern[1] == "**" {
				pattern = pattern[1:]
			}
			if len(pattern) == 1 {
				return true
			}
			for i := range file {
				if matchSegments(pattern[1:], file[i:]) {
					return true
				}
			}
			return false
		}
		if len(file) == 0 {
			return false
		}
		if ok, err := path.Match(pattern[0], file[0]); err != nil || !ok {
			return false
		}
		pattern, file = pattern[1:], file[1:]
	}
	return true // of a directory, and the rest of the path is in it
}

func validGlob(pattern string) bool {
	return !slices.ContainsFunc(segments(pattern), func(s string) bool {
		_, err := path.Match(s, "")
		return err != nil
	})
}

// within reports whether a path is one of the directories or lies in one.
func within(dirs []string, file string) bool {
	return slices.ContainsFunc(dirs, func(dir string) bool { return dir != "" && inside(dir, file) })
}

func inside(dir, file string) bool {
	dir = strings.TrimSuffix(dir, "/")
	return file == dir || strings.HasPrefix(file, dir+"/") || runtime.GOOS == "windows" && strings.HasPrefix(file, dir+`\`)
}

// devices tell nothing, or only what is open already.
var devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/stdin", "/dev/stdout", "/dev/stderr"}

func harmlessDevice(file string) bool {
	return slices.Contains(devices, file) || strings.HasPrefix(file, "/dev/fd/")
}

// guardedNames are files and directories that make programs run something:
// git, shells, editors and agents obey them.
var guardedNames = []string{
	".git", ".husky", ".githooks", ".gitconfig", ".gitmodules", ".vscode", ".idea", ".devcontainer", ".claude", ".daruma", ".mcp.json", ".envrc", ".direnv",
	".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".profile", ".zshrc", ".zshenv", ".zprofile", ".zlogin", ".inputrc",
	".ssh", ".npmrc", ".yarnrc", ".yarnrc.yml", ".pre-commit-config.yaml", ".ripgreprc", ".curlrc", ".wgetrc",
}

// guarded reports whether changing a file of the workspace may make other
// programs run things later, out of the user's sight. Names count inside of
// the workspace only: its own path is the user's choice.
func (p Policy) guarded(file string) bool {
	for _, root := range p.Roots {
		if inside(root, file) {
			return slices.ContainsFunc(segments(strings.TrimPrefix(file, root)), func(s string) bool {
				return slices.Contains(guardedNames, strings.ToLower(s))
			})
		}
	}
	return false
}
