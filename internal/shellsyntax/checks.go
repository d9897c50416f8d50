package shellsyntax

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// checkAlone allows no arguments at all: "env X=1 cmd" runs cmd, "hostname x"
// sets it.
func checkAlone(args []Word) string {
	if len(args) > 0 {
		return "it is harmless only without arguments"
	}
	return ""
}

// checkTest forbids -v, which evaluates its operand: test -v 'a[$(touch f)]'.
func checkTest(args []Word) string {
	if slices.ContainsFunc(args, func(w Word) bool { return w.Splits || w.Known && (w.Text == "-v" || w.Text == "-R") }) {
		return "a test of a variable by its name may run commands"
	}
	return ""
}

func checkCd(args []Word) string {
	if len(args) > 2 || slices.ContainsFunc(args, func(w Word) bool { return w.Splits && w.Prefix != "" }) {
		return "where it leads is not known"
	}
	return ""
}

// checkNames allows setting safe variables only.
func checkNames(args []Word) string {
	for _, w := range args {
		name, _, _ := strings.Cut(w.Text, "=")
		switch {
		case w.Known && (w.Text == "-p" || w.Text == "-r"):
		case !w.Known && !strings.Contains(w.Prefix, "="), !syntax.ValidName(name), !SafeVariable(name):
			return "it sets a variable that may change what programs do"
		}
	}
	return ""
}

// checkRead is checkNames with the flags of read.
func checkRead(args []Word) string {
	var names []Word
	for i := 0; i < len(args); i++ {
		switch w := args[i]; {
		case w.Splits:
			return "what it sets is not known"
		case w.Known && slices.Contains([]string{"-d", "-n", "-N", "-p", "-t", "-u"}, w.Text):
			i++
		case w.Known && strings.HasPrefix(w.Text, "-") && strings.Trim(w.Text, "-rsa") == "":
		default:
			names = append(names, w)
		}
	}
	return checkNames(names)
}

// checkSet allows the options that scripts begin with.
func checkSet(args []Word) string {
	for _, w := range args {
		if !w.Known || strings.Trim(w.Text, "-+euxo") != "" && !slices.Contains([]string{"pipefail", "errexit", "nounset", "xtrace"}, w.Text) {
			return "it sets more than -e, -u, -x and pipefail"
		}
	}
	return ""
}

// oneFile makes a check for programs whose second operand is a file to be
// written; valued flags take the next word.
func oneFile(valued ...string) func(args []Word) string {
	return func(args []Word) string {
		n := 0
		for i := 0; i < len(args); i++ {
			switch w := args[i]; {
			case w.Splits, !w.Known && w.Prefix == "":
				return "how many files are named is not known, and the second is written"
			case slices.Contains(valued, w.Text):
				i++
			case !strings.HasPrefix(w.Text, "-"), w.Text == "-":
				n++
			}
		}
		if n > 1 {
			return "the second file is written"
		}
		return ""
	}
}

// checkPs keeps the environment of other processes from being listed: it holds
// secrets.
func checkPs(args []Word) string {
	for _, w := range args {
		if !w.Known || strings.Contains(w.Text, "E") || strings.Contains(w.Text, "env") || !strings.HasPrefix(w.Text, "-") && strings.Contains(w.Text, "e") {
			return "it may list the environment of processes"
		}
	}
	return ""
}

// checkDate allows formats; anything else sets the clock.
func checkDate(args []Word) string {
	for i, w := range args {
		after := i > 0 && slices.Contains([]string{"-d", "-r", "-f", "-v", "-j", "--date", "--reference"}, args[i-1].Text)
		if !after && !strings.HasPrefix(w.Prefix, "+") && !strings.HasPrefix(w.Prefix, "-") {
			return "it may set the clock"
		}
	}
	return ""
}

// findTests are the primaries of find that only look. A word that begins with
// "-" and is not among them is not trusted.
var findTests = []string{
	"-H", "-L", "-P", "-D", "-O", "-O1", "-O2", "-O3", "-amin", "-anewer", "-atime", "-cmin", "-cnewer", "-ctime", "-daystart",
	"-depth", "-empty", "-executable", "-false", "-follow", "-fstype", "-gid", "-group", "-help", "-ilname", "-iname", "-inum",
	"-ipath", "-iregex", "-iwholename", "-links", "-lname", "-ls", "-maxdepth", "-mindepth", "-mmin", "-mount", "-mtime",
	"-name", "-newer", "-newerat", "-newerct", "-newermt", "-newermm", "-nogroup", "-noleaf", "-nouser", "-path", "-perm",
	"-print", "-print0", "-printf", "-prune", "-quit", "-readable", "-regex", "-regextype", "-samefile", "-size", "-true",
	"-type", "-uid", "-used", "-user", "-version", "-wholename", "-writable", "-xdev", "-xtype", "-a", "-o", "-not", "-and",
	"-or", "--help", "--version", "-E", "-X", "-d", "-s", "-x", "-f",
}

func checkFind(args []Word) string {
	if bad := badPrimaries(args); len(bad) > 0 {
		return "`" + bad[0] + "` may change files or run programs"
	}
	return ""
}

// badPrimaries lists the arguments of find that may do more than look.
func badPrimaries(args []Word) []string {
	var bad []string
	for i, w := range args {
		if w.MayBeFlag() && (!w.Known || !slices.Contains(findTests, w.Text) && !findValue(args, i)) {
			bad = append(bad, w.Text)
		}
	}
	return bad
}

// findValue reports whether the word is a number with a sign after a test that
// takes one: -mtime -7.
func findValue(args []Word, i int) bool {
	if i == 0 || !args[i-1].Known || !slices.Contains(findTests, args[i-1].Text) {
		return false
	}
	return strings.Trim(args[i].Text, "-0123456789ckMGwb") == "" || args[i-1].Text == "-perm"
}

// checkJq refuses what jq does not forbid: reading the environment is fine,
// but "input_filename" and modules are files; all harmless. Flags that take two
// words would confuse the count of operands.
func checkJq(args []Word) string {
	for _, w := range args {
		if w.MayBeFlag() && (!w.Known || slices.Contains([]string{"--arg", "--argjson", "--slurpfile", "--rawfile", "--args", "--jsonargs"}, w.Text)) {
			return "`jq " + w.Text + "` is not judged"
		}
	}
	return ""
}

// checkGoList allows listing without building or loading anything new.
func checkGoList(args []Word) string {
	if slices.ContainsFunc(args, func(w Word) bool { return w.MayBeFlag() && !w.Known || strings.Contains(w.Text, "@") }) {
		return "it may download modules"
	}
	return ""
}
