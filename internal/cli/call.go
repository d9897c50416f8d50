package cli

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/daruma-dev/daruma/message"
)

// lineWidth is how many characters of something from elsewhere a line shows.
const lineWidth = 100

// arg is one member of a call's input, in the order the model wrote them.
type arg struct{ name, value string }

// argsOf is the input of a call, member by member; values that are not text are
// JSON. It is nil when the input is no JSON object.
func argsOf(c message.Call) []arg {
	d := json.NewDecoder(strings.NewReader(string(c.Input)))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	var args []arg
	for d.More() {
		name, err := d.Token()
		var value json.RawMessage
		if err != nil || d.Decode(&value) != nil {
			return nil
		}
		var text string
		if json.Unmarshal(value, &text) != nil {
			text = string(value)
		}
		args = append(args, arg{fmt.Sprint(name), text})
	}
	return args
}

// callLine says in one line what a call is about: the tool, and the values of
// its input. The line is as long as they are.
func callLine(c message.Call) string {
	var values []string
	for _, a := range argsOf(c) {
		values = append(values, a.value)
	}
	return strings.TrimSpace(c.Name + " " + strings.Join(values, " "))
}

// resultLine says in one line what came of a call.
func resultLine(r message.ToolResult) string {
	what := r.Title
	if what == "" {
		what, _, _ = strings.Cut(strings.TrimSpace(r.Text), "\n")
	}
	if r.IsError() {
		what = strings.TrimSpace(strings.ReplaceAll(string(r.Status), "_", " ") + ": " + what)
	}
	if what == "" {
		what = string(r.Status)
	}
	return r.Name + ": " + what
}
