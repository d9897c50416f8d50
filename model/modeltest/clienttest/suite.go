// Package clienttest holds the suite that every [model.Client] on the
// Anthropic wire passes: [TestClient] plays scripts of package modeltest to a
// client and checks each rule of the contract. It stands apart from modeltest
// because it needs package testing, which a program should not link.
package clienttest

import (
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/daruma-dev/daruma/model"
	"github.com/daruma-dev/daruma/model/modeltest"
)

// Target is what a client under test talks to, and how it has to be set up.
type Target struct {
	URL string // base URL of the server, without a slash at its end
	Key string // the API key
	// Transport reaches the server. It is a network within the process, so
	// the client has to use it.
	Transport *http.Transport
	// IdleTimeout is how long a stream may be silent. Time is fake: no test
	// waits for real.
	IdleTimeout time.Duration
	// Provider is the client's name in errors and in message.Message.Model.
	Provider string
}

// TestClient runs the suite. make is called for each case, and its clients
// serve that case alone. Everything happens in bubbles of testing/synctest, so
// a client must not share goroutines or timers between its instances.
func TestClient(t *testing.T, make func(t testing.TB, target Target) model.Client) {
	t.Helper()
	for _, r := range rules() {
		t.Run(r.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				if err := r.run(overWire(t, make)); err != nil {
					t.Errorf("%s\n%v", r.says, err)
				}
			})
		})
	}
}

// Serve starts a server for a test. When the test ends it is closed, and the
// test fails if there were requests that the service would have refused.
func Serve(t testing.TB, script modeltest.Script, o modeltest.Options) *modeltest.Server {
	t.Helper()
	s := modeltest.New(script, o)
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		for _, p := range s.Problems() {
			t.Errorf("the service would have refused a request: %s", p)
		}
	})
	return s
}

// rule is one rule of the contract and how it is checked.
type rule struct {
	name  string
	says  string // the rule, as it is shown when it is broken
	wire  bool   // it is about the wire, so it needs a server
	check func(s *stage) error
}

// run checks the rule on stages made by open.
func (r rule) run(open opener) error {
	s := &stage{open: open}
	err := r.check(s)
	return errors.Join(err, s.close())
}

// rules lists the suite in the order in which it is best read.
func rules() []rule {
	var all []rule
	for _, part := range [][]rule{orderRules(), endRules(), timeRules(), kindRules(), replyRules(), echoRules(), requestRules()} {
		all = append(all, part...)
	}
	return all
}

// opener makes a client that will be answered by the script, and the server it
// talks to; nil when it talks to none.
type opener func(script modeltest.Script, idle time.Duration) (model.Client, *modeltest.Server, func() error, error)

// key is the API key of all targets. Nothing may repeat it.
const key = "sk-clienttest-0123456789"

// overWire opens clients against a server on a network within the process.
func overWire(t testing.TB, make func(testing.TB, Target) model.Client) opener {
	return func(script modeltest.Script, idle time.Duration) (model.Client, *modeltest.Server, func() error, error) {
		l, dial := modeltest.Pipe()
		s := modeltest.New(script, modeltest.Options{Listener: l, Key: key})
		if err := s.Start(); err != nil {
			return nil, nil, nil, err
		}
		transport := &http.Transport{DialContext: dial}
		c := make(t, Target{URL: s.URL(), Key: key, Transport: transport, IdleTimeout: idle, Provider: "anthropic"})
		return c, s, func() error {
			transport.CloseIdleConnections()
			return s.Close()
		}, nil
	}
}
