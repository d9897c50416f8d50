package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/daruma-dev/daruma/loop"
	"github.com/daruma-dev/daruma/message"
)

func asks(name, input, reason, hint string) loop.Question {
	return loop.Question{
		Call:    message.Call{ID: "t", Name: name, Input: json.RawMessage(input)},
		Verdict: loop.Verdict{Reason: reason, Hint: hint},
	}
}

func TestGrantOf(t *testing.T) {
	for hint, want := range map[string]grant{
		"":                                {},
		"--allow 'shell(go test *)'":      {rule: "shell(go test *)"},
		`--allow 'shell(echo '\''a'\'')'`: {rule: "shell(echo 'a')"},
		"--permission-mode accept-edits":  {mode: "accept-edits"},
		"--allow 'shell":                  {},
		"ask your administrator":          {},
	} {
		if got := grantOf(hint); got != want {
			t.Errorf("grantOf(%q) = %+v, want %+v", hint, got, want)
		}
	}
}

func TestQuestionText(t *testing.T) {
	for _, tc := range []struct {
		name string
		q    loop.Question
		want string
	}{
		{
			"a command is shown whole",
			asks("shell", `{"command":"go test ./...\nrm -r x","timeout":5}`, "rm removes files", "--allow 'shell(rm -r x)'"),
			"\nshell wants to run:\n    go test ./...\n    rm -r x\n    timeout: 5\n  (rm removes files)\n" +
				"y: once  a: always in this session (shell(rm -r x))  n: no, or say what to do instead ",
		},
		{
			"an edit looks like a diff",
			asks("edit", `{"path":"a.go","old_string":"x\ny\n","new_string":"z"}`, "", ""),
			"\nedit wants to run:\n    path: a.go\n  - x\n  - y\n  + z\ny: once  n: no, or say what to do instead ",
		},
		{
			"nothing of it reaches the terminal as a code",
			asks("sh\u001bell", `{"com\u001bmand":"\u001b]0;own\u0007"}`, "\x1b[2J", "--allow '\x1b'"),
			"\nsh␛ell wants to run:\n    com␛mand: ␛]0;own␇\n  (␛[2J)\ny: once  a: always in this session (␛)  n: no, or say what to do instead ",
		},
	} {
		if d := cmp.Diff(tc.want, questionText(tc.q)); d != "" {
			t.Errorf("%s (-want +got)\n%s", tc.name, d)
		}
	}
}

// The text of a file is cut, and says so; a command never is, for what is hidden
// might be the worst of it.
func TestLongQuestions(t *testing.T) {
	many := strings.Repeat("line\n", 100)
	input, err := json.Marshal(map[string]string{"content": many})
	if err != nil {
		t.Fatal(err)
	}
	if text := questionText(asks("write", string(input), "", "")); strings.Count(text, "line\n") != maxShown || !strings.Contains(text, "60 more lines") {
		t.Errorf("a long file: %s", text)
	}
	if input, err = json.Marshal(map[string]string{"command": many}); err != nil {
		t.Fatal(err)
	}
	if text := questionText(asks("shell", string(input), "", "")); strings.Count(text, "line\n") != 100 {
		t.Errorf("a long command: %s", text)
	}
}

func TestReplyTo(t *testing.T) {
	type reply struct {
		Answer     loop.Answer
		Always, OK bool
	}
	yes, no := loop.Answer{CallID: "t", Allow: true}, loop.Answer{CallID: "t"}
	said := loop.Answer{CallID: "t", Reason: "the user said: use make"}
	flat := loop.Answer{CallID: "t", Reason: "the user said no"}
	narrow, wide := asks("x", `{}`, "", "--allow 'x'"), asks("x", `{}`, "", "")
	for _, tc := range []struct {
		q     loop.Question
		words string
		want  reply
	}{
		{narrow, "y", reply{yes, false, true}},
		{narrow, "YES", reply{yes, false, true}},
		{narrow, "a", reply{yes, true, true}},
		{narrow, "n", reply{flat, false, true}},
		{narrow, "use make", reply{said, false, true}},
		{narrow, "", reply{no, false, false}},
		{wide, "always", reply{no, false, false}}, // was not offered
	} {
		a, always, ok := replyTo(tc.q, tc.words)
		if d := cmp.Diff(tc.want, reply{a, always, ok}); d != "" {
			t.Errorf("%q (-want +got)\n%s", tc.words, d)
		}
	}
}

func FuzzQuestionText(f *testing.F) {
	f.Add("shell", `{"command":"\u001b[2J"}`, "why")
	f.Add("x", `{"a":[1,{"b":"\u0007"}],"a":2}`, "")
	f.Fuzz(func(t *testing.T, name, input, reason string) {
		for _, r := range questionText(asks(name, input, reason, "--allow '"+reason+"'")) {
			if r < 0x20 && r != '\n' && r != '\t' || 0x7f <= r && r < 0xa0 {
				t.Fatalf("the control character %q is shown", r)
			}
		}
	})
}
