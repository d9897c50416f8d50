package modeltest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"
)

// Options change how a [Server] behaves. The zero value is a strict server on
// a free port of 127.0.0.1.
type Options struct {
	// Listener is where to serve instead, such as one of [Pipe]. The server
	// closes it.
	Listener net.Listener
	// Key is the API key to accept. Empty accepts any.
	Key string
	// Models are the names that are served; others are not found. Empty
	// accepts any, and lists those of [model.Known].
	Models []string
	// Window is how many input tokens fit, by [CountTokens]. 0 means no limit.
	Window int64
	// MaxBody is the longest body, in bytes. 0 means the service's 32 MB.
	MaxBody int64
	// MaxImageBytes is the largest image, in bytes of its base64 form. 0 means
	// the service's 10 MB.
	MaxImageBytes int
	// AllowMerge accepts messages of one role in a row, which the service
	// merges. No request of ours should need it.
	AllowMerge bool
	// Lax leaves out all checks of messages, and counts a request's tokens as
	// a quarter of its bytes. It is for measuring the client.
	Lax bool
	// DropBodies keeps no bodies in the record, for long runs.
	DropBodies bool
	// Pace is a pause before each delta, for people who watch. 0 means none.
	Pace time.Duration
}

const (
	maxBody       = 32 << 20
	maxImageBytes = 10 << 20
)

// Server answers on the Anthropic Messages wire what a script says. Make it by
// [New], then [Server.Start] it and [Server.Close] it, or use it as a handler.
// It may be asked by many clients at once.
type Server struct {
	options  Options
	checker  *checker
	http     *http.Server
	listener net.Listener
	done     chan struct{}  // closed by Close
	handlers sync.WaitGroup // requests being answered

	mu       sync.Mutex
	script   player
	drawn    int    // replies so far
	before   []byte // the body before, for Lax
	requests []*Recorded
	problems []string
	closed   bool
}

// New makes a server that is not started yet.
func New(script Script, o Options) *Server {
	if script == nil {
		script = Replies(nil)
	}
	c := newChecker(o)
	return &Server{options: c.options, checker: c, script: script.play(), done: make(chan struct{})}
}

// Start listens and serves until [Server.Close].
func (s *Server) Start() error {
	s.listener = s.options.Listener
	if s.listener == nil {
		l, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
		if err != nil {
			return fmt.Errorf("modeltest: listen: %w", err)
		}
		s.listener = l
	}
	s.http = &http.Server{Handler: s, ReadHeaderTimeout: time.Minute}
	s.handlers.Go(func() {
		if err := s.http.Serve(s.listener); !errors.Is(err, http.ErrServerClosed) {
			s.problem("modeltest: serve: %v", err)
		}
	})
	return nil
}

// URL is the base URL of a started server, without a slash at its end.
func (s *Server) URL() string { return "http://" + s.listener.Addr().String() }

// Close ends the server: it closes all connections and returns when every
// request in hand has ended. Closing again does nothing.
func (s *Server) Close() error {
	s.mu.Lock()
	closed := s.closed
	s.closed = true
	s.mu.Unlock()
	if closed {
		return nil
	}
	close(s.done)
	var err error
	if s.http != nil {
		err = s.http.Close()
	}
	s.handlers.Wait()
	if err != nil {
		return fmt.Errorf("modeltest: close: %w", err)
	}
	return nil
}

// Problems lists, a sentence each, what was wrong with the requests: those
// that had to be refused because the service would have called them invalid,
// and those for which the script had no reply. Requests that were merely too
// large for a limit are not among them.
func (s *Server) Problems() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.problems[:len(s.problems):len(s.problems)]
}

// Remaining is how many replies are left. It is 0 for a [Func].
func (s *Server) Remaining() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.script.left()
}

func (s *Server) problem(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.problems = append(s.problems, fmt.Sprintf(format, args...))
}
