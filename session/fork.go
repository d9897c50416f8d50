package session

import (
	"context"

	"github.com/daruma-dev/daruma/loop"
)

// Fork copies the journal at path into a new session, which it returns open.
// Like an opened one it must be loaded. Paged-out texts are not copied: the
// copy refers to those of the original, which `daruma sessions rm` on the
// original removes. The original may be in use meanwhile.
func Fork(path string, o Options) (*Journal, error) {
	var c Contents
	var entries []loop.Entry
	for e, err := range Read(path, &c) {
		if err != nil {
			return nil, err
		}
		entries = append(entries, e)
	}
	o.Parent = c.Header.Session
	j, err := Create(o)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		e.Sync = false
		if err := j.Record(context.Background(), e); err != nil {
			return nil, err
		}
	}
	return j, nil
}
