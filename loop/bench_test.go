package loop_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/daruma-dev/daruma/loop"
	"github.com/daruma-dev/daruma/loop/prepare"
	"github.com/daruma-dev/daruma/message"
)

// conversation is a state after so many turns, about to sample.
func conversation(turns int) loop.State {
	s := loop.State{Phase: loop.PhaseSample, Turn: turns, Messages: []*message.Message{message.NewUser("u", "go")}}
	text := strings.Repeat("a line of a small file\n", 20)
	for i := range turns {
		id := fmt.Sprint("t", i)
		s.Messages = append(s.Messages,
			&message.Message{
				ID: "a" + id, Role: message.Assistant, Model: "p/m", Usage: &message.Usage{Input: int64(i) * 200, Output: 20},
				Parts: message.Parts{message.Call{ID: id, Name: "read", Input: []byte(`{"path":"a"}`)}},
			},
			&message.Message{ID: "r" + id, Role: message.User, Parts: message.Parts{message.ToolResult{CallID: id, Status: message.StatusOK, Text: text}}})
	}
	return s
}

// BenchmarkNext is the whole preparation of a request: stages and
// normalisation, without encoding.
func BenchmarkNext(b *testing.B) {
	for _, turns := range []int{10, 100, 1000} {
		b.Run(fmt.Sprint(turns, "turns"), func(b *testing.B) {
			m := &loop.Machine{Model: "p/m", Stages: prepare.Default(nil)}
			s := conversation(turns)
			b.ReportAllocs()
			for b.Loop() {
				if _, ok := m.Next(s).(loop.Sample); !ok {
					b.Fatal("no sample")
				}
			}
		})
	}
}
