package tool_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/tool"
)

// plan says what a random call will do.
type plan struct {
	Safe, Verdict, Progress bool
	Pause, Takes            time.Duration // before it is submitted; how long it runs
	End                     string
}

var drawPlan = rapid.Custom(func(t *rapid.T) plan {
	ms := func(label string) time.Duration {
		return time.Duration(rapid.IntRange(0, 20).Draw(t, label)) * time.Millisecond
	}
	return plan{
		Safe:     rapid.IntRange(0, 3).Draw(t, "safe") > 0,
		Verdict:  rapid.IntRange(0, 9).Draw(t, "verdict") == 0,
		Progress: rapid.Bool().Draw(t, "progress"),
		Pause:    ms("pause"), Takes: ms("takes"),
		End: rapid.SampledFrom([]string{"ok", "ok", "ok", "error", "refuse", "panic", "goexit", "siblings", "stubborn"}).Draw(t, "end"),
	}
})

// job is the plan as a call. world watches it run.
func (p plan) job(id int, w *world) tool.Job {
	call := message.Call{ID: fmt.Sprint(id), Name: "fake"}
	if p.Verdict {
		return tool.Job{Call: call, Safe: p.Safe, Verdict: &message.ToolResult{Status: message.StatusDenied, Text: "no"}}
	}
	return tool.Job{Call: call, Safe: p.Safe, Tool: fake{func(ctx context.Context, c tool.Call) (tool.Result, error) {
		w.enter <- move{p.Safe, +1}
		defer func() { w.enter <- move{p.Safe, -1} }()
		if p.Progress {
			c.Progress("line")
		}
		if p.End == "stubborn" {
			time.Sleep(p.Takes)
			return tool.Result{Text: "done"}, nil
		}
		select {
		case <-ctx.Done():
			return tool.Result{}, ctx.Err()
		case <-time.After(p.Takes):
			return p.finish()
		}
	}}}
}

func (p plan) finish() (tool.Result, error) {
	switch p.End {
	case "error":
		return tool.Result{}, errors.New("failed")
	case "refuse":
		return tool.Result{}, tool.Refuse(message.StatusMalformed, "no")
	case "panic":
		panic("boom")
	case "goexit":
		runtime.Goexit()
	case "siblings":
		return tool.Result{Status: message.StatusError, Text: "exit status 1", CancelSiblings: true}, nil
	}
	return tool.Result{Text: "done"}, nil
}

// move is a call that enters or leaves.
type move struct {
	safe bool
	by   int
}

// world counts what runs at once and keeps the worst of it.
type world struct {
	enter         chan move
	safe, unsafe  int
	most          int
	overlap, done bool
}

func (w *world) watch() {
	for m := range w.enter {
		if m.safe {
			w.safe += m.by
		} else {
			w.unsafe += m.by
		}
		w.most = max(w.most, w.safe+w.unsafe)
		w.overlap = w.overlap || w.unsafe > 0 && w.safe+w.unsafe > 1
	}
	w.done = w.safe+w.unsafe == 0
}

// observed is everything a run of plans showed.
type observed struct {
	results []message.ToolResult
	events  []tool.Event
	began   []string // in order: "+id" for Begin, "-id" for Finished
	world   world
}

// try submits the plans in a bubble of fake time, interrupting after limit.
func try(t *rapid.T, newExecutor tool.NewExecutor, plans []plan, limit time.Duration, pauses bool) (o observed) {
	rapid.SyncTest(t, func(t *rapid.T) {
		o.world = world{enter: make(chan move)}
		watched := make(chan struct{})
		go func() { o.world.watch(); close(watched) }()
		ctx, interrupt := context.WithCancel(context.Background())
		defer time.AfterFunc(limit, interrupt).Stop()
		x := newExecutor(ctx, tool.Env{
			Begin:    func(c message.Call) error { o.began = append(o.began, "+"+c.ID); return nil },
			Finished: func(r message.ToolResult) { o.began = append(o.began, "-"+r.CallID) },
			Event:    func(e tool.Event) { o.events = append(o.events, e) },
		})
		for i, p := range plans {
			if pauses {
				time.Sleep(p.Pause)
			}
			x.Submit(p.job(i, &o.world))
		}
		o.results = x.Wait()
		close(o.world.enter)
		<-watched
	})
	return o
}

func TestProperties(t *testing.T) {
	each(t, func(t *testing.T, newExecutor tool.NewExecutor) {
		rapid.Check(t, func(t *rapid.T) {
			plans := rapid.SliceOfN(drawPlan, 0, 30).Draw(t, "plans")
			limit := time.Duration(rapid.IntRange(0, 300).Draw(t, "limit")) * time.Millisecond
			o := try(t, newExecutor, plans, limit, true)
			checkResults(t, plans, o)
			checkLives(t, plans, o)
			checkJournal(t, o)
			if o.world.overlap {
				t.Errorf("an unsafe call overlapped another")
			}
			if o.world.most > tool.MaxParallel {
				t.Errorf("%d calls at once", o.world.most)
			}
			if !o.world.done {
				t.Errorf("a call was still running after Wait")
			}
		})
	})
}

// checkResults wants one result for each call, in order, with a status and,
// where it is a failure, a text.
func checkResults(t *rapid.T, plans []plan, o observed) {
	if len(o.results) != len(plans) {
		t.Fatalf("%d results for %d calls", len(o.results), len(plans))
	}
	for i, r := range o.results {
		if r.CallID != fmt.Sprint(i) || r.Name != "fake" || r.Status == "" || r.Text == "" {
			t.Errorf("result %d is %+v", i, r)
		}
		if plans[i].Verdict && r.Status != message.StatusDenied {
			t.Errorf("call %d had a verdict and got %s", i, r.Status)
		}
	}
}

// checkLives wants each call to go through its phases in order, calls to start
// and to be yielded in order, and events to carry the results.
func checkLives(t *rapid.T, plans []plan, o observed) {
	lives := make([][]tool.Phase, len(plans))
	var started, yielded []int
	for _, e := range o.events {
		var id int
		fmt.Sscan(e.Call.ID, &id)
		lives[id] = append(lives[id], e.Phase)
		if e.Phase == tool.Executing {
			started = append(started, id)
		}
		if e.Phase == tool.Yielded {
			yielded = append(yielded, id)
		}
		if e.Result != nil && !cmp.Equal(*e.Result, o.results[id]) {
			t.Errorf("%s of call %d tells another result", e.Phase, id)
		}
	}
	for id, life := range lives {
		life = slices.DeleteFunc(life, func(p tool.Phase) bool { return p == tool.Progress })
		ran := []tool.Phase{tool.Queued, tool.Executing, tool.Completed, tool.Yielded}
		if !slices.Equal(life, ran) && !slices.Equal(life, slices.Delete(ran, 1, 2)) {
			t.Errorf("call %d lived %v", id, life)
		}
	}
	if !slices.IsSorted(started) {
		t.Errorf("started in the order %v", started)
	}
	if len(yielded) != len(plans) || !slices.IsSorted(yielded) {
		t.Errorf("yielded in the order %v", yielded)
	}
}

// checkJournal wants each Begin to be followed by its own Finished: at most one
// unsafe call is ever open.
func checkJournal(t *rapid.T, o observed) {
	for i := 0; i < len(o.began); i += 2 {
		if i+1 == len(o.began) || "-"+o.began[i][1:] != o.began[i+1] {
			t.Fatalf("began and finished: %v", o.began)
		}
	}
}

// For tools that do the same each time, the loop cannot tell the executors
// apart by what they return. Calls come without pause, for the moment of a
// failure decides which siblings have already ended.
func TestStreamingEqualsBatch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		plans := rapid.SliceOfN(drawPlan, 0, 30).Draw(t, "plans")
		for i := range plans {
			// Two that end at once may be seen in either order, so no two sums of
			// durations are equal.
			plans[i].Takes = plans[i].Takes*1000 + 1<<i
		}
		never := time.Hour
		s := try(t, tool.Streaming, plans, never, false).results
		b := try(t, tool.Batch, plans, never, false).results
		if diff := cmp.Diff(b, s); diff != "" {
			t.Errorf("results (-batch +streaming):\n%s", diff)
		}
	})
}

// Without a call that cancels its siblings, pauses make no difference either.
func TestStreamingEqualsBatchWithPauses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		plans := rapid.SliceOfN(drawPlan.Filter(func(p plan) bool { return p.End != "siblings" || !p.Safe }), 0, 30).Draw(t, "plans")
		s := try(t, tool.Streaming, plans, time.Hour, true).results
		b := try(t, tool.Batch, plans, time.Hour, true).results
		if diff := cmp.Diff(b, s); diff != "" {
			t.Errorf("results (-batch +streaming):\n%s", diff)
		}
	})
}
