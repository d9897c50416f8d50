package daruma

import "github.com/daruma-dev/daruma/tool"

// SetExecutor makes the agent run its calls by another executor.
func (a *Agent) SetExecutor(x tool.NewExecutor) { a.driver.Executor = x }

// JournalPath is where the session's journal lies.
func (a *Agent) JournalPath() string { return a.journal.Path() }
