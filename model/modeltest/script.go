package modeltest

import (
	"sync"

	"github.com/daruma-dev/daruma/model"
)

// Script decides what is answered: [Replies] or a [Func]. It is a plan and has
// no state of its own, so that one may be played many times, also at once.
type Script interface{ play() player }

// Replies are given in order, one for each request. A reply with a guard (see
// [Reply.When]) waits for a request that it admits; each request takes the
// first reply that is left and admits it. A request that finds none is a
// mistake of the test or of the code under it, and fails.
type Replies []Reply

// Func makes up the reply to the n-th request, counted from 1. It is called
// for one request at a time.
type Func func(n int, req Request) Reply

// Request is a request as a script sees it, whether it came as a value or over
// the wire. What is asked for is made when it is asked for the first time.
type Request struct {
	parsed func() *model.Request
	body   func() []byte
}

// Parsed is the request as a value. Over the wire it is what the body says;
// images and unknown blocks are in it as they came.
func (r Request) Parsed() *model.Request { return r.parsed() }

// Body is the request's JSON on the Anthropic wire.
func (r Request) Body() []byte { return r.body() }

func requestOf(req *model.Request) Request {
	return Request{
		parsed: func() *model.Request { return req },
		body:   sync.OnceValue(func() []byte { return encode(req) }),
	}
}

func requestIn(body []byte) Request {
	return Request{
		parsed: sync.OnceValue(func() *model.Request { return decode(body) }),
		body:   func() []byte { return body },
	}
}

// player is a script in use. Its methods are called under its owner's lock.
type player interface {
	next(req Request) (Reply, bool)
	left() int
}

func (rs Replies) play() player {
	q := &queue{rest: make([]queued, len(rs))}
	for i, r := range rs {
		q.rest[i] = queued{r, max(1, r.repeat)}
	}
	return q
}

func (f Func) play() player { return &dynamic{f: f} }

type queue struct{ rest []queued }

type queued struct {
	Reply
	times int
}

func (q *queue) next(req Request) (Reply, bool) {
	for i := range q.rest {
		e := &q.rest[i]
		if e.times == 0 || !e.guard.admits(req) {
			continue
		}
		e.times--
		r := e.Reply
		for len(q.rest) > 0 && q.rest[0].times == 0 {
			q.rest = q.rest[1:]
		}
		return r, true
	}
	return Reply{}, false
}

func (q *queue) left() int {
	n := 0
	for _, e := range q.rest {
		n += e.times
	}
	return n
}

type dynamic struct {
	f Func
	n int
}

func (d *dynamic) next(req Request) (Reply, bool) {
	d.n++
	return d.f(d.n, req), true
}

func (d *dynamic) left() int { return 0 }
