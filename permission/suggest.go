package permission

import (
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/daruma-dev/daruma/internal/shellsyntax"
)

// Suggest is the rule that would allow a request and its like: as narrow as is
// useful. It is empty where no rule would be wise.
func (p Policy) Suggest(r Request) string {
	switch r.Action {
	case execute:
		return p.suggestCommand(r)
	case read, write:
		return p.suggestPath(r)
	case fetch:
		if u, err := url.Parse(r.Target); err == nil && u.Hostname() != "" {
			return "fetch(domain:" + u.Hostname() + ")"
		}
		return ""
	default:
		return r.Tool
	}
}

// suggestPath is for the directory of the first file, or the file itself where
// other programs obey it.
func (p Policy) suggestPath(r Request) string {
	tool := "read"
	if r.Action == write {
		tool = "edit"
	}
	for _, file := range r.Paths {
		switch {
		case p.guarded(file):
			return tool + "(/" + file + ")"
		case r.Action == read && !p.mayRead(file), r.Action == write && !within(p.Roots, file):
			return tool + "(/" + path.Dir(file) + "/**)"
		}
	}
	return tool
}

func (p Policy) suggestCommand(r Request) string {
	script, err := shellsyntax.Parse(r.Command)
	if err != nil {
		return ""
	}
	c := p.takeApart(r, script)
	if script.Obscure() != "" {
		return exactRule(r.Command)
	}
	for _, p := range c.parts {
		if !p.own {
			continue
		}
		if _, why := c.judge(p); why != "" {
			return c.suggest(p)
		}
	}
	return ""
}

// exactly are programs that do anything at all, so that only the very command
// is suggested.
var exactly = []string{
	"rm", "mv", "cp", "dd", "chmod", "chown", "sudo", "doas", "su", "eval", "exec", "source", ".", "sh", "bash", "dash", "zsh",
	"ksh", "fish", "python", "python3", "node", "deno", "bun", "ruby", "perl", "php", "awk", "gawk", "curl", "wget", "ssh",
	"scp", "rsync", "kill", "pkill", "killall", "xargs", "find", "env", "watch", "setsid", "ionice", "flock", "nohup", "tee",
	"ln", "docker", "podman", "systemctl", "apt", "apt-get", "brew", "crontab", "at",
}

// subcommand reports whether a word looks like the name of one, and not like a
// file or a flag.
func subcommand(s string) bool {
	return s != "" && 'a' <= s[0] && s[0] <= 'z' && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789:-") == ""
}

// suggest is the rule for one part of a command.
func (c *command) suggest(p part) string {
	words := p.Words
	plain := len(words) > 0 && !slices.ContainsFunc(words[:min(2, len(words))], func(w shellsyntax.Word) bool { return !w.Known })
	if !plain || len(p.Assigns) > 0 || len(p.Redirs) > 0 || slices.Contains(exactly, p.Name()) || len(p.Harmful()) > 0 || p.Name() != words[0].Text {
		return exactRule(c.request.Command)
	}
	n := 1
	for n < len(words) && n < 3 && words[n].Known && subcommand(words[n].Text) {
		n++
		if words[n-1].Text != "run" { // npm run build
			break
		}
	}
	prefix := shellsyntax.Command{Words: words[:n]}
	return "shell(" + prefix.Text() + " *)"
}

// exactRule is the rule for one command and no other. A rule cannot hold a *
// that stands for itself, nor several lines.
func exactRule(text string) string {
	text = strings.TrimSpace(text)
	if strings.ContainsAny(text, "*\n") || strings.HasSuffix(text, ":") || len(text) > 500 {
		return ""
	}
	return "shell(" + text + ")"
}

// allowHint is the flag for a rule, quoted for a shell.
func allowHint(rule string) string {
	if rule == "" {
		return ""
	}
	return "--allow '" + strings.ReplaceAll(rule, "'", `'\''`) + "'"
}
