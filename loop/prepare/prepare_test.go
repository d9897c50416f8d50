package prepare

import (
	"fmt"
	"strings"
	"testing"

	"github.com/daruma-dev/daruma/loop"
	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/model"
	"github.com/daruma-dev/daruma/tool"
)

func results(texts ...string) *message.Message {
	m := &message.Message{ID: "r", Role: message.User}
	for i, t := range texts {
		m.Parts = append(m.Parts, message.ToolResult{CallID: fmt.Sprint(i), Status: message.StatusOK, Text: t})
	}
	return m
}

func through(v loop.View, stages ...loop.Stage) loop.View {
	for _, s := range stages {
		v = s.Do(v)
	}
	return v
}

func TestBudgetShortensOnlyWhatIsTooLong(t *testing.T) {
	long := strings.Repeat("line\n", tool.MaxResult)
	ms := []*message.Message{results("short"), results(long, "beside")}
	v := through(loop.View{Messages: ms}, Budget())
	if v.Messages[0] != ms[0] {
		t.Error("a message that fits was made anew")
	}
	got := v.Messages[1].Results()
	if len(got[0].Text) >= tool.MaxResult || got[1].Text != "beside" {
		t.Errorf("got results of %d and %d bytes", len(got[0].Text), len(got[1].Text))
	}
	if len(ms[1].Results()[0].Text) != len(long) {
		t.Error("the record was changed")
	}
	if len(v.Notes) != 1 || v.Notes[0].Freed <= 0 {
		t.Errorf("notes: %+v", v.Notes)
	}
	again := through(v, Budget())
	if again.Messages[1] != v.Messages[1] {
		t.Error("the stage is not idempotent")
	}
	if twice := through(loop.View{Messages: ms}, Budget()); twice.Messages[1] != v.Messages[1] {
		t.Error("the same result was cut anew: its bytes would be encoded again")
	}
}

func TestAssembleCountsWhatTheProviderReported(t *testing.T) {
	system := []model.Block{{Text: strings.Repeat("x", 700), Cache: true}}
	hi := message.NewUser("1", strings.Repeat("y", 350))
	v := through(loop.View{Model: "p/a", Messages: []*message.Message{hi}}, Assemble(system))
	if want := int64(200 + 100 + 4); v.Tokens != want {
		t.Errorf("estimated %d tokens, want %d", v.Tokens, want)
	}
	reply := &message.Message{ID: "2", Role: message.Assistant, Model: "p/a", Usage: &message.Usage{Input: 1000, CacheRead: 50, Output: 10}}
	more := message.NewUser("3", strings.Repeat("z", 35))
	v = through(loop.View{Model: "p/a", Messages: []*message.Message{hi, reply, more}}, Assemble(system))
	if want := int64(1060 + 10 + 4); v.Tokens != want {
		t.Errorf("counted %d tokens, want %d: the reported figure stands", v.Tokens, want)
	}
	v = through(loop.View{Model: "p/b", Messages: []*message.Message{hi, reply, more}}, Assemble(system))
	if v.Tokens >= 1000 {
		t.Errorf("counted %d tokens by another model's figures", v.Tokens)
	}
}

func TestBlocking(t *testing.T) {
	for _, tc := range []struct {
		name   string
		view   loop.View
		blocks bool
	}{
		{"fits", loop.View{Window: 10_000, Tokens: 8_000, Output: 8000}, false},
		{"no room for a reply", loop.View{Window: 10_000, Tokens: 9_001, Output: 8000}, true},
		{"a short reply fits", loop.View{Window: 10_000, Tokens: 9_500, Output: 400}, false},
		{"unknown window", loop.View{Tokens: 1 << 40}, false},
	} {
		v := through(tc.view, Blocking())
		if got := v.Block != nil; got != tc.blocks {
			t.Errorf("%s: blocked %t", tc.name, got)
		}
		if v.Block != nil && (v.Block.Reason != loop.BlockingLimit || v.Block.Hint == "") {
			t.Errorf("%s: %+v", tc.name, v.Block)
		}
	}
}
