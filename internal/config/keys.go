package config

import (
	"maps"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/tailscale/hujson"
)

// keys is every key of a settings file.
func (s *Settings) keys() map[string]setter {
	return map[string]setter{
		"model":         text(&s.Model),
		"fallbackModel": names(&s.Fallbacks),
		"effort":        text(&s.Effort),
		"permissions": object(map[string]setter{
			"mode":                  text(&s.Mode),
			"defaultMode":           text(&s.Mode),
			"allow":                 list(&s.Allow),
			"ask":                   list(&s.Ask),
			"deny":                  list(&s.Deny),
			"additionalDirectories": list(&s.AddDirs),
		}),
		"maxTurns":           whole(&s.MaxTurns),
		"tokenBudget":        whole(&s.TokenBudget),
		"maxCost":            number(&s.MaxCost),
		"maxOutput":          whole(&s.MaxOutput),
		"firstByteTimeout":   duration(&s.FirstByteTimeout),
		"idleTimeout":        duration(&s.IdleTimeout),
		"early":              text(&s.Early),
		"models":             models(&s.Models),
		"appendSystemPrompt": text(&s.AppendSystem),
	}
}

// keys is every key of a model.
func (m *Model) keys() map[string]setter {
	return map[string]setter{
		"window":    whole(&m.Window),
		"maxOutput": whole(&m.MaxOutput),
		"price": object(map[string]setter{
			"input":        number(&m.Price.Input),
			"output":       number(&m.Price.Output),
			"cacheRead":    number(&m.Price.CacheRead),
			"cacheWrite":   number(&m.Price.CacheWrite),
			"cacheWrite1h": number(&m.Price.CacheWrite1h),
		}),
	}
}

// asText is a value that is text.
func asText(v hujson.Value) (string, bool) {
	l, ok := v.Value.(hujson.Literal)
	if !ok || l.Kind() != '"' {
		return "", false
	}
	return l.String(), true
}

func text(p *string) setter {
	return func(d *decoder, key string, v hujson.Value) error {
		s, ok := asText(v)
		if !ok {
			return d.wrong(key, v, "text in quotes")
		}
		*p = s
		return nil
	}
}

// texts is a value that is a list of texts.
func (d *decoder) texts(key string, v hujson.Value) ([]string, error) {
	a, ok := v.Value.(*hujson.Array)
	if !ok {
		return nil, d.wrong(key, v, "a list of texts")
	}
	var out []string
	for i, e := range a.Elements {
		s, ok := asText(e)
		if !ok {
			return nil, d.wrong(key+"["+strconv.Itoa(i)+"]", e, "text in quotes")
		}
		out = append(out, s)
	}
	return out, nil
}

// list adds to what earlier sources said.
func list(p *[]string) setter {
	return func(d *decoder, key string, v hujson.Value) error {
		more, err := d.texts(key, v)
		*p = append(*p, more...)
		return err
	}
}

// names replaces what earlier sources said: the order is one decision. The
// names may be a list, or one text with commas.
func names(p *[]string) setter {
	return func(d *decoder, key string, v hujson.Value) (err error) {
		s, ok := asText(v)
		all := strings.Split(s, ",")
		if !ok {
			if _, isList := v.Value.(*hujson.Array); !isList {
				return d.wrong(key, v, "a list of models, or text with commas between them")
			}
			if all, err = d.texts(key, v); err != nil {
				return err
			}
		}
		*p = nil
		for _, name := range all {
			if name = strings.TrimSpace(name); name != "" {
				*p = append(*p, name)
			}
		}
		return nil
	}
}

func whole[T int | int64](p *T) setter {
	return func(d *decoder, key string, v hujson.Value) error {
		l, _ := v.Value.(hujson.Literal)
		n, err := strconv.ParseInt(string(l), 10, 64)
		if err != nil || n < 0 || int64(T(n)) != n {
			return d.wrong(key, v, "a whole number, 0 or more")
		}
		*p = T(n)
		return nil
	}
}

// asNumber is a value that is a number, and not one too large to be kept.
func asNumber(v hujson.Value) (float64, bool) {
	l, ok := v.Value.(hujson.Literal)
	if !ok || l.Kind() != '0' {
		return 0, false
	}
	n, err := strconv.ParseFloat(string(l), 64)
	return n, err == nil
}

func number(p *float64) setter {
	return func(d *decoder, key string, v hujson.Value) error {
		n, ok := asNumber(v)
		if !ok || n < 0 {
			return d.wrong(key, v, "a number, 0 or more")
		}
		*p = n
		return nil
	}
}

func duration(p *time.Duration) setter {
	return func(d *decoder, key string, v hujson.Value) error {
		t, ok := asDuration(v)
		if !ok {
			return d.wrong(key, v, `a time such as "90s" or "2m", a number of seconds, or "off"`)
		}
		*p = t
		return nil
	}
}

// asDuration is a value that is a time. "off" is -1: no limit.
func asDuration(v hujson.Value) (time.Duration, bool) {
	if s, ok := asText(v); ok {
		if s == "off" {
			return -1, true
		}
		t, err := time.ParseDuration(s)
		return t, err == nil && t >= 0
	}
	seconds, ok := asNumber(v)
	if !ok || seconds < 0 || seconds > math.MaxInt64/float64(time.Second)/2 {
		return 0, false
	}
	return time.Duration(seconds * float64(time.Second)), true
}

// models merges: a later source may say more about a model, or other things.
func models(p *map[string]Model) setter {
	return func(d *decoder, key string, v hujson.Value) error {
		obj, ok := v.Value.(*hujson.Object)
		if !ok {
			return d.wrong(key, v, "an object in braces")
		}
		all := map[string]Model{}
		maps.Copy(all, *p)
		for _, m := range obj.Members {
			name := m.Name.Value.(hujson.Literal).String()
			if before, after, ok := strings.Cut(name, "/"); !ok || before == "" || after == "" {
				return d.wrong("a name in "+key, m.Name, "PROVIDER/MODEL")
			}
			if isNull(m.Value) {
				continue
			}
			one := all[name]
			if err := object(one.keys())(d, key+"["+strconv.Quote(name)+"]", m.Value); err != nil {
				return err
			}
			all[name] = one
		}
		*p = all
		return nil
	}
}
