package shell

import (
	"os"
	"slices"
	"strconv"
	"strings"
)

// secrets are the variables that hold daruma's own credentials. A command has no
// business with them, and what `env` prints goes to the model.
var secrets = []string{
	"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_CUSTOM_HEADERS", "OPENAI_API_KEY",
	"GEMINI_API_KEY", "GOOGLE_API_KEY", "OPENROUTER_API_KEY",
}

// unwanted are variables that would run a file before the command, or colour
// what it prints.
var unwanted = []string{"BASH_ENV", "ENV", "FORCE_COLOR", "CLICOLOR_FORCE"}

// quiet makes programs not wait for anybody, not draw, and not lock a
// repository only to look at it, because such commands run beside each other.
var quiet = []string{
	"TERM=dumb", "NO_COLOR=1", "PAGER=cat", "GIT_PAGER=cat", "MANPAGER=cat", "GH_PAGER=cat", "SYSTEMD_PAGER=", "AWS_PAGER=",
	"GIT_TERMINAL_PROMPT=0", "GIT_EDITOR=true", "GIT_SEQUENCE_EDITOR=true", "EDITOR=true", "VISUAL=true", "GIT_OPTIONAL_LOCKS=0",
	"SSH_ASKPASS_REQUIRE=never", "DEBIAN_FRONTEND=noninteractive", "PIP_NO_INPUT=1", "PYTHONUNBUFFERED=1",
}

// minSecret is how long a value must be to be taken for a secret wherever it
// turns up, in bytes. Shorter ones are words that may stand in any text.
const minSecret = 8

// environment is what a command gets to see of environ, of which nil is the
// process's own, and the secrets that were left out. more names more of them.
// A secret is left out under any name.
func environment(environ, more []string) (env, values []string) {
	if environ == nil {
		environ = os.Environ()
	}
	secret := func(name string) bool { return slices.Contains(secrets, name) || slices.Contains(more, name) }
	for _, kv := range environ {
		if name, value, _ := strings.Cut(kv, "="); secret(name) && len(value) >= minSecret {
			values = append(values, value)
		}
	}
	for _, kv := range environ {
		name, value, _ := strings.Cut(kv, "=")
		if secret(name) || slices.Contains(unwanted, name) || strings.HasPrefix(name, "DARUMA_") || slices.Contains(values, value) {
			continue
		}
		env = append(env, kv)
	}
	return withGitConfig(append(env, quiet...), "core.pager", "cat"), values
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
