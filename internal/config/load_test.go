package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// write makes a settings file and returns its path.
func write(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "settings.json")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// everything sets each key to something other than its zero.
const everything = `{
	"$schema": "https://example.com/schema.json",
	// models
	"model": "anthropic/claude-opus-5-5",
	"fallbackModel": "anthropic/claude-sonnet-5-5, anthropic/claude-haiku-5-5",
	"effort": "high",
	"permissions": {
		"defaultMode": "accept-edits",
		"allow": ["shell(go test *)"],
		"ask": ["shell(git push *)"],
		"deny": ["read(.env)"],
		"additionalDirectories": ["../other"], // trailing commas are fine
	},
	"maxTurns": 50, "tokenBudget": 100000, "maxCost": 2.5, "maxOutput": 16000,
	"firstByteTimeout": 30, "idleTimeout": "1m30s", "early": "safe",
	/* a local
	   model */
	"models": {"local/llama": {
		"window": 8192, "maxOutput": 2048,
		"price": {"input": 1, "output": 2, "cacheRead": 0.1, "cacheWrite": 1.25, "cacheWrite1h": 2},
	}},
	"appendSystemPrompt": "Be brief.",
}`

func TestLoad(t *testing.T) {
	tests := []struct {
		name        string
		user, extra string // texts of the files; empty: not given
		want        Settings
		warnings    []string // the directory of the file left out
	}{
		{name: "no files"},
		{name: "every key", user: everything, want: Settings{
			Model: "anthropic/claude-opus-5-5", Effort: "high",
			Fallbacks: []string{"anthropic/claude-sonnet-5-5", "anthropic/claude-haiku-5-5"},
			Mode:      "accept-edits", Allow: []string{"shell(go test *)"}, Ask: []string{"shell(git push *)"},
			Deny: []string{"read(.env)"}, AddDirs: []string{"../other"},
			MaxTurns: 50, TokenBudget: 100000, MaxCost: 2.5, MaxOutput: 16000,
			FirstByteTimeout: 30 * time.Second, IdleTimeout: 90 * time.Second, Early: "safe",
			Models: map[string]Model{"local/llama": {
				Window: 8192, MaxOutput: 2048,
				Price: Price{Input: 1, Output: 2, CacheRead: 0.1, CacheWrite: 1.25, CacheWrite1h: 2},
			}},
			AppendSystem: "Be brief.",
		}},
		{name: "a file with nothing in it", user: " \n// only this\n"},
		{name: "a byte-order mark", user: "\xef\xbb\xbf{\"maxTurns\": 1}", want: Settings{MaxTurns: 1}},
		{
			name: "a later value replaces, even by nothing", user: `{"maxTurns": 9, "model": "a/b", "effort": "low"}`,
			extra: `{"maxTurns": 0, "model": "c/d"}`, want: Settings{Model: "c/d", Effort: "low"},
		},
		{name: "null says nothing", user: `{"model": "a/b", "permissions": {"allow": ["x"]}}`, extra: `{"model": null, "permissions": null, "models": null}`, want: Settings{Model: "a/b", Allow: []string{"x"}}},
		{
			name:  "lists grow, and the order of fallbacks is replaced",
			user:  `{"permissions": {"deny": ["a"], "allow": ["x"], "additionalDirectories": ["/a"]}, "fallbackModel": ["a/a", "a/b"]}`,
			extra: `{"permissions": {"deny": ["b"], "mode": "plan", "additionalDirectories": ["/b"]}, "fallbackModel": ["a/c"]}`,
			want:  Settings{Deny: []string{"a", "b"}, Allow: []string{"x"}, Mode: "plan", AddDirs: []string{"/a", "/b"}, Fallbacks: []string{"a/c"}},
		},
		{
			name:  "models merge",
			user:  `{"models": {"a/b": {"window": 1, "price": {"input": 3}}, "a/c": {"window": 5}}}`,
			extra: `{"models": {"a/b": {"window": 2, "price": {"output": 4}}, "a/d": {"maxOutput": 6}}}`,
			want: Settings{Models: map[string]Model{
				"a/b": {Window: 2, Price: Price{Input: 3, Output: 4}}, "a/c": {Window: 5}, "a/d": {MaxOutput: 6},
			}},
		},
		{
			name: "no limit, and times in fractions", user: `{"idleTimeout": "off", "firstByteTimeout": 0.5}`,
			want: Settings{IdleTimeout: -1, FirstByteTimeout: 500 * time.Millisecond},
		},
		{
			name: "unknown keys are warnings",
			user: "{\n\"modle\": 1,\n\"permissions\": {\"alow\": []},\n\"models\": {\"a/b\": {\"windw\": 1, \"price\": {\"cacheread\": 1}}},\n\"hooks\": {}}",
			want: Settings{Models: map[string]Model{"a/b": {}}},
			warnings: []string{
				`settings.json, line 2: there is no setting "modle", so it is ignored; did you mean "model"?`,
				`settings.json, line 3: there is no setting "permissions.alow", so it is ignored; did you mean "permissions.allow"?`,
				`settings.json, line 4: there is no setting "models[\"a/b\"].windw", so it is ignored; did you mean "models[\"a/b\"].window"?`,
				`settings.json, line 4: there is no setting "models[\"a/b\"].price.cacheread", so it is ignored; did you mean "models[\"a/b\"].price.cacheRead"?`,
				`settings.json, line 5: there is no setting "hooks", so it is ignored`,
			},
		},
		{
			name: "a key given twice", user: "{\"model\": \"a/b\",\n\"model\": \"c/d\"}", want: Settings{Model: "c/d"},
			warnings: []string{"settings.json, line 2: model is given twice, and the last one counts"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			user, extra := filepath.Join(t.TempDir(), "none"), ""
			if tt.user != "" {
				user = write(t, tt.user)
			}
			if tt.extra != "" {
				extra = write(t, tt.extra)
			}
			got, warnings, err := Load(user, extra)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("settings (-want +got):\n%s", d)
			}
			for i, w := range warnings {
				warnings[i] = strings.TrimPrefix(w, filepath.Dir(user)+string(filepath.Separator))
			}
			if d := cmp.Diff(tt.warnings, warnings); d != "" {
				t.Errorf("warnings (-want +got):\n%s", d)
			}
		})
	}
}

func TestLoadMistakes(t *testing.T) {
	const hint = "mend that line, or take it out"
	tests := []struct{ name, text, want, hint string }{
		{"a number for text", "{\n\n  \"model\": 5\n}", "FILE, line 3: model must be text in quotes, but is the number 5", hint},
		{"text for a number", `{"maxTurns": "ten"}`, `FILE, line 1: maxTurns must be a whole number, 0 or more, but is the text "ten"`, hint},
		{"a fraction for a whole number", `{"tokenBudget": 1.5}`, "FILE, line 1: tokenBudget must be a whole number, 0 or more, but is the number 1.5", hint},
		{"a number below 0", `{"maxCost": -1}`, "FILE, line 1: maxCost must be a number, 0 or more, but is the number -1", hint},
		{"a number out of range", `{"maxOutput": 99999999999999999999}`, "FILE, line 1: maxOutput must be a whole number, 0 or more, but is the number 99999999999999999999", hint},
		{"a price out of range", `{"maxCost": 1e999}`, "FILE, line 1: maxCost must be a number, 0 or more, but is the number 1e999", hint},
		{"a list for a number", `{"maxOutput": [1]}`, "FILE, line 1: maxOutput must be a whole number, 0 or more, but is a list", hint},
		{"true for a time", `{"idleTimeout": true}`, `FILE, line 1: idleTimeout must be a time such as "90s" or "2m", a number of seconds, or "off", but is true`, hint},
		{"a time without a unit", `{"idleTimeout": "90"}`, `FILE, line 1: idleTimeout must be a time such as "90s" or "2m", a number of seconds, or "off", but is the text "90"`, hint},
		{"a time out of range", `{"idleTimeout": 1e300}`, `FILE, line 1: idleTimeout must be a time such as "90s" or "2m", a number of seconds, or "off", but is the number 1e300`, hint},
		{"text for a list", "{\"permissions\": {\n\"allow\": \"shell\"}}", `FILE, line 2: permissions.allow must be a list of texts, but is the text "shell"`, hint},
		{"a number in a list", "{\"permissions\": {\"deny\": [\"a\",\n1]}}", "FILE, line 2: permissions.deny[1] must be text in quotes, but is the number 1", hint},
		{"an object for models in order", `{"fallbackModel": {}}`, "FILE, line 1: fallbackModel must be a list of models, or text with commas between them, but is an object", hint},
		{"text for an object", `{"permissions": "plan"}`, `FILE, line 1: permissions must be an object in braces, but is the text "plan"`, hint},
		{"a list for models", `{"models": []}`, "FILE, line 1: models must be an object in braces, but is a list", hint},
		{"a model without a provider", `{"models": {"gpt": {}}}`, `FILE, line 1: a name in models must be PROVIDER/MODEL, but is the text "gpt"`, hint},
		{"text for a price", `{"models": {"a/b": {"price": {"input": "1"}}}}`, `FILE, line 1: models["a/b"].price.input must be a number, 0 or more, but is the text "1"`, hint},
		{"long text is cut", `{"maxTurns": "` + strings.Repeat("é", 100) + `"}`, `FILE, line 1: maxTurns must be a whole number, 0 or more, but is the text "` + strings.Repeat("é", 29) + "…", hint},
		{"a list for the whole", "\n[]", "FILE, line 2: the whole file must be an object in braces, but is a list", hint},
		{
			"broken JSON", "{\n\"model\": oops\n}", "FILE is not valid JSON: line 2, column 10: invalid literal: oops",
			"mend the file; comments and trailing commas are fine, the rest must be JSON",
		},
		{
			"an unfinished file", "{\"model\": \"a/b\"", "FILE is not valid JSON: line 1, column 16: parsing object after value: unexpected EOF",
			"mend the file; comments and trailing commas are fine, the rest must be JSON",
		},
		{"too large", strings.Repeat(" ", maxSize+1), "the settings file FILE is larger than 64 KiB", "check that it is the file you meant"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			name := write(t, tt.text)
			for _, args := range [][2]string{{name, ""}, {"", name}} {
				s, warnings, err := Load(args[0], args[1])
				if d := cmp.Diff(Settings{}, s); d != "" || warnings != nil {
					t.Errorf("something came with the error: %v\n%s", warnings, d)
				}
				checkError(t, err, strings.ReplaceAll(tt.want, "FILE", name), tt.hint)
			}
		})
	}
}

func checkError(t *testing.T, err error, text, hint string) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("error is %v, want an *Error", err)
	}
	if d := cmp.Diff([]string{text, hint}, []string{e.Text, e.Hint}); d != "" {
		t.Errorf("error (-want +got):\n%s", d)
	}
}

func TestLoadFiles(t *testing.T) {
	dir := t.TempDir()
	none := filepath.Join(dir, "none.json")
	if _, _, err := Load(none, ""); err != nil {
		t.Errorf("the user needs no file: %v", err)
	}
	_, _, err := Load("", none)
	checkError(t, err, "the settings file "+none+" does not exist", "check the path given with --settings")
	if !errors.Is(err, fs.ErrNotExist) {
		t.Error("the cause is lost")
	}
	_, _, err = Load(dir, "")
	checkError(t, err, "the settings file "+dir+" is not a file", "put JSON with settings there, or move it away")
	_, _, err = Load("", dir)
	checkError(t, err, "the settings file "+dir+" is not a file", "put JSON with settings there, or move it away")
}

func TestLoadInline(t *testing.T) {
	s, warnings, err := Load("", ` {"model": "a/b", "x": 1}`)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(Settings{Model: "a/b"}, s); d != "" {
		t.Errorf("settings (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]string{`--settings, line 1: there is no setting "x", so it is ignored`}, warnings); d != "" {
		t.Errorf("warnings (-want +got):\n%s", d)
	}
	_, _, err = Load("", `{"model": 1}`)
	checkError(t, err, "--settings, line 1: model must be text in quotes, but is the number 1", "mend that line, or take it out")
}

// Whatever the text, Load neither panics nor fails with anything but an *Error.
func FuzzLoad(f *testing.F) {
	for _, s := range []string{
		"", "{}", everything, `{"models": {"a/b": null}}`, `{"permissions": {"allow": [`, `{"a": {"a": {}}}`, "[[[[", "//", "/*", `{"\ud800": 1}`, `{"idleTimeout": 1e18}`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var s Settings
		d := decoder{settings: &s}
		err := d.decode("x", []byte(text))
		var e *Error
		if err != nil && (!errors.As(err, &e) || e.Text == "" || e.Hint == "") {
			t.Errorf("decode(%q) = %v", text, err)
		}
		if s.MaxTurns < 0 || s.MaxOutput < 0 || s.TokenBudget < 0 || s.MaxCost < 0 || s.IdleTimeout < -1 || s.FirstByteTimeout < -1 {
			t.Errorf("decode(%q) gives %+v", text, s)
		}
	})
}

// The deepest nesting that fits into a file must not exhaust the stack.
func TestDeepNesting(t *testing.T) {
	name := write(t, strings.Repeat("[", maxSize))
	if _, _, err := Load(name, ""); err == nil {
		t.Error("a file of brackets was taken")
	}
}
