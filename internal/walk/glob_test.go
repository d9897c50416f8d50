package walk

import "testing"

// The cases are git's own words and corners (gitignore(5)); that the whole
// agrees with git is checked by TestAgreesWithGit.
func TestMatchPath(t *testing.T) {
	for _, tc := range []struct {
		pattern, path string
		want          bool
	}{
		{"a/b", "a/b", true},
		{"a/b", "a/b/c", false},
		{"a/*", "a/b", true},
		{"a/*", "a/b/c", false},
		{"a/?", "a/é", false}, // a byte, as in git
		{"**/a", "a", true},
		{"**/a", "x/y/a", true},
		{"**/a", "x/ya", false},
		{"a/**", "a", false},
		{"a/**", "a/b/c", true},
		{"a/**/b", "a/b", true},
		{"a/**/b", "a/x/y/b", true},
		{"a/**/b", "a/xb", false},
		{"a/**/**/b", "a/b", true},
		{"a/***/b", "a/x/y/b", true},
		{"a**b/c", "axxb/c", true},
		{"a**b/c", "a/b/c", false},
		{"a//b", "a/b", false},
		{`a\/b`, "a/b", true},
		{"[a/]b/c", "ab/c", true},
		{"*a*b*c/x", "aabbabc/x", true},
		{"*a*b*c/x", "aabbabcd/x", false},
	} {
		if got := matchPath(splitSegments(tc.pattern), tc.path); got != tc.want {
			t.Errorf("%q on %q: %v", tc.pattern, tc.path, got)
		}
	}
}

func TestMatchName(t *testing.T) {
	for _, tc := range []struct {
		pattern string
		yes, no []string
	}{
		{"", []string{""}, []string{"a"}},
		{"*", []string{"", "a", "abc"}, nil},
		{"a*c", []string{"ac", "abc", "abcc"}, []string{"a", "acb"}},
		{"?b", []string{"ab", "bb"}, []string{"b", "abb"}},
		{"[abc]", []string{"a", "c"}, []string{"d", "", "ab"}},
		{"[!abc]", []string{"d", "!"}, []string{"a"}},
		{"[^abc]", []string{"d", "^"}, []string{"a"}},
		{"[a-c]x", []string{"ax", "bx"}, []string{"dx", "-x"}},
		{"[a-]", []string{"a", "-"}, []string{"b"}},
		{"[-a]", []string{"a", "-"}, []string{"b"}},
		{"[]a]", []string{"]", "a"}, []string{"b"}},
		{"[!]a]", []string{"b"}, []string{"]", "a"}},
		{`[\]a]`, []string{"]", "a"}, []string{`\`}},
		{`[a-\d]`, []string{"a", "c", "d"}, []string{`\`, "e"}},
		{"[a-c-e]", []string{"b", "-", "e"}, []string{"d"}},
		{"[[:digit:]x]", []string{"5", "x"}, []string{":", "d"}},
		{"[[:alpha:][:digit:]]", []string{"5", "x"}, []string{"-"}},
		{"[[:]", []string{"[", ":"}, []string{"a"}},
		{"[[:nope:]]", nil, []string{"n", ":", "]"}},
		{"[a", nil, []string{"[a", "a"}},
		{"[", nil, []string{"["}},
		{`a\*`, []string{"a*"}, []string{"ab", `a\b`}},
		{`a\`, nil, []string{"a", `a\`}},
		{`\a`, []string{"a"}, []string{`\a`}},
	} {
		for _, s := range tc.yes {
			if !matchName(tc.pattern, s) {
				t.Errorf("%q does not match %q", tc.pattern, s)
			}
		}
		for _, s := range tc.no {
			if matchName(tc.pattern, s) {
				t.Errorf("%q matches %q", tc.pattern, s)
			}
		}
	}
}

func TestNamedClasses(t *testing.T) {
	for name, want := range map[string]string{
		"alpha": "aZ", "digit": "09", "alnum": "aZ0", "lower": "a", "upper": "Z", "space": " \t\r", "blank": " \t",
		"punct": "!~", "graph": "a!", "print": "a ", "cntrl": "\x01\x7f", "xdigit": "fA9",
	} {
		for _, c := range []byte(want) {
			if in, known := namedClass(name, c); !in || !known {
				t.Errorf("%q is not in [:%s:]", c, name)
			}
		}
		if in, _ := namedClass(name, 0x80); in {
			t.Errorf("byte 80 is in [:%s:]", name)
		}
	}
}

// A pattern of many stars must not take for ever.
func TestManyStars(t *testing.T) {
	name := ""
	for range 200 {
		name += "a"
	}
	if matchName("*a*a*a*a*a*a*a*a*a*a*a*a*b", name) {
		t.Error("matched")
	}
}

func FuzzMatch(f *testing.F) {
	f.Add("**/[a-z]*/x", "a/b/x")
	f.Add(`[[:alpha:]\]`, "a")
	f.Fuzz(func(_ *testing.T, pattern, path string) {
		if r, ok := parseRule(pattern); ok {
			r.match(path, path)
		}
	})
}

func TestTrimSpaces(t *testing.T) {
	for in, want := range map[string]string{"a": "a", "a  ": "a", `a\ `: `a\ `, `a\  `: `a\ `, " a b ": " a b", "  ": "", `a\\ `: `a\\`, `a\`: `a\`, "a\t": "a\t"} {
		if got := trimSpaces(in); got != want {
			t.Errorf("trimSpaces(%q) = %q, want %q", in, got, want)
		}
	}
}
