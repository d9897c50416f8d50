package session

// Error is trouble that the user can do something about.
type Error struct {
	Text string
	hint string
	Err  error // the cause below; may be nil
}

func (e *Error) Error() string { return e.Text }

// Hint says what to do.
func (e *Error) Hint() string { return e.hint }

// Unwrap gives the cause below.
func (e *Error) Unwrap() error { return e.Err }
