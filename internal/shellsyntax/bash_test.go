package shellsyntax

import (
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// soup is what random scripts are made of. The commands in it do not exist.
var soup = []string{
	"aa", "bb", "cc", "dd", "aa", "bb", " ", " ", " ", "\n", ";", "&", "&&", "||", "|", "|&", "(", ")", "{ ", "; }", "!", "$(", ")", "`", "\"", "'", "\\", "\\\n", "#", "$x",
	"${x:-", "}", "$((", "))", "if ", "; then ", "; fi", "while ", "; do ", "; done", "for x in ", "case a in a) ", ";; esac", "<<E\n", "\nE\n", "<<'E'\n", "<<-E\n", "<<<", ">/dev/null", "<(", "[[ ", " ]]",
	"f() {", "}; f", "x=", "=", "*", "~", "$'", "$\"", "time ", "\t", "{a,b}", "((", "[ ", " ]", "eval", "-n",
}

// Whatever bash runs must be among the commands that are listed: else it would
// run without having been judged. Bash is given random scripts whose commands
// do not exist, and tells which ones it looked for.
func TestNothingRunsThatIsNotListed(t *testing.T) {
	path, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash")
	}
	const want, most = 60, 20_000
	seed := uint64(time.Now().UnixNano())
	rnd := rand.New(rand.NewPCG(seed, 0))
	ran := 0
	for i := 0; i < most && ran < want; i++ {
		var b strings.Builder
		for range 3 + rnd.IntN(12) {
			b.WriteString(soup[rnd.IntN(len(soup))])
		}
		text := b.String()
		s, err := Parse(text)
		if err != nil || len(s.Commands) < 2 || endless(text, s) {
			continue
		}
		ran++
		listed := map[string]bool{}
		for _, c := range s.Commands {
			all, hidden := c.Every()
			for _, c := range all {
				listed[argv(c)] = true
			}
			listed["anything"] = listed["anything"] || hidden != ""
		}
		for _, args := range looked(t, path, text) {
			name, _, _ := strings.Cut(args, "\x01")
			if args != "" && !listed[args] && !listed[name+"?"] && !listed["anything"] {
				t.Errorf("seed %d: bash runs %q in\n%s\n%q", seed, args, text, text)
			}
		}
	}
	if ran < want/2 {
		t.Errorf("only %d of %d scripts could be parsed", ran, most)
	}
}

// argv is a command as the log has it, or its name and a question mark when
// not all of it is known.
func argv(c Command) string {
	text := ""
	for _, w := range c.Words {
		if !w.Known {
			text = c.Words[0].Text + "?"
			break
		}
		text += w.Text + "\x01"
	}
	return strings.ReplaceAll(text, "\n", "\x02")
}

// endless reports whether a script may never end: a loop, or a function that
// calls itself.
func endless(text string, s Script) bool {
	return strings.Contains(text, "while ") || slices.ContainsFunc(s.Commands, func(c Command) bool {
		return c.Function != "" && (c.Name() == c.Function || c.Name() == "")
	})
}

// looked lists the commands that bash looks for and does not find, each word
// with a \x01 behind it and newlines as \x02: a line is written in one piece,
// whatever runs beside.
func looked(t *testing.T, path, text string) []string {
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	log := filepath.Join(dir, "log")
	cmd := exec.CommandContext(ctx, path, "-c", `command_not_found_handle() { local IFS=$'\1' s; s="$*"; printf '%s\1\0' "${s//$'\n'/$'\2'}" >>"$LOG"; }; export -f command_not_found_handle; eval "$1"`, "bash", text)
	cmd.Dir, cmd.Env = dir, []string{"PATH=/nonexistent", "LOG=" + log}
	cmd.WaitDelay = time.Second
	_ = cmd.Run()
	out, err := os.ReadFile(log)
	if err != nil {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
}
