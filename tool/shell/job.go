package shell

import (
	"context"
	"os"
	"os/exec"
	"time"

	"github.com/daruma-dev/daruma/internal/procgroup"
)

// drain is how long the output is waited for after the command itself has
// ended, for children that have a last word. One in the background may hold the
// output open for ever.
const drain = 200 * time.Millisecond

// job is a command being run.
type job struct {
	out   *output
	limit time.Duration
	grace time.Duration
	forks bool // it may leave something running

	took  time.Duration
	err   error  // of the command
	ended string // "timeout" or "cancelled"; empty when it ended by itself
	cause error  // of the cancellation
	left  bool   // something of it still runs
	read  bool   // and what that prints is still read
}

// run starts the command, reads what it prints and waits for its end. What it
// leaves running goes to b. The error says why it could not be started.
func (j *job) run(ctx context.Context, cmd *exec.Cmd, b *background) error {
	pipe, w, err := os.Pipe()
	if err != nil {
		return err
	}
	cmd.Stdout, cmd.Stderr = w, w
	start := time.Now()
	g, err := procgroup.Start(cmd)
	_ = w.Close()
	if err != nil {
		_ = pipe.Close()
		return err
	}
	r := &reader{pipe: pipe, out: j.out}
	ended := make(chan bool, 1)
	go func() { ended <- r.run() }()
	j.await(ctx, g)
	j.took = time.Since(start)
	j.err = g.Wait()
	r.stopAt(time.Now().Add(drain))
	j.read = !<-ended
	j.out.end(time.Now())
	j.left = j.read || j.forks && g.Alive()
	switch {
	case j.read:
		j.out.open() // for what is printed from now on
		b.read(g, r)
	case j.left:
		b.keep(g)
		fallthrough
	default:
		_ = pipe.Close()
	}
	return nil
}

// await waits for the command to end, and ends it when its time is over or the
// user interrupts.
func (j *job) await(ctx context.Context, g *procgroup.Group) {
	t := time.NewTimer(j.limit)
	defer t.Stop()
	select {
	case <-g.Done():
		return
	case <-t.C:
		j.ended = "timeout"
	case <-ctx.Done():
		j.ended, j.cause = "cancelled", context.Cause(ctx)
	}
	g.Kill(j.grace)
}
