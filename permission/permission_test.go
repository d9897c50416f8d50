package permission

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func rules(t testing.TB, texts ...string) []Rule {
	t.Helper()
	var out []Rule
	for _, text := range texts {
		r, err := ParseRule(text)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, r)
	}
	return out
}

// policy is a workspace at /ws with a home at /home/u. Each word of spec is
// "allow:rule", "ask:rule", "deny:rule" or a mode; rules hold no commas.
func policy(t testing.TB, spec string) Policy {
	t.Helper()
	p := Policy{Mode: Default, Roots: []string{"/ws", "/extra"}, Readable: []string{"/state"}, Home: "/home/u"}
	for _, word := range strings.Split(spec, ",") {
		kind, rule, ok := strings.Cut(strings.TrimSpace(word), ":")
		switch {
		case word == "":
		case !ok:
			m, err := ParseMode(kind)
			if err != nil {
				t.Fatal(err)
			}
			p.Mode = m
		case kind == "allow":
			p.Allow = append(p.Allow, rules(t, rule)...)
		case kind == "ask":
			p.Ask = append(p.Ask, rules(t, rule)...)
		case kind == "deny":
			p.Deny = append(p.Deny, rules(t, rule)...)
		default:
			t.Fatalf("unknown %q", word)
		}
	}
	return p
}

func TestParseMode(t *testing.T) {
	for name, want := range map[string]Mode{
		"": Default, "default": Default, "manual": Default, "accept-edits": AcceptEdits, "acceptEdits": AcceptEdits, "plan": Plan, "PLAN": Plan,
		"bypass": Bypass, "bypassPermissions": Bypass, " plan ": Plan,
	} {
		if got, err := ParseMode(name); err != nil || got != want {
			t.Errorf("ParseMode(%q) = %q, %v, want %q", name, got, err, want)
		}
	}
	_, err := ParseMode("yolo")
	var e *Error
	if !errors.As(err, &e) || e.Text != `there is no permission mode "yolo"` || e.Hint() != "use default, accept-edits, plan or bypass" {
		t.Errorf("ParseMode: %#v", err)
	}
}

func TestParseRule(t *testing.T) {
	for text, want := range map[string]Rule{
		"Bash":                 {tool: "shell"},
		"bash(ls)":             {tool: "shell", spec: "ls"},
		" shell( go test * ) ": {text: "shell( go test * )", tool: "shell", spec: "go test *"},
		"Bash(git diff:*)":     {tool: "shell", spec: "git diff:*"},
		"Bash(echo (a) $(b))":  {tool: "shell", spec: "echo (a) $(b)"},
		"READ(./a)":            {tool: "read", spec: "./a"},
		"Write":                {tool: "write"},
		"MultiEdit(a)":         {tool: "edit", spec: "a"},
		"Grep":                 {tool: "grep"},
		"Glob(**/x)":           {tool: "glob", spec: "**/x"},
		"WebFetch(domain:a.b)": {tool: "fetch", spec: "domain:a.b"},
		"mcp__srv__tool":       {tool: "mcp__srv__tool"},
		"mcp__*":               {tool: "mcp__*"},
		"Agent(Explore)":       {tool: "task", spec: "Explore"},
	} {
		if want.text == "" {
			want.text = text
		}
		if got, err := ParseRule(text); err != nil || got != want {
			t.Errorf("ParseRule(%q) = %#v, %v, want %#v", text, got, err, want)
		}
	}
}

func TestParseRuleErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                   "a permission rule is empty",
		"  ":                 "a permission rule is empty",
		"(x)":                `the permission rule "(x)" does not begin with the name of a tool`,
		"go test":            `the permission rule "go test" does not begin with the name of a tool`,
		"shell(x":            `the permission rule "shell(x" has an opening bracket but does not end with a closing one`,
		"shell(x) y":         `the permission rule "shell(x) y" has an opening bracket but does not end with a closing one`,
		"shell()":            `the permission rule "shell()" has nothing between its brackets`,
		"shell(a:* b)":       `the permission rule "shell(a:* b)" has :* in the middle, which only works at the end`,
		"read(!a)":           `the permission rule "read(!a)" begins with !, which is not supported`,
		"edit(a[)":           `the permission rule "edit(a[)" has a pattern that cannot be read`,
		"fetch(example.com)": `the permission rule "fetch(example.com)" does not name a domain`,
		"fetch(domain:)":     `the permission rule "fetch(domain:)" does not name a domain`,
	} {
		_, err := ParseRule(text)
		var e *Error
		if !errors.As(err, &e) || e.Text != want || e.Hint() == "" || strings.Contains(e.Text+e.Hint(), "\n") {
			t.Errorf("ParseRule(%q) = %v, want %q and a hint", text, err, want)
		}
	}
}

func TestFiles(t *testing.T) {
	for _, c := range []struct {
		policy, tool, action, path string
		want                       Decision
	}{
		// Defaults.
		{"", "read", read, "/ws/a", Allow},
		{"", "read", read, "/ws", Allow},
		{"", "read", read, "/extra/a", Allow},
		{"", "read", read, "/state/out.txt", Allow},
		{"", "read", read, "/wsx/a", Ask},
		{"", "read", read, "/etc/passwd", Ask},
		{"", "read", read, "/home/u/.ssh/id", Ask},
		{"", "grep", read, "/ws", Allow},
		{"", "grep", read, "/", Ask},
		{"", "glob", read, "/etc", Ask},
		{"", "write", write, "/ws/a", Ask},
		{"", "edit", write, "/ws/a", Ask},
		{"accept-edits", "write", write, "/ws/a", Allow},
		{"accept-edits", "edit", write, "/ws/d/a", Allow},
		{"accept-edits", "edit", write, "/extra/a", Allow},
		{"accept-edits", "edit", write, "/state/a", Ask},
		{"accept-edits", "edit", write, "/etc/a", Ask},
		{"accept-edits", "edit", write, "/neighbour/x", Ask}, // B112: what ws/shared/x leads to
		{"accept-edits", "read", read, "/neighbour/y", Ask},
		{"plan", "edit", write, "/ws/a", Deny},
		{"plan", "read", read, "/ws/a", Allow},
		{"plan", "read", read, "/etc/a", Ask},
		{"bypass", "edit", write, "/etc/a", Allow},
		{"bypass", "read", read, "/etc/a", Allow},
		// Files that other programs obey.
		{"accept-edits", "edit", write, "/ws/.git/hooks/pre-commit", Ask},
		{"accept-edits", "edit", write, "/ws/sub/.git/config", Ask},
		{"accept-edits", "edit", write, "/ws/.GIT/config", Ask},
		{"accept-edits", "write", write, "/ws/.husky/x", Ask},
		{"accept-edits", "write", write, "/ws/.vscode/tasks.json", Ask},
		{"accept-edits", "write", write, "/ws/.bashrc", Ask},
		{"accept-edits", "write", write, "/ws/.envrc", Ask},
		{"accept-edits", "write", write, "/ws/.gitignore", Allow},
		{"accept-edits", "write", write, "/ws/.github/workflows/a.yml", Allow},
		{"bypass", "write", write, "/ws/.git/config", Allow},
		{"accept-edits,allow:edit(.git/config)", "write", write, "/ws/.git/config", Allow},
		// Allow rules.
		{"allow:edit", "edit", write, "/ws/a", Allow},
		{"allow:edit", "write", write, "/ws/a", Allow},
		{"allow:write", "write", write, "/ws/a", Allow},
		{"allow:write", "edit", write, "/ws/a", Ask},
		{"allow:write(docs/**)", "write", write, "/ws/docs/a", Allow},
		{"allow:write(docs/**)", "edit", write, "/ws/docs/a", Ask},
		{"allow:edit(docs/**)", "edit", write, "/ws/docs/a/b", Allow},
		{"allow:edit(docs/**)", "edit", write, "/extra/docs/a", Allow},
		{"allow:edit(docs/**)", "edit", write, "/ws/x/docs/a", Ask}, // anchored for allow
		{"allow:edit(docs/**)", "edit", write, "/ws/docsx/a", Ask},
		{"allow:edit(/docs/**)", "edit", write, "/docs/a", Ask},
		{"allow:edit(//docs/**)", "edit", write, "/docs/a", Allow},
		{"allow:edit(*.md)", "edit", write, "/ws/x/y/a.md", Allow},
		{"allow:edit(*.md)", "edit", write, "/etc/a.md", Ask},
		{"allow:edit(./*.md)", "edit", write, "/ws/a.md", Allow},
		{"allow:edit(./*.md)", "edit", write, "/ws/x/a.md", Ask},
		{"allow:edit(a/**/b)", "edit", write, "/ws/a/b", Allow},
		{"allow:edit(a/**/b)", "edit", write, "/ws/a/x/y/b/c", Allow},
		{"allow:edit(docs)", "edit", write, "/ws/docs/a", Allow}, // a directory and all in it
		{"allow:edit(docs/)", "edit", write, "/ws/x/docs/a", Allow},
		{"allow:edit(~/notes/**)", "edit", write, "/home/u/notes/a", Allow},
		{"allow:edit(~/notes/**)", "edit", write, "/home/v/notes/a", Ask},
		{"allow:edit(../b/**)", "edit", write, "/b/x", Allow},
		{"allow:read(//etc/**)", "read", read, "/etc/passwd", Allow},
		{"allow:read(//etc/**)", "grep", read, "/etc", Allow},
		{"allow:read(//etc/**)", "edit", write, "/etc/passwd", Ask},
		{"allow:read", "read", read, "/etc/passwd", Allow},
		{"allow:grep", "read", read, "/etc/passwd", Ask},
		{"allow:grep", "grep", read, "/etc/passwd", Allow},
		// Deny and ask rules.
		{"deny:read(secret)", "read", read, "/ws/a/secret", Deny},
		{"deny:read(.env)", "read", read, "/ws/.env", Deny},
		{"deny:read(.env)", "read", read, "/other/.env", Deny}, // at any depth anywhere
		{"deny:read(.env)", "read", read, "/ws/.envx", Allow},
		{"deny:read(.env)", "grep", read, "/ws/.env", Deny},
		{"deny:read(.env)", "edit", write, "/ws/.env", Deny}, // what may not be read may not be changed
		{"deny:read(.env),accept-edits", "write", write, "/ws/.env", Deny},
		{"deny:read(secrets/**)", "read", read, "/ws/x/secrets/a", Deny},
		{"deny:read(secrets/**)", "read", read, "/ws/secrets", Deny},
		{"deny:read(/etc/**)", "read", read, "/etc/passwd", Deny}, // the real one too
		{"deny:read(/etc/**)", "read", read, "/ws/etc/a", Deny},
		{"deny:edit(docs/**),bypass", "write", write, "/ws/docs/a", Deny},
		{"deny:edit(docs/**)", "read", read, "/ws/docs/a", Allow},
		{"deny:write(docs/**),bypass", "edit", write, "/ws/docs/a", Deny},
		{"deny:edit,bypass", "write", write, "/ws/a", Deny},
		{"deny:read,bypass", "edit", write, "/ws/a", Allow},
		{"deny:read", "glob", read, "/ws", Deny},
		{"deny:grep", "read", read, "/ws/a", Allow},
		{"deny:grep", "grep", read, "/ws/a", Deny},
		{"ask:read(.env)", "read", read, "/ws/.env", Ask},
		{"ask:edit(docs/**),bypass", "edit", write, "/ws/docs/a", Ask},
		{"ask:edit(docs/**),allow:edit", "edit", write, "/ws/docs/a", Ask},
		{"ask:edit,deny:edit(a)", "edit", write, "/ws/a", Deny},
		{"allow:edit(a),deny:edit(a),ask:edit(a)", "edit", write, "/ws/a", Deny},
		{"plan,allow:edit", "edit", write, "/ws/a", Deny},
	} {
		r := Request{Tool: c.tool, Action: c.action, Paths: []string{c.path}}
		if got := policy(t, c.policy).Decide(r); got.Decision != c.want {
			t.Errorf("[%s] %s %s: %s (%s), want %s", c.policy, c.tool, c.path, got.Decision, got.Reason, c.want)
		}
	}
}

func TestSeveralFiles(t *testing.T) {
	for _, c := range []struct {
		policy string
		paths  []string
		named  []string
		want   Decision
	}{
		{"allow:edit(a),allow:edit(b)", []string{"/ws/a", "/ws/b"}, nil, Allow},
		{"allow:edit(a)", []string{"/ws/a", "/ws/b"}, nil, Ask},
		{"deny:edit(b),allow:edit", []string{"/ws/a", "/ws/b"}, nil, Deny},
		{"accept-edits", []string{"/ws/a", "/etc/b"}, nil, Ask},
		{"accept-edits", nil, nil, Ask},
		// A link: both ends count for deny, only what it leads to for allow.
		{"deny:edit(shared/**),bypass", []string{"/neighbour/x"}, []string{"/ws/shared/x"}, Deny},
		{"deny:edit(//neighbour/**),bypass", []string{"/neighbour/x"}, []string{"/ws/shared/x"}, Deny},
		{"allow:edit(shared/**)", []string{"/neighbour/x"}, []string{"/ws/shared/x"}, Ask},
	} {
		r := Request{Tool: "edit", Action: write, Paths: c.paths, Named: c.named}
		if got := policy(t, c.policy).Decide(r); got.Decision != c.want {
			t.Errorf("[%s] %v: %s (%s), want %s", c.policy, c.paths, got.Decision, got.Reason, c.want)
		}
	}
}

func TestOtherTools(t *testing.T) {
	for _, c := range []struct {
		policy, tool, action, target string
		want                         Decision
	}{
		{"", "fetch", fetch, "https://a.b/c", Ask},
		{"plan", "fetch", fetch, "https://a.b/c", Ask},
		{"bypass", "fetch", fetch, "https://a.b/c", Allow},
		{"allow:fetch", "fetch", fetch, "https://a.b/c", Allow},
		{"allow:WebFetch(domain:a.b)", "fetch", fetch, "https://A.B:8080/c", Allow},
		{"allow:WebFetch(domain:a.b)", "fetch", fetch, "https://x.a.b/c", Ask},
		{"allow:WebFetch(domain:a.b)", "fetch", fetch, "https://a.b@evil.com/", Ask},
		{"allow:WebFetch(domain:a.b)", "fetch", fetch, "https://a.b.evil.com/", Ask},
		{"allow:WebFetch(domain:*.a.b)", "fetch", fetch, "https://x.a.b/c", Allow},
		{"allow:WebFetch(domain:*.a.b)", "fetch", fetch, "https://xa.b/c", Ask},
		{"deny:WebFetch(domain:a.b),bypass", "fetch", fetch, "https://x.a.b./c", Deny},
		{"deny:WebFetch(domain:a.b),bypass", "fetch", fetch, "://", Deny},
		{"deny:fetch,bypass", "web_search", fetch, "https://c", Deny},
		{"", "mcp__s__t", "other", "", Ask},
		{"plan", "mcp__s__t", "other", "", Deny},
		{"bypass", "mcp__s__t", "other", "", Allow},
		{"allow:mcp__s__t", "mcp__s__t", "other", "", Allow},
		{"allow:mcp__s__t", "mcp__s__tt", "other", "", Ask},
		{"allow:mcp__s", "mcp__s__t", "other", "", Allow},
		{"allow:mcp__s", "mcp__ss__t", "other", "", Ask},
		{"allow:mcp__s__*", "mcp__s__t", "other", "", Allow},
		{"allow:mcp__*", "mcp__s__t", "other", "", Ask}, // a * only behind a server's name
		{"allow:*", "mcp__s__t", "other", "", Ask},
		{"deny:mcp__*,bypass", "mcp__s__t", "other", "", Deny},
		{"deny:*,bypass", "mcp__s__t", "other", "", Deny},
		{"deny:MCP__S,bypass", "mcp__s__t", "other", "", Allow}, // names of servers are exact
		{"allow:Agent(Explore)", "task", "other", "Explore", Allow},
		{"allow:Agent(Explore)", "task", "other", "Change", Ask},
		{"deny:skill(deploy *),bypass", "skill", "other", "deploy now", Deny},
		{"deny:todo,bypass", "todo", "other", "", Deny},
		{"deny:shell,bypass", "todo", "other", "", Allow},
	} {
		r := Request{Tool: c.tool, Action: c.action, Target: c.target}
		if got := policy(t, c.policy).Decide(r); got.Decision != c.want {
			t.Errorf("[%s] %s %s: %s (%s), want %s", c.policy, c.tool, c.target, got.Decision, got.Reason, c.want)
		}
	}
}

func TestVerdictsSayWhy(t *testing.T) {
	for _, c := range []struct {
		policy  string
		request Request
		want    Verdict
	}{
		{
			"",
			Request{Tool: "write", Action: write, Paths: []string{"/ws/a"}},
			Verdict{Decision: Ask, Reason: "changing files needs the user's consent", Hint: "--permission-mode accept-edits"},
		},
		{
			"",
			Request{Tool: "read", Action: read, Paths: []string{"/etc/ssl/a.pem"}},
			Verdict{Decision: Ask, Reason: "/etc/ssl/a.pem lies outside of the workspace", Hint: "--allow 'read(//etc/ssl/**)'"},
		},
		{
			"accept-edits",
			Request{Tool: "write", Action: write, Paths: []string{"/ws/.git/config"}},
			Verdict{Decision: Ask, Reason: "/ws/.git/config can make other programs run things", Hint: "--allow 'edit(//ws/.git/config)'"},
		},
		{
			"deny:edit(docs/**),bypass",
			Request{Tool: "edit", Action: write, Paths: []string{"/ws/docs/a"}},
			Verdict{Decision: Deny, Rule: "edit(docs/**)", Reason: `the rule "edit(docs/**)" forbids it: find another way, or tell the user what you need`},
		},
		{
			"plan",
			Request{Tool: "edit", Action: write, Paths: []string{"/ws/a"}},
			Verdict{Decision: Deny, Reason: "in plan mode only reading is allowed: present the plan instead", Hint: "--permission-mode default"},
		},
		{
			"",
			Request{Tool: "fetch", Action: fetch, Target: "https://a.b/c?d"},
			Verdict{Decision: Ask, Reason: "fetching from the network needs the user's consent", Hint: "--allow 'fetch(domain:a.b)'"},
		},
		{
			"",
			Request{Tool: "mcp__s__t", Action: "other"},
			Verdict{Decision: Ask, Reason: "the tool `mcp__s__t` needs the user's consent", Hint: "--allow 'mcp__s__t'"},
		},
		{
			"",
			Request{Tool: "shell", Action: execute, Command: "go test ./... -run X"},
			Verdict{Decision: Ask, Reason: "`go test` is not known to only read", Hint: "--allow 'shell(go test *)'"},
		},
		{
			"",
			Request{Tool: "shell", Action: execute, Command: "echo 'a b' > it's; ls"},
			Verdict{Decision: Ask, Reason: "the command cannot be judged (1:16: reached EOF without closing quote `'`): check its quotes and brackets"},
		},
		{
			"allow:shell(go test *)",
			Request{Tool: "shell", Action: execute, Command: "go test ./... && ls"},
			Verdict{Decision: Allow, Rule: "shell(go test *)"},
		},
		{
			"plan",
			Request{Tool: "shell", Action: execute, Command: "go test ./..."},
			Verdict{Decision: Deny, Reason: "in plan mode only reading is allowed, and `go test` is not known to only read: present the plan instead", Hint: "--permission-mode default"},
		},
		{
			"ask:shell(git push *),bypass",
			Request{Tool: "shell", Action: execute, Command: "git push"},
			Verdict{Decision: Ask, Rule: "shell(git push *)", Reason: `the rule "shell(git push *)" wants the user to be asked`},
		},
		{
			"",
			Request{Tool: "shell", Action: execute, Command: "ls > out"},
			Verdict{Decision: Ask, Reason: "it writes to out, and changing files needs the user's consent", Hint: "--allow 'shell(ls > out)'"},
		},
	} {
		if got := policy(t, c.policy).Decide(c.request); got != c.want {
			t.Errorf("[%s] %+v:\n got %+v\nwant %+v", c.policy, c.request, got, c.want)
		}
	}
}

// What a hint suggests must lead to the call being allowed.
func TestSuggestionsWork(t *testing.T) {
	p := policy(t, "")
	requests := []Request{
		{Tool: "read", Action: read, Paths: []string{"/etc/a"}},
		{Tool: "write", Action: write, Paths: []string{"/etc/a"}},
		{Tool: "write", Action: write, Paths: []string{"/ws/.git/config"}},
		{Tool: "edit", Action: write, Paths: []string{"/ws/a"}},
		{Tool: "fetch", Action: fetch, Target: "https://a.b/c"},
		{Tool: "mcp__s__t", Action: "other"},
	}
	for _, command := range []string{
		"go test ./...", "npm run build -- --x", "make all", "make", "cargo build", "rm a", "python3 -c 'print(1)'", "FOO=1 make", "git commit -m 'a b'", "git diff --ext-diff", "timeout 5 go test",
		"echo ${!x}", "ls > out", "go test 2>&1 | tail -5", "find sub -delete", "./configure --x", "npm test",
	} {
		requests = append(requests, Request{Tool: "shell", Action: execute, Command: command})
	}
	for _, r := range requests {
		if v := p.Decide(r); v.Decision != Ask {
			t.Fatalf("%+v: %+v", r, v)
		}
		rule := p.Suggest(r)
		if rule == "" {
			t.Errorf("%+v: nothing is suggested", r)
			continue
		}
		allowed := p
		allowed.Allow = rules(t, rule)
		if v := allowed.Decide(r); v.Decision != Allow {
			t.Errorf("%+v: with %s still %+v", r, rule, v)
		}
	}
}

// Deny wins in every mode, in any order and company.
func TestDenyWins(t *testing.T) {
	requests := []Request{
		{Tool: "read", Action: read, Paths: []string{"/ws/x"}},
		{Tool: "edit", Action: write, Paths: []string{"/ws/x"}},
		{Tool: "write", Action: write, Paths: []string{"/ws/x"}},
		{Tool: "shell", Action: execute, Command: "cat x"},
		{Tool: "shell", Action: execute, Command: "rm x"},
		{Tool: "fetch", Action: fetch, Target: "https://x"},
		{Tool: "mcp__x__x", Action: "other"},
	}
	denials := []string{"read(x)", "edit(x)", "write(x)", "shell(cat *)", "shell(rm *)", "fetch(domain:x)", "mcp__x", "read", "edit", "shell", "fetch"}
	for _, r := range requests {
		for _, deny := range denials {
			p := Policy{Mode: Default, Roots: []string{"/ws"}, Deny: rules(t, deny)}
			want := p.Decide(r)
			if want.Decision != Deny {
				continue
			}
			for _, mode := range []Mode{Default, AcceptEdits, Plan, Bypass} {
				p.Mode = mode
				for _, other := range append(denials, "") {
					if p.Allow, p.Ask = nil, nil; other != "" {
						p.Allow, p.Ask = rules(t, other), rules(t, other)
					}
					if got := p.Decide(r); got != want {
						t.Errorf("%+v, deny %s, mode %s, allow and ask %s: %+v", r, deny, mode, other, got)
					}
				}
			}
		}
	}
}

func TestHides(t *testing.T) {
	p := policy(t, "deny:read(.env),deny:edit(docs/**),deny:grep")
	for path, want := range map[string]bool{"/ws/.env": true, "/ws/a/.env": true, "/ws/docs/a": false, "/ws/a": false} {
		if got := p.Hides(path); got != want {
			t.Errorf("Hides(%s) = %t", path, got)
		}
	}
}

func FuzzParseRule(f *testing.F) {
	for _, text := range []string{"Bash", "shell(go test:*)", "read(//a/**)", "x(", "fetch(domain:a)", "mcp__a__*"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := ParseRule(text)
		if err != nil {
			return
		}
		again, err := ParseRule(r.String())
		if err != nil || again != r {
			t.Errorf("%q is read as %#v and written as %q, which is read as %#v, %v", text, r, r.String(), again, err)
		}
		p := Policy{Mode: Bypass, Roots: []string{"/ws"}, Home: "/h", Deny: []Rule{r}}
		_ = fmt.Sprint(p.Decide(Request{Tool: "edit", Action: write, Paths: []string{"/ws/a"}}), p.Decide(Request{Tool: "shell", Action: execute, Command: "a b > c"}))
	})
}
