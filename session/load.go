package session

import (
	"github.com/daruma-dev/daruma/loop"
	"github.com/daruma-dev/daruma/model"
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

// bridge leads a fold over a gap, so that a lost entry costs no more than
// itself. What cannot come next in a whole journal shows what is lost:
//
//   - A reply arrives while no reply is owed: the end of the turn or run before
//     it is lost. Its open calls are answered, and what the user typed joins
//     the record before the reply, not after it.
//   - Something follows a reply that is still streaming: its end is lost. It is
//     kept as far as it was recorded.
func bridge(f *loop.Folding, next loop.Result) {
	s := f.State()
	switch r := next.(type) {
	case loop.Sampled:
		if !owed(s, r.Reply != nil && s.Partial != nil && r.Reply.ID != s.Partial.ID) {
			f.Apply(loop.Resumed{Continue: true})
		}
	case loop.Began:
		if len(r.Parts) > 0 && !owed(s, s.Partial != nil && r.ID != s.Partial.ID) {
			f.Apply(loop.Resumed{Continue: true})
		}
	case loop.Vetted, loop.Answered, loop.Executed, loop.Attached, loop.Consulted, loop.Interrupted, loop.Ended:
		if s.Partial != nil {
			f.Apply(loop.Sampled{Model: s.Partial.Model, Err: &model.Error{Kind: model.Cut}, NoAnswer: true})
		}
	case loop.Received, loop.Finished, loop.Waited, loop.Refreshed, loop.Compacted, loop.Resumed:
	}
}

// owed reports whether the session is waiting for a reply, or for more of one;
// another says that what arrives belongs to another one.
func owed(s loop.State, another bool) bool {
	return s.Phase == loop.PhaseSample && !another && (s.Partial != nil || len(s.Calls) == 0)
}
