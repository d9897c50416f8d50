package cli

import (
	"runtime/debug"
	"strings"
	"testing"

	"github.com/daruma-dev/daruma/internal/config"
	"github.com/daruma-dev/daruma/message"
)

func TestOutputFormatOfBrokenFlags(t *testing.T) {
	for args, want := range map[string]string{
		"":                                  formatText,
		"-p hi":                             formatText,
		"--output-format json --nonsense":   formatJSON,
		"--nonsense --output-format=json":   formatJSON,
		"-p --output-format=stream-json -z": formatStream,
		"--output-format":                   formatText,
		"--output-format xml":               formatText,
		"--output-format-x json":            formatText,
	} {
		if got := new(flags).outputFormat(strings.Fields(args)); got != want {
			t.Errorf("%q: %s, want %s", args, got, want)
		}
	}
}

func TestVersionLine(t *testing.T) {
	setting := func(key, value string) debug.BuildSetting { return debug.BuildSetting{Key: key, Value: value} }
	for _, tc := range []struct {
		info debug.BuildInfo
		want string
	}{
		{debug.BuildInfo{}, "daruma (devel) go"},
		{debug.BuildInfo{Main: debug.Module{Version: "v1.2.3"}}, "daruma v1.2.3 go"},
		{
			debug.BuildInfo{Settings: []debug.BuildSetting{setting("vcs.revision", "0123456789abcdef"), setting("vcs.modified", "true")}},
			"daruma (devel) (commit 0123456789ab, with changes) go",
		},
	} {
		if got := versionLine(&tc.info); !strings.HasPrefix(got, tc.want) {
			t.Errorf("got %q, want %q…", got, tc.want)
		}
	}
}

func TestExplain(t *testing.T) {
	for _, tc := range []struct {
		err        error
		text, hint string
	}{
		{usage("do that", "no %d", 7), "no 7", "do that"},
		{&config.Error{Text: "bad file", Hint: "mend it"}, "bad file", "mend it"},
	} {
		if text, hint := explain(tc.err); text != tc.text || hint != tc.hint {
			t.Errorf("%v: %q, %q", tc.err, text, hint)
		}
	}
	var b strings.Builder
	tellText(&b, "two\nlines \x1b]0;x\a", "a \x1b[2J hint")
	if strings.ContainsAny(b.String(), "\x1b\a") {
		t.Errorf("an escape code was told: %q", b.String())
	}
}

func TestLines(t *testing.T) {
	call := message.Call{Name: "shell", Input: []byte(`{"command":"go  test\n./...","n":3}`)}
	if got := callLine(call); brief(got, 100) != "shell go test ./... 3" {
		t.Errorf("callLine: %q", got)
	}
	for _, tc := range []struct {
		r    message.ToolResult
		want string
	}{
		{message.ToolResult{Name: "read", Status: message.StatusOK, Title: "read a.go"}, "read: read a.go"},
		{message.ToolResult{Name: "read", Status: message.StatusOK, Text: "first\nsecond"}, "read: first"},
		{message.ToolResult{Name: "read", Status: message.StatusOK}, "read: ok"},
		{message.ToolResult{Name: "x", Status: message.StatusUnknown, Text: "no such tool"}, "x: unknown tool: no such tool"},
	} {
		if got := resultLine(tc.r); got != tc.want {
			t.Errorf("resultLine(%+v) = %q, want %q", tc.r, got, tc.want)
		}
	}
	if got := brief("a\x1b[2Jb "+strings.Repeat("ü", 50), 10); got != "a␛[2Jb üü…" {
		t.Errorf("brief: %q", got)
	}
}

func FuzzArgsOf(f *testing.F) {
	f.Add([]byte(`{"a":1,"b":"x","a":[]}`))
	f.Add([]byte(`{"a":`))
	f.Fuzz(func(_ *testing.T, in []byte) { callLine(message.Call{Name: "x", Input: in}) })
}
