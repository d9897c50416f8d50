package loop

import (
	"fmt"
	"strings"

	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/tool"
)

// The words of results for calls that cannot run. They are for the model, so
// they say what to try next.

func unknownTool(name string, set tool.Set) string {
	names := set.Names()
	if len(names) == 0 {
		return fmt.Sprintf("There is no tool %q; no tools are available. Answer without one.", name)
	}
	return fmt.Sprintf("There is no tool %q. The tools are: %s.", name, strings.Join(names, ", "))
}

func malformedInput(c message.Call) string {
	in := string(c.Input)
	const most = 200
	if len(in) > most {
		in = strings.ToValidUTF8(in[:most], "") + " …"
	}
	return fmt.Sprintf("%s was not run: its input is not a JSON object: %s\nSend the call again with valid JSON.", c.Name, in)
}

func denied(c message.Call, v Verdict) message.ToolResult {
	status := v.Status
	text := v.Reason
	if status == "" {
		status = message.StatusDenied
		text = "Denied: " + orElse(v.Reason, "the user said no") + ". Do not try the same by other means; ask the user or find another way."
	}
	return message.ToolResult{CallID: c.ID, Name: c.Name, Status: status, Text: text}
}

func nobodyToAsk(v Verdict) string {
	text := orElse(v.Reason, "this needs the user's consent") + ", and nobody is there to ask"
	if v.Hint != "" {
		text += "; the user can allow it by running daruma with " + v.Hint
	}
	return text
}

// summary is a result in a few words, for people.
func summary(r message.ToolResult) string {
	switch {
	case r.Title != "":
		return r.Title
	case r.IsError():
		return r.Name + ": " + strings.ReplaceAll(string(r.Status), "_", " ")
	default:
		return r.Name
	}
}
