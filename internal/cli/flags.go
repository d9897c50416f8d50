package cli

import (
	"math"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// flags is what the command line says. The zero value of a field means that it
// says nothing about it.
type flags struct {
	print    bool
	format   string
	partial  bool // stream the pieces of replies
	verbose  bool
	model    string
	fallback []string
	settings string

	maxTurns int
	budget   int64
	maxCost  float64

	mode        string
	bypass      bool
	allow, deny []string

	goOn   bool // --continue
	resume string
	fork   bool

	dir     string
	addDirs []string

	system, appendSystem string

	changed func(name string) bool // whether a flag was given
}

// The output formats.
const (
	formatText   = "text"
	formatJSON   = "json"
	formatStream = "stream-json"
)

// define declares the flags in fs.
func (f *flags) define(fs *pflag.FlagSet) {
	fs.SortFlags = false
	f.changed = fs.Changed
	fs.BoolVarP(&f.print, "print", "p", false, "run to the end, print the answer, exit")
	fs.StringVar(&f.format, "output-format", formatText, "with -p, the `FORMAT` of the answer: text, json or stream-json")
	fs.BoolVar(&f.partial, "include-partial-messages", false, "with stream-json: the pieces of a reply as they arrive")
	fs.BoolVarP(&f.verbose, "verbose", "v", false, "with -p: one line on stderr for each call, transition and retry")
	fs.StringVarP(&f.model, "model", "m", "", "the model to ask, as `PROVIDER/MODEL`")
	fs.StringSliceVar(&f.fallback, "fallback-model", nil, "the `MODELS` to turn to when the first is overloaded, as A,B")
	fs.IntVar(&f.maxTurns, "max-turns", 0, "at most `N` replies of the model")
	fs.Int64Var(&f.budget, "token-budget", 0, "use about `N` output tokens")
	fs.Float64Var(&f.maxCost, "max-cost", 0, "end the run when it has cost so many `USD`")
	fs.StringVar(&f.mode, "permission-mode", "", "the `MODE`: default, accept-edits, plan or bypass")
	fs.BoolVar(&f.bypass, "dangerously-skip-permissions", false, "the same as --permission-mode bypass")
	fs.StringArrayVar(&f.allow, "allow", nil, "a permission `RULE`, such as 'shell(go test *)'; may be given again")
	fs.StringArrayVar(&f.deny, "deny", nil, "a `RULE` that wins over those of --allow; may be given again")
	fs.BoolVarP(&f.goOn, "continue", "c", false, "go on with the newest session of this directory")
	fs.StringVarP(&f.resume, "resume", "r", "", "go on with the session `ID`")
	fs.BoolVar(&f.fork, "fork", false, "with -c or -r: go on in a copy")
	fs.StringVarP(&f.dir, "cwd", "C", "", "work in `DIR`")
	fs.StringArrayVar(&f.addDirs, "add-dir", nil, "`DIR` is as good as inside the working directory; may be given again")
	fs.StringVar(&f.system, "system-prompt", "", "`TEXT` instead of the built-in prompt")
	fs.StringVar(&f.appendSystem, "append-system-prompt", "", "`TEXT` after the system prompt")
	fs.StringVar(&f.settings, "settings", "", "settings for this run: a `FILE`, or JSON in braces")
	f.aliases(fs)
}

// aliases declares the spellings that scripts for other agents use.
func (f *flags) aliases(fs *pflag.FlagSet) {
	for _, name := range []string{"allowedTools", "allowed-tools"} {
		fs.Var(&ruleList{&f.allow}, name, "")
	}
	for _, name := range []string{"disallowedTools", "disallowed-tools"} {
		fs.Var(&ruleList{&f.deny}, name, "")
	}
	fs.BoolVar(&f.fork, "fork-session", false, "")
	fs.Float64Var(&f.maxCost, "max-budget-usd", 0, "")
	for _, name := range []string{"allowedTools", "allowed-tools", "disallowedTools", "disallowed-tools", "fork-session", "max-budget-usd"} {
		fs.Lookup(name).Hidden = true
	}
}

// check finds what contradicts itself or makes no sense.
func (f *flags) check() error {
	switch {
	case !slices.Contains([]string{formatText, formatJSON, formatStream}, f.format):
		return usage("use text, json or stream-json", "there is no output format %q", f.format)
	case f.format != formatText && !f.print:
		return usage("add -p", "--output-format %s is for print mode", f.format)
	case f.partial && f.format != formatStream:
		return usage("add --output-format stream-json", "--include-partial-messages is for the format stream-json")
	case f.maxTurns < 0:
		return usage("use a whole number; 0 is no limit", "--max-turns cannot be %d", f.maxTurns)
	case f.budget < 0:
		return usage("use a whole number of tokens; 0 is no budget", "--token-budget cannot be %d", f.budget)
	case f.maxCost < 0 || math.IsNaN(f.maxCost) || math.IsInf(f.maxCost, 0):
		return usage("use US dollars, such as 1.50; 0 is no limit", "--max-cost cannot be %v", f.maxCost)
	case f.bypass && f.mode != "" && !strings.HasPrefix(strings.ToLower(f.mode), "bypass"):
		return usage("use one of them", "--dangerously-skip-permissions contradicts --permission-mode %s", f.mode)
	case f.resume == "" && f.changed("resume"):
		return usage("daruma sessions list shows those there are", "--resume needs the id of a session")
	case f.goOn && f.resume != "":
		return usage("use one of them", "--continue and --resume exclude each other")
	case f.fork && !f.goOn && f.resume == "":
		return usage("add --continue or --resume ID", "--fork needs a session to copy")
	}
	return nil
}

// outputFormat looks through the arguments for the format. It is for errors
// that come before the flags could be understood.
func (f *flags) outputFormat(args []string) string {
	const flag = "--output-format"
	for i, a := range args {
		value, ok := strings.CutPrefix(a, flag+"=")
		if a == flag && i+1 < len(args) {
			value, ok = args[i+1], true
		}
		if ok && (value == formatJSON || value == formatStream) {
			return value
		}
	}
	return formatText
}
