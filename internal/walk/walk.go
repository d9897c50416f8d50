package walk

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
)

// Options says how to walk. The zero value leaves out what is ignored.
type Options struct {
	// All visits the ignored ones too, as if there were no rules.
	All bool
	// Top is the directory whose rules count at most, where root is not in a
	// repository: the workspace. Empty is root.
	Top string
}

// Entry is a file or a directory that was found.
type Entry struct {
	Path string      // relative to the root of the walk, with slashes
	Type fs.FileMode // type bits only
	// Ignored entries are told once and not gone into. With Options.All there
	// are none.
	Ignored bool
}

// Errors is what could not be read on a walk.
type Errors struct {
	Count int
	First []error // a few of them
}

const firstErrors = 5

// batch is how many files of one directory one worker visits before others may
// take part.
const batch = 64

// Walk visits everything below root, an absolute path of a directory without
// links in it. Links in the tree are visited and not followed; .git directories
// are left out. What cannot be read is passed over and told in the end.
//
// Several workers visit at once, in no particular order. Each calls worker once
// for the function that its entries are given to, which may so have memory of
// its own. Walk returns when all of them have ended; the error is the context's,
// or says that root cannot be read.
func Walk(ctx context.Context, root string, opt Options, worker func() (visit func(Entry))) (Errors, error) {
	w := newWalker(ctx, root, opt)
	if err := readable(root); err != nil {
		return Errors{}, err
	}
	var wg sync.WaitGroup
	for range min(max(runtime.GOMAXPROCS(0), 2), 12) {
		wg.Go(func() { w.work(worker()) })
	}
	wg.Wait()
	return w.errors, ctx.Err()
}

// task is a directory to read, or files of one to visit.
type task struct {
	path  string // of the directory, relative to the top
	level *level // above the directory
	files []Entry
}

type walker struct {
	ctx    context.Context
	top    string
	prefix int // length of root's path relative to the top, with the slash after it
	all    bool

	mu     sync.Mutex
	more   sync.Cond // a task was added, or the last one is done
	tasks  []task    // the last one is taken first
	busy   int       // workers that may add tasks
	errors Errors
}

func newWalker(ctx context.Context, root string, opt Options) *walker {
	w := &walker{ctx: ctx, top: root, all: opt.All}
	w.more.L = &w.mu
	first := task{}
	if !opt.All {
		repository := repositoryRoot(root)
		switch {
		case repository != "":
			w.top = repository
		case opt.Top != "":
			w.top = opt.Top
		}
		rel, err := filepath.Rel(w.top, root)
		if err != nil || !filepath.IsLocal(rel) {
			w.top, rel = root, "."
		}
		if rel != "." {
			first.path = filepath.ToSlash(rel)
			w.prefix = len(first.path) + 1
			first.level = levelAbove(w.top, first.path, repository != "")
		}
	}
	w.tasks = []task{first}
	return w
}

// work does tasks until there are none and nobody can add one.
func (w *walker) work(visit func(Entry)) {
	for {
		t, ok := w.next()
		if !ok {
			return
		}
		switch {
		case w.ctx.Err() != nil: // drop it
		case t.files != nil:
			for _, f := range t.files {
				visit(f)
			}
		default:
			w.read(t, visit)
		}
		w.mu.Lock()
		w.busy--
		if w.busy == 0 && len(w.tasks) == 0 {
			w.more.Broadcast()
		}
		w.mu.Unlock()
	}
}

func (w *walker) next() (task, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.tasks) == 0 {
		if w.busy == 0 {
			return task{}, false
		}
		w.more.Wait()
	}
	t := w.tasks[len(w.tasks)-1]
	w.tasks = w.tasks[:len(w.tasks)-1]
	w.busy++
	return t, true
}

func (w *walker) add(tasks []task) {
	if len(tasks) == 0 {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.tasks = append(w.tasks, tasks...)
	w.more.Broadcast()
}

// read lists a directory: its directories become tasks, and its files too where
// there are many.
func (w *walker) read(t task, visit func(Entry)) {
	dir := filepath.Join(w.top, filepath.FromSlash(t.path))
	entries, err := readDir(dir)
	if err != nil {
		w.fail(err)
	}
	level := t.level
	if !w.all {
		var has marks
		for _, e := range entries {
			has.note(e.Name())
		}
		level = level.below(dir, t.path, has)
	}
	var tasks []task
	var files []Entry
	for _, e := range entries {
		name := e.Name()
		if name == gitDir {
			continue
		}
		path := name
		if t.path != "" {
			path = t.path + "/" + name
		}
		found := Entry{Path: path[w.prefix:], Type: e.Type().Type()}
		found.Ignored = level.judge(path, name, e.IsDir())
		if e.IsDir() && !found.Ignored {
			tasks = append(tasks, task{path: path, level: level})
		}
		files = append(files, found)
	}
	for len(files) > batch {
		tasks = append(tasks, task{files: files[:batch:batch]})
		files = files[batch:]
	}
	w.add(tasks)
	for _, f := range files {
		visit(f)
	}
}

// readable reports an error where path is no directory that can be read.
func readable(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	defer d.Close()
	if _, err = d.Readdirnames(1); errors.Is(err, io.EOF) {
		return nil // empty
	}
	return err
}

// readDir lists a directory in no particular order.
func readDir(path string) ([]os.DirEntry, error) {
	d, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.ReadDir(-1)
}

func (w *walker) fail(err error) {
	if errors.Is(err, fs.ErrNotExist) {
		return // it went away meanwhile
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.errors.Count++; len(w.errors.First) < firstErrors {
		w.errors.First = append(w.errors.First, err)
	}
}
