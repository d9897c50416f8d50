package cli

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/daruma-dev/daruma"
	"github.com/daruma-dev/daruma/internal/config"
	"github.com/daruma-dev/daruma/loop"
	"github.com/daruma-dev/daruma/model"
)

// options are what flags and settings ask for. Warnings are for the user.
func options(f *flags) (o daruma.Options, warnings []string, err error) {
	s, warnings, err := config.Load(config.UserFile(os.Getenv), f.settings)
	if err != nil {
		return daruma.Options{}, nil, err
	}
	early, err := earlyOf(s.Early)
	if err != nil {
		return daruma.Options{}, nil, err
	}
	o = daruma.Options{
		Dir: f.dir, AddDirs: append(f.addDirs, resolve(f.dir, s.AddDirs)...),
		Model: or(f.model, s.Model), Fallbacks: s.Fallbacks, Effort: s.Effort, Models: infos(s.Models),
		Timeouts: daruma.Timeouts{FirstByte: s.FirstByteTimeout, Idle: s.IdleTimeout},
		Mode:     or(f.mode, s.Mode), Early: early,
		Allow: append(s.Allow, f.allow...), Ask: s.Ask, Deny: append(s.Deny, f.deny...),
		Limits: limits(f, s), System: f.system, AppendSystem: or(f.appendSystem, s.AppendSystem),
		Resume: f.resume, Continue: f.goOn, Fork: f.fork, Getenv: os.Getenv,
	}
	if f.bypass {
		o.Mode = "bypass"
	}
	if f.changed("fallback-model") {
		o.Fallbacks = trimmed(f.fallback)
	}
	return o, warnings, nil
}

// limits are those of the settings, with what the flags say over them: there 0
// is an answer as well.
func limits(f *flags, s config.Settings) loop.Limits {
	l := loop.Limits{MaxTurns: s.MaxTurns, MaxOutput: s.MaxOutput, TokenBudget: s.TokenBudget, MaxCost: s.MaxCost}
	if f.changed("max-turns") {
		l.MaxTurns = f.maxTurns
	}
	if f.changed("token-budget") {
		l.TokenBudget = f.budget
	}
	if f.changed("max-cost") || f.changed("max-budget-usd") {
		l.MaxCost = f.maxCost
	}
	return l
}

func earlyOf(s string) (loop.Early, error) {
	switch e := loop.Early(s); e {
	case "", loop.EarlyAll, loop.EarlySafe, loop.EarlyOff:
		return e, nil
	default:
		return "", usage("use all, safe or off", "the setting early cannot be %q", s)
	}
}

// infos are the models the user knows about.
func infos(ms map[string]config.Model) map[string]model.Info {
	if len(ms) == 0 {
		return nil
	}
	out := make(map[string]model.Info, len(ms))
	for name, m := range ms {
		provider, id := model.Split(name)
		out[name] = model.Info{Provider: provider, ID: id, Window: m.Window, MaxOutput: m.MaxOutput, Price: model.Price(m.Price)}
	}
	return out
}

// resolve makes directories of the settings absolute or relative to the working
// directory, which is what they mean.
func resolve(dir string, paths []string) []string {
	var out []string
	for _, path := range paths {
		switch rest, home := strings.CutPrefix(path, "~/"); {
		case home:
			path = filepath.Join(os.Getenv("HOME"), rest)
		case !filepath.IsAbs(path):
			path = filepath.Join(dir, path)
		}
		out = append(out, path)
	}
	return out
}

func or(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// trimmed is a list without white space around its elements and without empty
// ones.
func trimmed(list []string) []string {
	var out []string
	for _, s := range list {
		if s = strings.TrimSpace(s); s != "" {
			out = append(out, s)
		}
	}
	return out
}
