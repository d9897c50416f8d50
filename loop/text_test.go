package loop

import (
	"testing"

	"github.com/daruma-dev/daruma/message"
)

func TestFinalTextJoinsThePiecesOfOneAnswer(t *testing.T) {
	say := func(text string) *message.Message {
		return &message.Message{Role: message.Assistant, Parts: message.Parts{message.Text{Text: text}}}
	}
	user := message.NewUser("u", "q")
	resume := &message.Message{Role: message.User, Origin: message.FromResume, Parts: message.Parts{message.Text{Text: "go on"}}}
	tools := &message.Message{Role: message.User, Origin: message.FromTools}
	for _, tc := range []struct {
		name string
		ms   []*message.Message
		want string
	}{
		{"nothing", nil, ""},
		{"one reply", []*message.Message{user, say("a")}, "a"},
		{"continued twice", []*message.Message{user, say("a"), user, say("b"), resume, say("c"), resume, say("d")}, "bcd"},
		{"ended among tools", []*message.Message{user, say("reading"), tools}, "reading"},
		{"no answer yet", []*message.Message{user, say("a"), user}, ""},
	} {
		if got := FinalText(State{Messages: tc.ms}); got != tc.want {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
	}
}
