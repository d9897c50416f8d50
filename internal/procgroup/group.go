package procgroup

import (
	"os/exec"
	"time"
)

// Grace is how long processes have between the polite signal and the hard one.
const Grace = 2 * time.Second

// Group is a command that was started, with all that it starts.
type Group struct {
	cmd  *exec.Cmd
	pid  int
	mark string        // in the environment of all of it
	done chan struct{} // closed when the command itself has ended
	err  error         // of Wait; read after done
}

// Start runs cmd in a group of its own. It fills in cmd.SysProcAttr and adds to
// cmd.Env, which must be set; a cmd without Stdin reads the null device. Wait
// must be called on the Group, not on cmd.
func Start(cmd *exec.Cmd) (*Group, error) {
	mark := prepare(cmd)
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	g := &Group{cmd: cmd, pid: cmd.Process.Pid, mark: mark, done: make(chan struct{})}
	watch(g.pid)
	go func() {
		g.err = cmd.Wait()
		unwatch(g.pid)
		close(g.done)
	}()
	return g, nil
}

// Done is closed when the command itself has ended; what it started may still
// run.
func (g *Group) Done() <-chan struct{} { return g.done }

// Wait waits for the command itself and returns what exec.Cmd.Wait did.
func (g *Group) Wait() error {
	<-g.done
	return g.err
}

// Kill ends the command and all that it started: politely, and after the grace
// for good. It returns when they are gone, or the system does not let go of
// them.
func (g *Group) Kill(grace time.Duration) {
	g.signal(polite)
	if !g.gone(grace) {
		const rounds, pause = 20, 50 * time.Millisecond
		for range rounds { // a process may start another one just before it dies
			g.signal(hard)
			if g.gone(pause) {
				break
			}
		}
	}
}

// gone waits until nothing of the group is left, at most so long.
func (g *Group) gone(limit time.Duration) bool {
	const pause = 10 * time.Millisecond
	for deadline := time.Now().Add(limit); ; {
		select {
		case <-g.done:
			if !g.alive() {
				return true
			}
		default:
		}
		if time.Now().After(deadline) {
			return false
		}
		time.Sleep(pause)
	}
}
