package shell

import (
	"os"
	"slices"
	"strconv"
	"strings"
)

// secrets are the variables that hold daruma's own credentials and settings. A
// command has no business with them, and what `env` prints goes to the model.
var secrets = []string{
	"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_CUSTOM_HEADERS", "OPENAI_API_KEY",
	"GEMINI_API_KEY", "GOOGLE_API_KEY", "OPENROUTER_API_KEY",
}

// unwanted are variables that would run a file before the command.
var unwanted = []string{"BASH_ENV", "ENV"}

// quiet makes programs not wait for anybody and not draw.
var quiet = []string{
	"TERM=dumb", "NO_COLOR=1", "PAGER=cat", "GIT_PAGER=cat", "MANPAGER=cat", "SYSTEMD_PAGER=",
	"GIT_TERMINAL_PROMPT=0", "GIT_EDITOR=true", "EDITOR=true", "VISUAL=true",
	"DEBIAN_FRONTEND=noninteractive", "PYTHONUNBUFFERED=1",
}

// environment is what a command gets to see. nil is the process's own.
func environment(environ, more []string, dir string) []string {
	if environ == nil {
		environ = os.Environ()
	}
	env := slices.DeleteFunc(slices.Clone(environ), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return slices.Contains(secrets, name) || slices.Contains(unwanted, name) ||
			slices.Contains(more, name) || strings.HasPrefix(name, "DARUMA_")
	})
	env = append(env, quiet...)
	return append(withGitConfig(env, "core.pager", "cat"), "PWD="+dir)
}

// withGitConfig adds a git setting that overrules the configuration files,
// after those that the environment already holds.
func withGitConfig(env []string, key, value string) []string {
	n := 0
	for _, kv := range env {
		if v, ok := strings.CutPrefix(kv, "GIT_CONFIG_COUNT="); ok {
			if k, err := strconv.Atoi(v); err == nil && k >= 0 {
				n = k
			}
		}
	}
	i := strconv.Itoa(n)
	return append(env, "GIT_CONFIG_KEY_"+i+"="+key, "GIT_CONFIG_VALUE_"+i+"="+value, "GIT_CONFIG_COUNT="+strconv.Itoa(n+1))
}
