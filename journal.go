package daruma

import (
	"github.com/daruma-dev/daruma/session"
)

// journal begins a session, or takes up the one to go on with. It is nil where
// nothing is to be kept.
func journal(o Options, dir, model string) (*session.Journal, error) {
	if o.NoJournal {
		return nil, nil
	}
	state := o.StateDir
	if state == "" {
		var err error
		if state, err = session.StateDir(o.getenv); err != nil {
			return nil, err
		}
	}
	so := session.Options{StateDir: state, Dir: dir, Model: model}
	path, err := chosen(o, state, dir)
	switch {
	case err != nil:
		return nil, err
	case path == "":
		return session.Create(so)
	case o.Fork:
		return session.Fork(path, so)
	default:
		return session.Open(path)
	}
}

// chosen is the journal of the session to go on with, or empty for a new one.
func chosen(o Options, state, dir string) (string, error) {
	switch {
	case o.Resume != "" && o.Continue:
		return "", &UsageError{Text: "--resume and --continue exclude each other", Hint: "use one of them"}
	case o.Resume != "":
		return session.Find(state, o.Resume)
	case o.Continue:
		return session.Latest(state, dir)
	case o.Fork:
		return "", &UsageError{Text: "--fork needs a session to copy", Hint: "add --continue or --resume ID"}
	default:
		return "", nil
	}
}
