package modeltest

import (
	"context"
	"net"
	"sync"
)

// Pipe is a network within the process: what dial opens, the listener accepts.
// It lets a real HTTP client talk to a [Server] inside a bubble of package
// testing/synctest, where time is fake. dial fits [http.Transport.DialContext]
// and takes any address.
func Pipe() (l net.Listener, dial func(ctx context.Context, network, addr string) (net.Conn, error)) {
	p := &pipe{conns: make(chan net.Conn), done: make(chan struct{})}
	return p, p.dial
}

type pipe struct {
	conns chan net.Conn
	once  sync.Once
	done  chan struct{}
}

// Accept implements [net.Listener].
func (p *pipe) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

// Close implements [net.Listener].
func (p *pipe) Close() error {
	p.once.Do(func() { close(p.done) })
	return nil
}

// Addr implements [net.Listener].
func (p *pipe) Addr() net.Addr { return pipeAddr{} }

func (p *pipe) dial(ctx context.Context, network, _ string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case p.conns <- server:
		return client, nil
	case <-p.done:
		return nil, &net.OpError{Op: "dial", Net: network, Addr: pipeAddr{}, Err: net.ErrClosed}
	case <-ctx.Done():
		return nil, &net.OpError{Op: "dial", Net: network, Addr: pipeAddr{}, Err: ctx.Err()}
	}
}

// pipeAddr is a name that no resolver knows, should a client go around dial.
type pipeAddr struct{}

func (pipeAddr) Network() string { return "pipe" }
func (pipeAddr) String() string  { return "modeltest.invalid" }
