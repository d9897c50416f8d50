package modeltest

import (
	"net/http"
	"time"

	"github.com/daruma-dev/daruma/model"
)

// Recorded is a request as a [Server] saw it, and what became of it.
type Recorded struct {
	Method string
	Path   string // with the query
	Header http.Header
	Body   []byte // as it came, cut off behind Options.MaxBody; nil with Options.DropBodies
	Size   int    // bytes of the body

	Began    time.Time // the headers had come
	Received time.Time // the last byte of the body had come
	Answered time.Time // the answer began; zero before
	Ended    time.Time // the answer was over; zero before

	Status  int    // HTTP status of the answer; 0 when none was given
	Refused string // why the request was refused; empty when it was not
	// Left says that the other side closed the connection before the answer
	// was over.
	Left bool
}

// Request is the body as a value. It is read at each call.
func (r Recorded) Request() *model.Request { return decode(r.Body) }

// Requests lists the requests so far in the order of their coming, with those
// that were refused. The entries are copies; bodies and headers are shared and
// must not be changed.
func (s *Server) Requests() []Recorded {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]Recorded, len(s.requests))
	for i, r := range s.requests {
		out[i] = *r
	}
	return out
}

// begin opens the record of the n-th request.
func (s *Server) begin(r *http.Request) (n int, rec *Recorded) {
	rec = &Recorded{Method: r.Method, Path: r.URL.RequestURI(), Header: r.Header.Clone(), Began: time.Now()}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, rec)
	return len(s.requests), rec
}

// note changes the record of a request.
func (s *Server) note(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}
