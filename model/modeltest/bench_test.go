package modeltest

import (
	"bytes"
	"fmt"
	"net/http"
	"testing"

	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/model"
)

// longRequest is a conversation of so many turns with a call each, about 2 kB
// a turn.
func longRequest(turns int) []byte {
	req := &model.Request{Model: "m1", Messages: []*message.Message{message.NewUser("u", "go")}, CacheMarks: true}
	for i := range turns {
		id := fmt.Sprintf("t%d", i)
		req.Messages = append(req.Messages,
			&message.Message{Role: message.Assistant, Parts: message.Parts{message.Call{ID: id, Name: "read", Input: []byte(`{"path":"a"}`)}}},
			&message.Message{Role: message.User, Parts: message.Parts{
				message.ToolResult{CallID: id, Status: message.StatusOK, Text: string(bytes.Repeat([]byte("line of text\n"), 150))},
			}})
	}
	return encode(req)
}

// BenchmarkCheck is what the strict server spends on a request of 2 MB.
func BenchmarkCheck(b *testing.B) {
	body := longRequest(1000)
	c := newChecker(Options{})
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		r, err := c.check(body, http.Header{}, false)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := c.admit(r); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkLax is what the lax server spends on the same.
func BenchmarkLax(b *testing.B) {
	body := longRequest(1000)
	s := New(nil, Options{Lax: true})
	b.SetBytes(int64(len(body)))
	again := bytes.Clone(body)
	for b.Loop() {
		body, again = again, body // as another body arrives each time
		if _, err := s.admitLax(body); err != nil {
			b.Fatal(err)
		}
	}
}
