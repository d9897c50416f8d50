package shellsyntax

import (
	"slices"
	"strings"
)

// gitDiff are the harmful flags of everything that prints a diff.
var gitDiff = []string{"--ext-diff", "--output", "--textconv"}

// differ is a subcommand that prints diffs.
var differ = program{harmful: gitDiff, noFiles: true}

// git is what only reads in git. Only gitLeading may stand before the
// subcommand: other flags bring configuration, which may name programs to run
// (-c, --config-env, --exec-path), or use that of another repository (-C,
// --git-dir, --work-tree).
func git() program {
	return program{noFiles: true, commands: map[string]program{
		"status": noFiles, "version": noFiles, "describe": noFiles, "rev-parse": noFiles, "name-rev": noFiles, "merge-base": noFiles,
		"ls-files": noFiles, "ls-tree": noFiles, "show-ref": noFiles, "for-each-ref": noFiles, "count-objects": noFiles,
		"check-ignore": noFiles, "check-attr": noFiles, "cherry": noFiles, "var": noFiles,
		// Of two files outside of the repository, diff compares those.
		"diff": {harmful: gitDiff, valued: []string{"-S", "-G", "-U"}}, "log": differ, "show": differ, "whatchanged": differ, "range-diff": differ,
		"diff-tree": differ, "diff-index": differ, "diff-files": differ, "shortlog": differ, "blame": differ, "annotate": differ, "rev-list": differ,
		"cat-file": {harmful: []string{"--textconv", "--filters"}, noFiles: true},
		"grep":     {harmful: []string{"-O", "--open-files-in-pager", "--textconv", "--no-index"}, noFiles: true},
		"branch":   {noFiles: true, check: checkGitBranch}, "tag": {noFiles: true, check: checkGitTag},
		"remote": {noFiles: true, check: checkGitRemote}, "config": {noFiles: true, check: checkGitConfig},
		"stash":  {noFiles: true, check: onlyFirst("list", "show"), harmful: gitDiff},
		"reflog": {noFiles: true, check: onlyFirst("", "show", "exists"), harmful: gitDiff}, "worktree": {noFiles: true, check: onlyFirst("list")},
		"notes": {noFiles: true, check: onlyFirst("", "list", "show")},
	}}
}

// gitLeading are the flags of git itself that may stand before the subcommand.
var gitLeading = []string{"--no-pager", "-P", "--no-optional-locks", "--literal-pathspecs", "--no-replace-objects"}

// listing reports whether all words are flags of the list, or begin with one
// that ends in "=".
func listing(args []Word, flags ...string) bool {
	return !slices.ContainsFunc(args, func(w Word) bool {
		return !w.Known || !slices.ContainsFunc(flags, func(f string) bool {
			return w.Text == f || strings.HasSuffix(f, "=") && strings.HasPrefix(w.Text, f)
		})
	})
}

func checkGitBranch(args []Word) string {
	list := []string{
		"-a", "--all", "-r", "--remotes", "-v", "-vv", "--verbose", "--show-current", "-l", "--list", "--no-color", "--color=",
		"--sort=", "--format=", "--contains=", "--no-contains=", "--merged", "--no-merged", "--merged=", "--no-merged=", "--points-at=",
		"--column", "--no-column", "-i", "--ignore-case", "-av", "-avv", "-va", "-vva", "-rv",
	}
	// With one of these, what follows is a pattern or a commit and no name of
	// a branch to be made.
	if slices.ContainsFunc(args, func(w Word) bool {
		return w.Known && slices.Contains([]string{"--list", "-l", "--contains", "--merged", "--no-merged"}, w.Text)
	}) {
		args = slices.DeleteFunc(slices.Clone(args), func(w Word) bool { return !w.MayBeFlag() || w.Known && w.Text == "--contains" })
	}
	if !listing(args, list...) {
		return "with these arguments it may change branches"
	}
	return ""
}

func checkGitTag(args []Word) string {
	list := []string{
		"-l", "--list", "-n", "--sort=", "--format=", "--contains", "--contains=", "--no-contains=", "--merged", "--merged=", "--points-at=",
		"--column", "--no-column", "-i", "--ignore-case", "--no-color", "--color=",
	}
	if slices.ContainsFunc(args, func(w Word) bool { return w.Known && (w.Text == "-l" || w.Text == "--list") }) {
		args = slices.DeleteFunc(slices.Clone(args), func(w Word) bool { return !w.MayBeFlag() })
	}
	if !listing(args, list...) {
		return "with these arguments it may change tags"
	}
	return ""
}

func checkGitRemote(args []Word) string {
	if listing(args, "-v", "--verbose") {
		return ""
	}
	if args[0].Known && args[0].Text == "get-url" && !slices.ContainsFunc(args[1:], func(w Word) bool { return w.Splits }) {
		return ""
	}
	return "with these arguments it changes remotes or uses the network"
}

// gitConfigAsks are the arguments that make a question of git config, and
// gitConfigFlags those that only shape it.
var (
	gitConfigAsks  = []string{"--get", "--get-all", "--get-regexp", "--get-urlmatch", "--list", "-l"}
	gitConfigFlags = []string{
		"--local", "--global", "--system", "--worktree", "--show-origin", "--show-scope", "--null", "-z", "--name-only",
		"--bool", "--int", "--path", "--all", "--regexp", "--includes",
	}
)

func checkGitConfig(args []Word) string {
	var operands []string
	asks := false
	for _, w := range args {
		switch {
		case !w.Known:
			return "an argument that is not known may change the configuration"
		case slices.Contains(gitConfigAsks, w.Text):
			asks = true
		case !strings.HasPrefix(w.Text, "-"):
			operands = append(operands, w.Text)
		case !slices.Contains(gitConfigFlags, w.Text):
			return "`" + w.Text + "` may change the configuration"
		}
	}
	verb := len(operands) > 0 && (operands[0] == "get" || operands[0] == "list")
	name := len(operands) == 1 && strings.Contains(operands[0], ".")
	if !asks && !verb && !name {
		return "it changes the configuration unless it is told to --get or --list"
	}
	return ""
}

// onlyFirst makes a check of a second subcommand; "" stands for none.
func onlyFirst(names ...string) func(args []Word) string {
	return func(args []Word) string {
		first := ""
		if len(args) > 0 {
			first = args[0].Text
		}
		if (len(args) == 0 || args[0].Known) && slices.Contains(names, first) {
			return ""
		}
		return "only " + strings.Trim(strings.Join(names, ", "), ", ") + " is known to read"
	}
}
