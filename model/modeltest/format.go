package modeltest

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/daruma-dev/daruma/message"
)

// String writes the replies in the language that [Parse] reads.
func (rs Replies) String() string {
	texts := make([]string, len(rs))
	for i, r := range rs {
		texts[i] = r.String()
	}
	return strings.Join(texts, "---\n")
}

// String writes the reply in the language that [Parse] reads, a line each
// step. A reply made in Go can say what the language cannot, such as a line
// break within a call's input.
func (r Reply) String() string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	switch {
	case r.guard.re != nil:
		line("when /%s/", r.guard.re)
	case r.guard.text != "":
		line("when %q", r.guard.text)
	}
	for _, s := range r.steps {
		line("%s", formatStep(s))
	}
	if r.limit > 0 {
		line("cut after %d", r.limit-1)
	}
	if r.chunk > 0 {
		line("bytes %d", r.chunk)
	}
	if r.repeat > 1 {
		line("repeat %d", r.repeat)
	}
	switch {
	case r.mute:
		line("usage none")
	case r.usage != nil:
		line("usage %s", formatUsage(*r.usage))
	}
	if r.stop != "" {
		line("%s", r.formatEnd())
	}
	if b.Len() == 0 {
		line("empty")
	}
	return b.String()
}

func formatStep(s step) string {
	switch s := s.(type) {
	case startStep:
		return "start"
	case textStep:
		if s.cut {
			return "truncate text " + strconv.Quote(s.text)
		}
		return "text " + strconv.Quote(s.text)
	case thinkingStep:
		if s.signature == "" {
			return "thinking " + strconv.Quote(s.text)
		}
		return "thinking " + strconv.Quote(s.text) + " " + arg{key: "sig", text: s.signature, quoted: !plain(s.signature)}.String()
	case callStep:
		return formatCall(s)
	case blockStep:
		return "block " + s.raw
	case pingStep:
		return "ping"
	case waitStep:
		return "wait " + s.pause.String()
	case stallStep:
		return "stall"
	case cutStep:
		return "cut"
	case errorStep:
		return "error " + s.kind + " " + strconv.Quote(s.message)
	case failureStep:
		return formatFailure(s.Failure)
	case bodyStep:
		return fmt.Sprintf("body %d %s %q", s.status, arg{text: s.mime, quoted: !plain(s.mime)}, s.text)
	case rawStep:
		return "raw " + strconv.Quote(s.text)
	default:
		panic(fmt.Sprintf("modeltest: unhandled step %T", s))
	}
}

func formatCall(s callStep) string {
	line := strings.TrimSpace("call " + s.id + " " + s.name + " " + s.input)
	switch {
	case s.cut:
		return "truncate " + line
	case s.input != "" && !isObject(s.input):
		return "badjson " + line
	default:
		return line
	}
}

func formatFailure(f Failure) string {
	words := []string{"http", strconv.Itoa(f.Status)}
	add := func(key, value string) {
		if value != "" {
			words = append(words, arg{key: key, text: value, quoted: !plain(value)}.String())
		}
	}
	add("type", f.Type)
	add("code", f.Code)
	for _, name := range slices.Sorted(maps.Keys(f.Header)) {
		add("header."+name, f.Header[name])
	}
	if f.Message != "" {
		words = append(words, strconv.Quote(f.Message))
	}
	return strings.Join(words, " ")
}

func formatUsage(u message.Usage) string {
	line := fmt.Sprintf("in=%d out=%d read=%d write=%d", u.Input, u.Output, u.CacheRead, u.CacheWrite)
	if u.CacheWrite1h != 0 {
		line += fmt.Sprintf(" write1h=%d", u.CacheWrite1h)
	}
	if u.Thinking != 0 {
		line += fmt.Sprintf(" thinking=%d", u.Thinking)
	}
	return line
}

func (r Reply) formatEnd() string {
	if r.stop == message.StopRefusal && r.detail != "" {
		return "end refusal " + strconv.Quote(r.detail)
	}
	for _, s := range stops {
		if s.stop == r.stop {
			return "end " + s.word
		}
	}
	return "end " + string(r.stop)
}

// plain reports whether a word needs no quotes.
func plain(s string) bool {
	return s != "" && s[0] != '/' && !strings.ContainsAny(s, " \t\r\n\"`=#\\") && strconv.Quote(s) == `"`+s+`"`
}
