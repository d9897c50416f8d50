package session

import (
	"github.com/daruma-dev/daruma/loop"
)

// Load reads the session's state from the journal, so that it can be written
// on. What was found wrong is in [Journal.Notices]. It takes time in proportion
// to the journal's length. A journal that was just begun has the zero State.
func (j *Journal) Load(m *loop.Machine) (loop.State, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	switch {
	case j.closed:
		return loop.State{}, errClosed
	case j.f == nil:
		return loop.State{}, nil
	}
	var c Contents
	s, err := Fold(j.path, m, &c)
	if err != nil {
		return loop.State{}, err
	}
	j.header, j.size, j.noEnd, j.dirty = c.Header, c.good, c.noEnd, c.Torn > 0
	j.seq = c.Last + int64(c.behind) // so that a gap stays one
	j.notices = c.Notices()
	j.ready = true
	return s, nil
}

// Fold is the state that the journal at path ends in. Like [Read] it fills in c,
// changes nothing and locks nothing.
func Fold(path string, m *loop.Machine, c *Contents) (loop.State, error) {
	f := m.Folding(loop.State{})
	for e, err := range Read(path, c) {
		if err != nil {
			return loop.State{}, err
		}
		if c.Missing > 0 {
			bridge(f, e.Result)
		}
		f.Add(e)
	}
	return f.State(), nil
}
