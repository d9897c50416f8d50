package shell

import (
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/daruma-dev/daruma/internal/procgroup"
)

// background keeps what commands left running.
type background struct {
	mu      sync.Mutex
	groups  map[*procgroup.Group]bool
	readers sync.WaitGroup
}

// keep remembers a group, and forgets those that have ended.
func (b *background) keep(g *procgroup.Group) {
	b.mu.Lock()
	defer b.mu.Unlock()
	maps.DeleteFunc(b.groups, func(g *procgroup.Group, _ bool) bool { return !g.Alive() })
	if b.groups == nil {
		b.groups = map[*procgroup.Group]bool{}
	}
	b.groups[g] = true
}

// read remembers a group and goes on reading what it prints: a pipe that
// nobody reads any more would kill it at its next word, or make it wait for
// ever. The goroutine ends when the last process that holds the pipe has ended,
// and close waits for it.
func (b *background) read(g *procgroup.Group, r *reader) {
	b.keep(g)
	r.stop.Store(nil)
	b.readers.Go(func() {
		r.run()
		r.out.end(time.Now())
		r.out.close()
		_ = r.pipe.Close()
	})
}

// close ends all of it.
func (b *background) close(grace time.Duration) {
	b.mu.Lock()
	groups := slices.Collect(maps.Keys(b.groups))
	b.groups = nil
	b.mu.Unlock()
	var all sync.WaitGroup
	for _, g := range groups {
		all.Go(func() { g.Kill(grace) })
	}
	all.Wait()
	b.readers.Wait()
}
