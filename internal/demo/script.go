package demo

import (
	"fmt"
	"strings"

	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/model/modeltest"
)

// prompt is what the user of the demonstration asks for.
const prompt = "The test of parseConfig fails. Find out why, fix it, and show that the test passes."

// script plays the model. It looks at what the tools really returned: where
// something is not as expected, it says so and stops, as a model would.
func script(n int, req modeltest.Request) modeltest.Reply {
	if n == 1 {
		return modeltest.HTTP(529) // the loop has to wait and ask again
	}
	results, turn := progress(req.Parsed().Messages)
	for _, r := range results {
		if r.IsError() {
			return modeltest.Say(fmt.Sprintf("I stop here: %s did not work.\n\n%s", r.Name, r.Text))
		}
	}
	if turn >= len(turns) {
		return modeltest.Say("I have nothing left to do.")
	}
	return turns[turn]
}

// progress is how many replies the conversation has, and the newest results.
func progress(ms []*message.Message) (results []message.ToolResult, turn int) {
	for _, m := range ms {
		if m.Role == message.Assistant {
			turn++
		}
		results = m.Results()
	}
	return results, turn
}

// turns are the replies, one a turn.
var turns = []modeltest.Reply{
	modeltest.Say("I'll look for parseConfig first.").
		Call("call_1", "grep", `{"pattern":"parseConfig"}`),
	modeltest.Say("It is defined in config.go. I'll read it and see which tests there are.").
		Call("call_2", "read", `{"path":"config.go"}`).
		Call("call_3", "glob", `{"pattern":"*_test.go"}`),
	modeltest.Say("The line is split at every “=”, so a value that has one itself is dropped. strings.Cut splits at the first only.").
		Call("call_4", "edit", quoteEdit("config.go",
			"\t\tparts := strings.Split(line, \"=\")\n\t\tif len(parts) != 2 {\n\t\t\tcontinue\n\t\t}\n\t\tconf[strings.TrimSpace(parts[0])] = strings.TrimSpace(parts[1])\n",
			"\t\tkey, value, ok := strings.Cut(line, \"=\")\n\t\tif !ok {\n\t\t\tcontinue\n\t\t}\n\t\tconf[strings.TrimSpace(key)] = strings.TrimSpace(value)\n")),
	modeltest.Say("Now the test.").
		Call("call_5", "shell", `{"command":"go test ./..."}`),
	modeltest.Say(strings.Join([]string{
		"parseConfig split each line at every “=” and threw away lines with more than one, so `url = https://example.com/?q=go` was lost.",
		"It now splits at the first “=” only. `go test ./...` passes.",
	}, " ")),
}

func quoteEdit(path, before, after string) string {
	b, err := message.Marshal(map[string]string{"path": path, "old_string": before, "new_string": after})
	if err != nil {
		panic(err) // a map of strings always encodes
	}
	return string(b)
}
