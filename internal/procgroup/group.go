package procgroup

import (
	"os"
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
	born uint64        // when the command itself was started, on the system's clock; 0 is unknown
	done chan struct{} // closed when the command itself has ended
	err  error         // of Wait; read after done
}

// Start runs cmd in a group of its own. It fills in cmd.SysProcAttr and adds to
// cmd.Env, where nil stands for the environment of this process; a cmd without
// Stdin reads the null device. Wait must be called on the Group, not on cmd.
func Start(cmd *exec.Cmd) (*Group, error) {
	if cmd.Env == nil {
		cmd.Env = os.Environ()
	}
	mark := prepare(cmd)
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	g := &Group{cmd: cmd, pid: cmd.Process.Pid, mark: mark, done: make(chan struct{})}
	g.born = birth(g.pid) // it cannot be gone yet: nobody has waited for it
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

// ended reports whether the command itself has been waited for; from then on
// its number may be given to another process.
func (g *Group) ended() bool {
	select {
	case <-g.done:
		return true
	default:
		return false
	}
}

// Alive reports whether anything of the group still runs: the command itself,
// or what it left in the background.
func (g *Group) Alive() bool { return !g.ended() || g.alive() }

// Kill ends the command and all that it started: politely, and after the grace
// for good. It returns when they are gone, or the system does not let go of
// them.
func (g *Group) Kill(grace time.Duration) {
	if !g.Alive() {
		return
	}
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

// gone waits until nothing of the group is left, at most so long. It looks
// often at first: most commands end at once.
func (g *Group) gone(limit time.Duration) bool {
	const longest = 50 * time.Millisecond
	deadline := time.Now().Add(limit)
	for pause := time.Millisecond; g.Alive(); pause = min(2*pause, longest) {
		left := time.Until(deadline)
		if left <= 0 {
			return false
		}
		time.Sleep(min(pause, left))
	}
	return true
}
