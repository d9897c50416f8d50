package permission

import (
	"path"
	"slices"
	"strings"

	"github.com/daruma-dev/daruma/internal/shellsyntax"
)

// Dangerous says why a command would be a disaster that nobody can want: it
// would delete or lay open the home directory, the workspace as a whole or the
// system, or do so as soon as a variable is empty. It is empty for every other
// command, and for those that cannot be read. dir is the working directory;
// empty means the first root.
func (p Policy) Dangerous(text, dir string) string {
	script, err := shellsyntax.Parse(text)
	if err != nil {
		return ""
	}
	return p.takeApart(Request{Action: execute, Command: text, Dir: dir}, script).disaster()
}

func (c *command) disaster() string {
	for _, p := range c.parts {
		for _, w := range victims(p.Command) {
			if why := c.fatal(p, w); why != "" {
				return why
			}
		}
		if why := fatalProgram(p.Command); why != "" {
			return why
		}
		for _, r := range p.Redirs {
			if r.Write && rawDevice(r.Target.Text) {
				return "it would overwrite the disk " + r.Target.Text
			}
		}
		if p.Function != "" && p.Name() == p.Function && (p.Background || p.Subshell) {
			return "it is a function that starts itself again and again until the machine stops"
		}
	}
	return ""
}

// recursive are programs that work on whole trees when they are told so.
var recursive = []string{"rm", "chmod", "chown", "chgrp"}

// victims lists the words that name what a command deletes, moves away or
// changes with all that is in it.
func victims(c shellsyntax.Command) []shellsyntax.Word {
	if len(c.Words) < 2 {
		return nil
	}
	args := c.Words[1:]
	switch name := c.Name(); {
	case slices.Contains(recursive, name):
		flags, _ := split(arguments(c))
		unknown := slices.ContainsFunc(args, func(w shellsyntax.Word) bool { return !w.Known && w.Prefix == "" && w.Splits })
		if !flags["-r"] && !unknown {
			return nil
		}
	case name == "find":
		if slices.ContainsFunc(args, func(w shellsyntax.Word) bool { return w.Text == "-delete" || path.Base(w.Text) == "rm" }) {
			return findRoots(args)
		}
		return nil
	case name == "mv":
		args = args[:len(args)-1] // the last is where it goes
	default:
		return nil
	}
	return slices.DeleteFunc(slices.Clone(args), func(w shellsyntax.Word) bool { return strings.HasPrefix(w.Prefix, "-") })
}

// narrowing are tests of find that leave most files alone.
var narrowing = []string{
	"-name", "-iname", "-path", "-ipath", "-wholename", "-regex", "-iregex", "-empty", "-newer", "-samefile", "-inum", "-mtime",
	"-mmin", "-ctime", "-cmin", "-atime", "-amin", "-size", "-user",
}

// findRoots are where a find begins, unless a test narrows down what it finds.
func findRoots(args []shellsyntax.Word) []shellsyntax.Word {
	for i, w := range args {
		if strings.HasPrefix(w.Prefix, "-") || w.Text == "(" || w.Text == "!" {
			narrow := slices.ContainsFunc(args[i:], func(w shellsyntax.Word) bool {
				return slices.Contains(narrowing, w.Text)
			})
			if narrow {
				return nil
			}
			if i == 0 {
				return []shellsyntax.Word{{Text: ".", Known: true, Prefix: "."}}
			}
			return args[:i]
		}
	}
	return args
}

// fatal says why a word must not be deleted.
func (c *command) fatal(p part, w shellsyntax.Word) string {
	for _, g := range c.guesses(p, w) {
		where := c.precious(g.path, p.Name())
		switch {
		case where == "":
		case g.empty != "":
			return "it would " + verb(p) + " " + where + " if " + g.empty + " were empty: name the path itself, or write ${NAME:?} for a variable so that the shell stops there"
		default:
			return "it would " + verb(p) + " " + where + ": name more precisely what is meant"
		}
	}
	return ""
}

func verb(p part) string {
	switch p.Name() {
	case "chmod", "chown", "chgrp":
		return "change all of"
	case "mv":
		return "move"
	default:
		return "delete"
	}
}

// guess is a path that a word may stand for; empty names what would have to be
// empty for it.
type guess struct{ path, empty string }

// guesses lists what a word may stand for: with what variables are known to
// hold, and with those that are not known empty.
func (c *command) guesses(p part, w shellsyntax.Word) []guess {
	missing := ""
	values, ok := w.Values(func(name string) ([]string, bool) {
		if v, ok := c.lookup(name); ok {
			return v, true
		}
		if name == "HOME" && c.script.Assigned(name) == nil {
			return []string{unknownHome}, true
		}
		if w.Fragile(name) {
			missing = "$" + name
		}
		return []string{""}, true
	})
	if !ok {
		return c.hollow(w)
	}
	var out []guess
	for _, v := range values {
		if v == "" {
			continue // no operand at all, or one that the program refuses
		}
		if path.IsAbs(v) {
			out = append(out, guess{path: v, empty: missing})
			continue
		}
		for _, dir := range p.dirs {
			out = append(out, guess{path: dir + "/" + v, empty: missing})
		}
	}
	return out
}

// hollow is for a word that begins with a substitution, such as "$(dirs)/*": it
// may come to nothing.
func (c *command) hollow(w shellsyntax.Word) []guess {
	i := strings.LastIndexAny(w.Text, ")`}")
	rest := strings.ReplaceAll(w.Text[i+1:], `"`, "")
	if i < 0 || w.Prefix != "" || !strings.HasPrefix(rest, "/") {
		return nil
	}
	return []guess{{path: rest, empty: strings.Trim(w.Text[:i+1], `"`)}}
}

// systemDirs are directories without which a system does not work.
var systemDirs = []string{
	"/bin", "/boot", "/dev", "/etc", "/home", "/lib", "/lib32", "/lib64", "/opt", "/proc", "/root", "/run", "/sbin", "/srv",
	"/sys", "/usr", "/var", "/usr/bin", "/usr/lib", "/usr/local", "/usr/sbin", "/usr/share", "/var/lib", "/var/log",
	"/Applications", "/Library", "/System", "/Users", "/Volumes", "/private", "/private/etc", "/private/var",
}

// contents are names that stand for all that is in a directory.
var contents = []string{"*", ".*", "?*", "{*,.*}", "{.*,*}", ".[!.]*"}

// precious says what a path is that must not be deleted: a directory itself, or
// all that is in it (dir/*). The workspace may be moved about in and have its
// modes changed.
func (c *command) precious(file, program string) string {
	for slices.Contains(contents, path.Base(file)) {
		file = path.Dir(strings.TrimRight(file, "/"))
	}
	file = path.Clean(file)
	switch {
	case file == "/":
		return "the whole file system"
	case slices.Contains(systemDirs, file):
		return "the system directory " + file
	case inside(file, c.home()):
		return "the home directory"
	case program != "rm" && program != "find":
		return ""
	}
	for _, root := range c.Roots {
		switch {
		case file == root:
			return "the workspace as a whole"
		case inside(file, root):
			return file + ", in which the workspace lies"
		}
	}
	return ""
}

func rawDevice(file string) bool {
	for _, prefix := range []string{"/dev/sd", "/dev/nvme", "/dev/hd", "/dev/vd", "/dev/xvd", "/dev/disk", "/dev/rdisk", "/dev/mmcblk", "/dev/mapper/", "/dev/md"} {
		if strings.HasPrefix(file, prefix) {
			return true
		}
	}
	return false
}

// fatalProgram is for programs that are a disaster with any arguments.
func fatalProgram(c shellsyntax.Command) string {
	name := c.Name()
	switch {
	case name == "mkfs" || strings.HasPrefix(name, "mkfs.") || name == "wipefs" || name == "fdisk" && len(c.Words) > 1:
		return "it would erase a disk"
	case slices.Contains([]string{"shutdown", "reboot", "halt", "poweroff"}, name):
		return "it would stop the machine"
	}
	for _, w := range c.Words {
		of, ok := strings.CutPrefix(w.Text, "of=")
		if name == "dd" && ok && rawDevice(of) || (name == "tee" || name == "cp" || name == "shred") && rawDevice(w.Text) {
			return "it would overwrite a disk"
		}
	}
	return ""
}
