package modeltest

import (
	"bytes"
	"encoding/json"
	"time"

	"github.com/daruma-dev/daruma/message"
)

// admitted is what answering needs to know about a request that passed.
type admitted struct {
	model  string
	stream bool
	usage  message.Usage // of the request, and of the reply once cost has seen it
	entry  *entry
}

// cost completes the usage for a reply.
func (a *admitted) cost(r Reply) {
	switch {
	case r.mute:
		a.usage = message.Usage{}
	case r.usage != nil:
		a.usage = *r.usage
	default:
		a.usage.Output = r.output()
	}
}

// admit lets a checked request in if it fits, and puts it into the cache.
func (c *checker) admit(r *request) (admitted, error) {
	if err := c.checkWindow(r.tokens()); err != nil {
		return admitted{}, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return admitted{
		model: r.model, stream: string(r.top.get("stream")) == "true",
		usage: c.cache.spend(r, time.Now()),
		entry: c.issued.entry(origin{r.model, r.end()}),
	}, nil
}

// admit checks a request.
func (s *Server) admit(x *exchange, req Request) (admitted, error) {
	if s.options.Lax {
		return s.admitLax(req.Body())
	}
	r, err := s.checker.check(req.Body(), x.r.Header, false)
	if err != nil {
		return admitted{}, err
	}
	return s.checker.admit(r)
}

// admitLax reads only the names at the start of a body, and takes what it has
// in common with the body before for cached.
func (s *Server) admitLax(body []byte) (admitted, error) {
	total := tokens(len(body))
	if err := s.checker.checkWindow(total); err != nil {
		return admitted{}, err
	}
	a := admitted{model: modelIn(body), stream: true, usage: message.Usage{Input: total}, entry: new(ledger).entry(origin{})}
	if !bytes.Contains(body, []byte(`"cache_control"`)) {
		return a, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	read := tokens(common(s.before, body))
	s.before = body
	a.usage = message.Usage{CacheRead: read, CacheWrite: total - read}
	return a, nil
}

// modelIn finds the model's name without reading all of a body that names it
// early.
func modelIn(body []byte) string {
	dec := json.NewDecoder(bytes.NewReader(body))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return ""
	}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return ""
		}
		var value json.RawMessage
		if dec.Decode(&value) != nil {
			return ""
		}
		if name == "model" {
			return fields{{"model", value}}.text("model")
		}
	}
	return ""
}

// common is how many bytes a and b start with alike.
func common(a, b []byte) int {
	const step = 4096
	n := 0
	for n+step <= min(len(a), len(b)) && bytes.Equal(a[n:n+step], b[n:n+step]) {
		n += step
	}
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}
