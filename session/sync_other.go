//go:build !unix

package session

// syncDir does nothing here: a folder cannot be opened for it.
func syncDir(string) error { return nil }
