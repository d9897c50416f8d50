package modeltest_test

import (
	"context"
	"fmt"

	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/model"
	"github.com/daruma-dev/daruma/model/modeltest"
)

// A script makes a model say, ask and fail what a test wants. Here it asks for
// a file, is overloaded once, and then sums up.
func Example() {
	client := &modeltest.Client{Script: modeltest.MustParse(`
text "I will look."
call t1 read {"path":"todo.txt"}
---
http 529
---
when "buy rice"        # what the tool found
text "You have to buy rice."
`)}
	conversation := []*message.Message{message.NewUser("u1", "What is on my list?")}
	for client.Remaining() > 0 {
		req := &model.Request{Model: "m", Messages: conversation}
		reply := &message.Message{ID: "a1", Role: message.Assistant}
		for event, err := range client.Stream(context.Background(), req) {
			if err != nil {
				fmt.Println("failed:", err)
			}
			if done, ok := event.(model.PartDone); ok {
				reply.Parts = append(reply.Parts, done.Part)
			}
		}
		if text := reply.Text(); text != "" {
			fmt.Println("said:", text)
		}
		for _, call := range reply.Calls() {
			fmt.Println("asked for:", call.Name, string(call.Input))
			conversation = append(conversation, reply, &message.Message{ID: "r1", Role: message.User, Parts: message.Parts{
				message.ToolResult{CallID: call.ID, Status: message.StatusOK, Text: "buy rice"},
			}})
		}
	}
	fmt.Println("problems:", client.Problems())
	// Output:
	// said: I will look.
	// asked for: read {"path":"todo.txt"}
	// failed: modeltest: overloaded (HTTP 529): Overloaded
	// said: You have to buy rice.
	// problems: []
}

// A Func sees each request, so a script can go on for as long as it likes and
// answer what the tools found.
func ExampleFunc() {
	script := modeltest.Func(func(n int, req modeltest.Request) modeltest.Reply {
		if n <= 2 {
			return modeltest.Call(fmt.Sprintf("t%d", n), "read", `{"path":"a"}`)
		}
		last := req.Parsed().Messages[len(req.Parsed().Messages)-1]
		return modeltest.Say(fmt.Sprintf("the last result was %q", last.Results()[0].Text))
	})
	client := &modeltest.Client{Script: script}
	conversation := []*message.Message{message.NewUser("u1", "go")}
	for n := range 3 {
		reply := &message.Message{Role: message.Assistant}
		for event, err := range client.Stream(context.Background(), &model.Request{Model: "m", Messages: conversation}) {
			if err != nil {
				fmt.Println(err)
			}
			if done, ok := event.(model.PartDone); ok {
				reply.Parts = append(reply.Parts, done.Part)
			}
		}
		fmt.Print(reply.Text())
		for _, call := range reply.Calls() {
			result := message.ToolResult{CallID: call.ID, Text: fmt.Sprintf("line %d", n+1), Status: message.StatusOK}
			conversation = append(conversation, reply, &message.Message{Role: message.User, Parts: message.Parts{result}})
		}
	}
	// Output: the last result was "line 2"
}

// A script in Go, and what it looks like as text.
func ExampleReplies_String() {
	fmt.Print(modeltest.Replies{
		modeltest.Think("let me see", "abc").Text("Hello").Call("t1", "read", `{"path":"a"}`),
		modeltest.Failure{Status: 429, Code: "ramp_limit_exceeded"}.RetryAfter(2).Reply(),
		modeltest.Say("half a sen").CutAfter(3),
		modeltest.Say("done").Usage(message.Usage{Input: 100, Output: 20}),
	})
	// Output:
	// thinking "let me see" sig=abc
	// text "Hello"
	// call t1 read {"path":"a"}
	// ---
	// http 429 code=ramp_limit_exceeded header.Retry-After=2
	// ---
	// text "half a sen"
	// cut after 3
	// ---
	// text "done"
	// usage in=100 out=20 read=0 write=0
}
