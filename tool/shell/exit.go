package shell

import "github.com/daruma-dev/daruma/internal/shellsyntax"

// findings lists the programs whose exit code 1 is an answer and no failure.
var findings = map[string]string{
	"grep": "nothing was found", "egrep": "nothing was found", "fgrep": "nothing was found",
	"zgrep": "nothing was found", "rg": "nothing was found", "pgrep": "nothing was found",
	"git grep": "nothing was found",
	"diff":     "they differ", "cmp": "they differ", "comm": "they differ", "git diff": "they differ",
	"test": "the condition is false", "[": "the condition is false", "[[": "the condition is false",
	"which": "it is not there", "command": "it is not there", "type": "it is not there",
}

// meaning is what the exit code of a command says where it is no failure. The
// code is that of the command that ran last; in "cd x && grep y" that is the
// grep only if the directory has changed.
func meaning(command string, code int, moved bool) string {
	if code != 1 {
		return ""
	}
	script, err := shellsyntax.Parse(command)
	if err != nil {
		return ""
	}
	last, moves, ok := script.Last()
	if !ok || moves && !moved {
		return ""
	}
	name := last.Name()
	if name == "git" && len(last.Words) > 1 {
		name += " " + last.Words[1].Text
	}
	return findings[name]
}
