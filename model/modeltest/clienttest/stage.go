package clienttest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/daruma-dev/daruma/model"
	"github.com/daruma-dev/daruma/model/modeltest"
)

// defaultIdle is the idle timeout where a rule is not about it.
const defaultIdle = time.Minute

// stage is where a rule is checked. It opens clients and closes them.
type stage struct {
	open   opener
	opened []*scene
}

// scene is a client that is answered by a script.
type scene struct {
	client model.Client
	server *modeltest.Server // nil when there is no wire
	end    func() error
}

// play opens a client that will be answered by the replies.
func (s *stage) play(replies ...modeltest.Reply) (*scene, error) {
	return s.with(modeltest.Replies(replies), defaultIdle)
}

func (s *stage) with(script modeltest.Script, idle time.Duration) (*scene, error) {
	c, server, end, err := s.open(script, idle)
	if err != nil {
		return nil, err
	}
	sc := &scene{client: c, server: server, end: end}
	s.opened = append(s.opened, sc)
	return sc, nil
}

// close closes what was opened. A request that the service would have refused
// breaks any rule.
func (s *stage) close() error {
	var errs []error
	for _, sc := range s.opened {
		errs = append(errs, sc.end())
		for _, p := range sc.problems() {
			errs = append(errs, fmt.Errorf("the service would have refused a request: %s", p))
		}
	}
	return errors.Join(errs...)
}

func (sc *scene) problems() []string {
	if sc.server != nil {
		return sc.server.Problems()
	}
	if c, ok := sc.client.(interface{ Problems() []string }); ok {
		return c.Problems()
	}
	return nil
}

// requests is how many requests came, -1 when nobody counted.
func (sc *scene) requests() int {
	if sc.server == nil {
		return -1
	}
	return len(sc.server.Requests())
}

// ask sends a request and takes the whole reply.
func (sc *scene) ask(req *model.Request) (outcome, error) {
	return take(context.Background(), sc.client, req, nil)
}

// succeed is ask for a reply that has to end well.
func (sc *scene) succeed(req *model.Request) (outcome, error) {
	o, err := sc.ask(req)
	if err == nil && o.err != nil {
		err = fmt.Errorf("the reply failed: %w", o.err)
	}
	return o, err
}

// fail is ask for a reply that has to fail with one of the kinds.
func (sc *scene) fail(req *model.Request, kinds ...model.Kind) (outcome, error) {
	o, err := sc.ask(req)
	if err != nil {
		return o, err
	}
	return o, o.failed(kinds...)
}
