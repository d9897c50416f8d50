package modeltest

import "slices"

// end is the hash of the whole conversation.
func (r *request) end() hash {
	var c chain
	for _, m := range r.messages {
		for _, b := range m.blocks {
			c.add(m.role, b)
		}
	}
	return c.sum
}

// checkThinking checks that thinking is our own, unchanged, and where it
// belongs: with the model that wrote it and behind the conversation it
// followed. Within the calls that are being answered it also has to be there,
// if it still fits.
func (c *checker) checkThinking(r *request) error {
	var so chain
	loop := r.loopStart()
	for i, m := range r.messages {
		before := []hash{so.sum} // states of the conversation a block of m may have answered
		for _, b := range m.blocks {
			if err := c.checkOwn(r, b, before); err != nil {
				return err
			}
			so.add(m.role, b)
			before = append(before, so.sum)
		}
		if i >= loop {
			if err := c.checkKept(r, m, before); err != nil {
				return err
			}
		}
	}
	return nil
}

// loopStart is where the calls begin whose answers are being sent: after the
// last message of the user that answers none.
func (r *request) loopStart() int {
	for i := len(r.messages) - 1; i >= 0; i-- {
		m := r.messages[i]
		if m.role == roleUser && len(resultsOf(m)) == 0 {
			return i
		}
	}
	return 0
}

// signatureOf is what a thinking block is known by.
func signatureOf(b wireBlock) string {
	if b.typ == "redacted_thinking" {
		return b.text("data")
	}
	return b.text("signature")
}

// checkOwn checks one block against what was issued.
func (c *checker) checkOwn(r *request, b wireBlock, before []hash) error {
	if b.typ != "thinking" && b.typ != "redacted_thinking" {
		return nil
	}
	known := c.issued.issues(signatureOf(b))
	why := ""
	for _, is := range known {
		switch {
		case is.text != b.text("thinking"):
			why = "modified"
		case is.model != r.model:
			why = "it was written by another model"
		case !slices.Contains(before, is.before):
			why = "the conversation before it has changed"
		default:
			return nil
		}
	}
	if why == "modified" {
		return at(b.path, "`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. "+
			"These blocks must remain as they were in the original response.")
	}
	if why == "" {
		return at(b.path, "Invalid `signature` in `%s` block", b.typ)
	}
	return at(b.path, "Invalid `signature` in `%s` block: %s", b.typ, why)
}

// checkKept checks that a message with calls has kept the thinking before them.
func (c *checker) checkKept(r *request, m wireMessage, before []hash) error {
	var have []string
	for _, b := range m.blocks {
		switch b.typ {
		case "thinking", "redacted_thinking":
			have = append(have, signatureOf(b))
		case "tool_use":
			for _, t := range c.issued.turnsOf(b.text("id")) {
				fits := t.model == r.model && slices.Contains(before, t.before)
				if missing := without(t.thinking, have); fits && len(missing) > 0 {
					return at(b.path+".type", "Expected `thinking` or `redacted_thinking`, but found `tool_use`. "+
						"A reply with calls must be sent back with the thinking before them (%s).", missing[0])
				}
			}
		}
	}
	return nil
}
