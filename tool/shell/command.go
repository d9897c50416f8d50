package shell

import (
	"os/exec"
	"strings"
)

// maxCommand bounds a command, in bytes. Linux takes no longer argument than
// 128 KiB, and what we wrap it in needs some.
const maxCommand = 100_000

// wrapper runs the command as it is, without anything glued to it that a
// here-document, a comment or a backslash could swallow, and leaves the
// directory it ended in behind in the file DIR: at once when it ends by
// itself, and in the trap after exit or set -e. A command that sets an EXIT
// trap of its own and then leaves by exit leaves none, and the directory stays
// as it was. It is one line, so that the shell's messages name the lines of the
// command; it touches no variable; and what it does is not seen by set -x.
const wrapper = `trap '{ command pwd -P >|DIR; } 2>/dev/null' EXIT; ` +
	`eval "set --;$1"; { set -- "$?"; command pwd -P >|DIR; set +x; } 2>/dev/null; exit "$1"`

// command is the shell for one command.
func command(text, dir string, env []string, file dirFile) *exec.Cmd {
	name := "bash"
	path, err := exec.LookPath(name)
	if err != nil {
		name, path = "sh", "/bin/sh"
	}
	script := strings.Replace(wrapper, "DIR", file.quotedTwice(), 1)
	script = strings.Replace(script, "DIR", file.quoted(), 1)
	cmd := exec.Command(path, "-c", script, name, text)
	cmd.Args[0] = name
	cmd.Dir, cmd.Env = dir, append(env, "PWD="+dir)
	return cmd
}
