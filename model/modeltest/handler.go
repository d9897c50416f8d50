package modeltest

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	closed := s.closed
	if !closed {
		s.handlers.Add(1)
	}
	s.mu.Unlock()
	if closed {
		panic(http.ErrAbortHandler)
	}
	defer s.handlers.Done()
	x := &exchange{server: s, w: w, r: r}
	x.n, x.rec = s.begin(r)
	defer func() {
		s.note(func() { x.rec.Ended = time.Now() })
	}()
	x.serve()
}

// exchange is one request and its answer.
type exchange struct {
	server *Server
	w      http.ResponseWriter
	r      *http.Request
	n      int // which request this is, from 1
	rec    *Recorded
	body   []byte
}

func (x *exchange) serve() {
	path := x.r.URL.Path
	switch {
	case path == "/v1/messages" && x.r.Method == http.MethodPost:
		x.guarded(x.messages)
	case path == "/v1/messages/count_tokens" && x.r.Method == http.MethodPost:
		x.guarded(x.countTokens)
	case path == "/v1/models" && x.r.Method == http.MethodGet:
		x.guarded(x.listModels)
	case strings.HasPrefix(path, "/v1/models/") && x.r.Method == http.MethodGet:
		x.guarded(x.getModel)
	default:
		x.refuse(invalid(http.StatusNotFound, "Not Found: %s %s", x.r.Method, path))
	}
}

// guarded answers a request whose headers and body are in order.
func (x *exchange) guarded(answer func()) {
	if err := x.read(); err != nil {
		x.refuse(err)
		return
	}
	if err := checkHeaders(x.r, x.server.options.Key); err != nil {
		x.refuse(err)
		return
	}
	answer()
}

// read takes in the body. One that is too long is read to its end all the same,
// since a client that is still writing might miss the answer.
func (x *exchange) read() error {
	limit := x.server.options.MaxBody
	body, err := io.ReadAll(io.LimitReader(x.r.Body, limit+1))
	over := int64(0)
	if int64(len(body)) > limit {
		over, err = io.Copy(io.Discard, x.r.Body)
	}
	x.server.note(func() {
		x.rec.Received = time.Now()
		x.rec.Size = len(body) + int(over)
		if !x.server.options.DropBodies {
			x.rec.Body = body
		}
	})
	switch {
	case err != nil: // the client has gone, as one that is interrupted does
		x.server.note(func() { x.rec.Left = true })
		gone := wrong("The request body could not be read: %v", err)
		gone.limit = true
		return gone
	case int64(len(body)) > limit:
		return &refusal{Failure: Failure{Status: http.StatusRequestEntityTooLarge}, edge: true, limit: true}
	}
	x.body = body
	return nil
}

func (x *exchange) messages() {
	s := x.server
	req := requestIn(x.body)
	a, err := s.admit(x, req)
	if err != nil {
		x.refuse(err)
		return
	}
	s.mu.Lock()
	reply, ok := s.script.next(req)
	if ok {
		s.drawn++
	}
	n := s.drawn
	s.mu.Unlock()
	if !ok {
		x.refuse(wrong("%s", noReply(x.n)))
		return
	}
	a.cost(reply)
	if a.stream {
		x.play(n, reply, a)
	} else {
		x.playWhole(n, reply, a)
	}
}

func (x *exchange) countTokens() {
	n := tokens(len(x.body))
	if !x.server.options.Lax {
		r, err := x.server.checker.check(x.body, x.r.Header, true)
		if err != nil {
			x.refuse(err)
			return
		}
		n = r.tokens()
	}
	x.json(http.StatusOK, fmt.Appendf(nil, `{"input_tokens":%d}`, n))
}

// json answers with a JSON document.
func (x *exchange) json(status int, body []byte) { x.answer(status, "application/json", body) }

func (x *exchange) answer(status int, mime string, body []byte) {
	x.w.Header().Set("Content-Type", mime)
	x.head(status)
	_, _ = x.w.Write(body) // who left does not need it
}

// head sends the headers that every answer has, and the status.
func (x *exchange) head(status int) {
	x.server.note(func() {
		x.rec.Status = status
		x.rec.Answered = time.Now()
	})
	h := x.w.Header()
	h.Set("Request-Id", x.requestID())
	h.Set("Anthropic-Organization-Id", "org_modeltest")
	h.Set("Anthropic-Ratelimit-Requests-Limit", "4000")
	h.Set("Anthropic-Ratelimit-Requests-Remaining", "3999")
	h.Set("Anthropic-Ratelimit-Requests-Reset", time.Now().UTC().Format(time.RFC3339))
	x.w.WriteHeader(status)
}

// requestID is unique for the request.
func (x *exchange) requestID() string { return fmt.Sprintf("req_%06d", x.n) }

// wait pauses, for ever if d is negative, but not longer than the other side
// and the server stay.
func (x *exchange) wait(d time.Duration) {
	var wake <-chan time.Time
	if d >= 0 {
		t := time.NewTimer(d)
		defer t.Stop()
		wake = t.C
	}
	select {
	case <-wake:
	case <-x.r.Context().Done():
		x.left()
	case <-x.server.done:
		x.cut()
	}
}

// left notes that the other side is gone, and ends the exchange.
func (x *exchange) left() {
	x.server.note(func() { x.rec.Left = true })
	x.cut()
}

// cut closes the connection without ending the answer. It does not return.
func (x *exchange) cut() { panic(http.ErrAbortHandler) }
