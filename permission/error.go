package permission

import "strconv"

// Error is a rule or mode that cannot be understood, in one sentence for the
// user.
type Error struct {
	Text string
	hint string
}

func (e *Error) Error() string { return e.Text }

// Hint tells the user how to mend it.
func (e *Error) Hint() string { return e.hint }

func quote(s string) string { return strconv.Quote(s) }
