package cli

import (
	"fmt"
	"regexp"
)

const helpText = `/help      this
/session   the session's id, directory, model and permission mode
/quit      end the conversation; so does ctrl-D
What you type while the model works reaches it with its next turn.
ctrl-C interrupts the run; twice within two seconds it quits.
`

// command obeys what is typed with a slash. It is false for what is a prompt: a
// path, for one, may begin with a slash too. The error is a quit.
func (c *conversation) command(text string) (bool, error) {
	if !regexp.MustCompile(`^/[a-z]+$`).MatchString(text) {
		return false, nil
	}
	switch text {
	case "/help":
		c.screen.text(helpText)
	case "/session":
		c.screen.text(fmt.Sprintf("session %s\n%s\n%s, %s\n", c.agent.Session(), shown(c.agent.Dir()), shown(c.agent.Model()), c.agent.Mode()))
	case "/quit", "/exit":
		return true, quit{exitOK}
	default:
		c.screen.line("(there is no command " + shown(text) + "; /help lists them)")
	}
	return true, nil
}
