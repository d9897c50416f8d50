package modeltest

import (
	"slices"
	"strings"

	"github.com/daruma-dev/daruma/message"
)

const (
	roleUser      = string(message.User)
	roleAssistant = string(message.Assistant)
	// maxMessages is how many messages a request may have.
	maxMessages = 100_000
)

// checkRoles checks which messages follow each other.
func (c *checker) checkRoles(r *request) error {
	if len(r.messages) == 0 {
		return at("messages", "at least one message is required")
	}
	if len(r.messages) > maxMessages {
		return at("messages", "List should have at most %d items", maxMessages)
	}
	if r.messages[0].role != roleUser {
		return at("messages", "first message must use the %q role", roleUser)
	}
	for i, m := range r.messages {
		if len(m.blocks) == 0 {
			return at(m.path, "all messages must have non-empty content")
		}
		if i > 0 && m.role == r.messages[i-1].role {
			return at("messages", "roles must alternate between %q and %q, but found multiple %q roles in a row at %s",
				roleUser, roleAssistant, m.role, m.path)
		}
		if m.role == roleSystem {
			if err := checkSystemMessage(r, i); err != nil {
				return err
			}
		}
	}
	return c.checkLast(r)
}

// checkSystemMessage checks a system message between the others.
func checkSystemMessage(r *request, i int) error {
	before := r.messages[i-1] // the first is the user's
	switch {
	case !traitsOf(r.model).system:
		return at(r.messages[i].path+".role", "Input should be 'user' or 'assistant'")
	case before.role == roleAssistant && !isServerResult(before.blocks[len(before.blocks)-1]):
		return at(r.messages[i].path, "a system message must follow a user message")
	case i+1 < len(r.messages) && r.messages[i+1].role != roleAssistant:
		return at(r.messages[i].path, "a system message must be last or followed by an assistant message")
	}
	return nil
}

// checkLast refuses a start of the reply that is put into the model's mouth.
// Only a reply that the service itself paused may come last.
func (c *checker) checkLast(r *request) error {
	for _, m := range r.messages {
		if m.role == roleAssistant && strings.HasSuffix(m.blocks[len(m.blocks)-1].typ, "thinking") {
			return at(m.path, "The final block in an assistant message cannot be `thinking`.")
		}
	}
	last := r.messages[len(r.messages)-1]
	if last.role != roleAssistant {
		return nil
	}
	if b := last.blocks[len(last.blocks)-1]; isServerCall(b) || isServerResult(b) || c.issued.paused(meaning(b)) {
		return nil
	}
	return wrong("This model does not support assistant message prefill. The conversation must end with a user message.")
}

// checkPairs checks that each call has its result in the next message.
func checkPairs(r *request) error {
	seen := map[string]bool{}
	var owed []string // calls of the message before
	for i, m := range r.messages {
		if err := checkResults(m, owed); err != nil {
			return err
		}
		if missing := without(owed, resultsOf(m)); len(missing) > 0 {
			return unanswered(i-1, missing)
		}
		owed = nil
		for _, b := range m.blocks {
			if b.typ != "tool_use" {
				continue
			}
			id := b.text("id")
			if seen[id] {
				return wrong("messages: `tool_use` ids must be unique: %s at %s", id, b.path)
			}
			seen[id] = true
			owed = append(owed, id)
		}
	}
	if len(owed) > 0 {
		return unanswered(len(r.messages)-1, owed)
	}
	return nil
}

func unanswered(i int, ids []string) error {
	return wrong("messages.%d: `tool_use` ids were found without `tool_result` blocks immediately after: %s. "+
		"Each `tool_use` block must have a corresponding `tool_result` block in the next message.", i, strings.Join(ids, ", "))
}

// checkResults checks the results of a message against the calls before it.
func checkResults(m wireMessage, owed []string) error {
	other := "" // type of the first block that is no result
	given := map[string]bool{}
	for _, b := range m.blocks {
		if b.typ != "tool_result" {
			if other == "" {
				other = b.typ
			}
			continue
		}
		id := b.text("tool_use_id")
		switch {
		case len(without([]string{id}, owed)) > 0:
			return wrong("%s: unexpected `tool_use_id` found in `tool_result` blocks: %s. Each `tool_result` block must have "+
				"a corresponding `tool_use` block in the previous message.", b.path, id)
		case given[id]:
			return wrong("%s: each tool_use must have a single result. Found multiple `tool_result` blocks with id: %s", b.path, id)
		case other != "":
			return wrong("%s: `tool_result` blocks must come first in a message, but a `%s` block stands before", b.path, other)
		}
		given[id] = true
	}
	return nil
}

func resultsOf(m wireMessage) []string {
	var ids []string
	for _, b := range m.blocks {
		if b.typ == "tool_result" {
			ids = append(ids, b.text("tool_use_id"))
		}
	}
	return ids
}

// without is the members of a that are not in b, in their order.
func without(a, b []string) []string {
	in := make(map[string]bool, len(b))
	for _, s := range b {
		in[s] = true
	}
	var out []string
	for _, s := range a {
		if !in[s] {
			out = append(out, s)
		}
	}
	return out
}

// checkServerCalls checks that the service's own calls still have their
// results. A reply that also has calls of ours may lack them: they come at the
// start of the next reply, if nothing but our results stands between.
func checkServerCalls(r *request) error {
	var open []wireBlock // calls of the reply before
	for _, m := range r.messages {
		calls, results := serverCalls(m)
		for _, b := range open {
			id, name := b.text("id"), b.text("name")
			if m.role == roleAssistant && !results[id] || m.role == roleUser && len(resultsOf(m)) < len(m.blocks) {
				return wrong("%s: `%s` tool use with id `%s` was found without a corresponding `%s_tool_result` block",
					b.path, name, id, name)
			}
		}
		if m.role == roleAssistant {
			open = slices.DeleteFunc(calls, func(b wireBlock) bool { return results[b.text("id")] })
		}
	}
	return nil
}

// serverCalls lists the service's own calls in a message, and which have their
// results there.
func serverCalls(m wireMessage) (calls []wireBlock, results map[string]bool) {
	results = map[string]bool{}
	for _, b := range m.blocks {
		switch {
		case isServerCall(b):
			calls = append(calls, b)
		case isServerResult(b):
			results[b.text("tool_use_id")] = true
		}
	}
	return calls, results
}

// merged puts messages of one role in a row together, as the service does.
func merged(ms []wireMessage) []wireMessage {
	var out []wireMessage
	for _, m := range ms {
		if n := len(out); n > 0 && out[n-1].role == m.role {
			out[n-1].blocks = slices.Concat(out[n-1].blocks, m.blocks)
			out[n-1].media = slices.Concat(out[n-1].media, m.media)
			continue
		}
		out = append(out, m)
	}
	return out
}
