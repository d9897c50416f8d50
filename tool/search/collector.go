package search

import (
	"cmp"
	"container/heap"
	"slices"
	"strings"
	"sync"
)

// recent compares two files: what was changed last comes first, then by path.
func recent(a, b found) int {
	return cmp.Or(cmp.Compare(b.changed, a.changed), strings.Compare(a.path, b.path))
}

// collector gathers files from several goroutines. It keeps those changed last,
// as many as can be shown, and counts the others, so that a pattern that is
// everywhere takes no memory.
type collector struct {
	limit  int
	weight func(found) int // how much of limit a file takes

	mu    sync.Mutex
	kept  oldest
	held  int // the weight of kept
	files int // all that were added
	lines int // their counts
}

func (c *collector) add(f found) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.files++
	c.lines += f.count
	heap.Push(&c.kept, f)
	c.held += c.weight(f)
	for len(c.kept) > 0 && c.held-c.weight(c.kept[0]) >= c.limit {
		c.held -= c.weight(heap.Pop(&c.kept).(found))
	}
}

// sorted lists what was kept, in the order to show it.
func (c *collector) sorted() []found {
	list := slices.Clone([]found(c.kept))
	slices.SortFunc(list, recent)
	return list
}

// oldest is a heap with the file on top that would be shown last.
type oldest []found

func (o oldest) Len() int           { return len(o) }
func (o oldest) Less(i, j int) bool { return recent(o[i], o[j]) > 0 }
func (o oldest) Swap(i, j int)      { o[i], o[j] = o[j], o[i] }
func (o *oldest) Push(f any)        { *o = append(*o, f.(found)) }
func (o *oldest) Pop() any {
	last := len(*o) - 1
	f := (*o)[last]
	*o = (*o)[:last]
	return f
}
