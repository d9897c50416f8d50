package tool_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/tool"
)

const (
	userWaiting   = "interrupted by the user before it started, so it did nothing. Wait for what the user says before you send it again."
	userReading   = "interrupted by the user while it ran. It only reads, so nothing is half done; send it again if it is still needed."
	userRunning   = "interrupted by the user while it ran. What it did until then is unknown and may be half done: check before you send it again."
	siblingWaits  = "not run: `fake` (bad) failed before it, and the calls of one reply share its fate. See to that failure first, then send this call again if it is still needed."
	siblingReads  = "cancelled, because `fake` (bad) failed and the calls of one reply share its fate, while it ran. It only reads, so nothing is half done; send it again if it is still needed."
	timeRunning   = "stopped at the time limit of the run while it ran. What it did until then is unknown and may be half done: check before you send it again."
	lastWordOfCtx = "\nThe tool's last word: context canceled"
)

func texts(results []message.ToolResult) []string {
	out := make([]string, len(results))
	for i, r := range results {
		out[i] = r.CallID + " " + string(r.Status) + " " + r.Text
	}
	return out
}

// fails is a tool that fails so badly that its siblings had better stop.
func fails(d time.Duration) func(context.Context, tool.Call) (tool.Result, error) {
	return takes(d, tool.Result{Status: message.StatusError, Text: "exit status 1", CancelSiblings: true}, nil)
}

func TestCancelSiblings(t *testing.T) {
	denied := tool.Job{Call: message.Call{ID: "d", Name: "fake"}, Verdict: &message.ToolResult{Status: message.StatusDenied, Text: "no"}}
	for _, c := range []struct {
		name string
		jobs []tool.Job
		want []string
	}{
		{
			name: "those that wait do not start, verdicts stand",
			jobs: []tool.Job{job("bad", unsafe, fails(time.Second)), job("r", safe, ok(0)), denied, job("w", unsafe, ok(0))},
			want: []string{"bad error exit status 1", "r cancelled " + siblingWaits, "d denied no", "w cancelled " + siblingWaits},
		},
		{
			name: "those that run are cancelled, those that have ended keep their result",
			jobs: []tool.Job{
				job("slow", safe, ok(time.Minute)), job("quick", safe, ok(time.Millisecond)),
				job("bad", safe, fails(time.Second)), job("w", unsafe, ok(0)),
			},
			want: []string{
				"slow cancelled " + siblingReads + lastWordOfCtx, "quick ok done",
				"bad error exit status 1", "w cancelled " + siblingWaits,
			},
		},
		{
			name: "the first failure is the one that is named",
			jobs: []tool.Job{
				job("late", safe, func(ctx context.Context, _ tool.Call) (tool.Result, error) {
					<-ctx.Done()
					return tool.Result{Status: message.StatusCancelled, Text: "killed", CancelSiblings: true}, nil
				}),
				job("bad", safe, fails(time.Second)), job("w", unsafe, ok(0)),
			},
			want: []string{"late cancelled killed", "bad error exit status 1", "w cancelled " + siblingWaits},
		},
		{
			name: "an error may cancel them too",
			jobs: []tool.Job{
				job("bad", unsafe, takes(0, tool.Result{CancelSiblings: true}, errors.New("broken"))), job("w", unsafe, ok(0)),
			},
			want: []string{"bad error broken", "w cancelled " + siblingWaits},
		},
		{
			name: "a plain failure cancels nobody",
			jobs: []tool.Job{job("r", safe, takes(0, tool.Result{}, errors.New("no such file"))), job("w", unsafe, ok(0))},
			want: []string{"r error no such file", "w ok done"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			each(t, func(t *testing.T, newExecutor tool.NewExecutor) {
				synctest.Test(t, func(t *testing.T) {
					x := newExecutor(t.Context(), record(t).env())
					for _, j := range c.jobs {
						x.Submit(j)
					}
					if diff := cmp.Diff(c.want, texts(x.Wait())); diff != "" {
						t.Errorf("results (-want +got):\n%s", diff)
					}
				})
			})
		})
	}
}

// A call that the model had not finished writing when a sibling failed shares
// its fate, or streaming and batch would differ.
func TestSubmitAfterASiblingFailed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := tool.Streaming(t.Context(), record(t).env())
		x.Submit(job("bad", unsafe, fails(time.Second)))
		time.Sleep(time.Minute)
		x.Submit(job("w", unsafe, ok(0)))
		want := []string{"bad error exit status 1", "w cancelled " + siblingWaits}
		if diff := cmp.Diff(want, texts(x.Wait())); diff != "" {
			t.Errorf("results (-want +got):\n%s", diff)
		}
	})
}

// TestInterrupt ends the context one second into the only running call, with
// two more behind it (B001: each of them is answered).
func TestInterrupt(t *testing.T) {
	for _, c := range []struct {
		name string
		safe bool
		end  func(ctx context.Context) (tool.Result, error) // what the tool does when told to stop
		want string
	}{
		{
			name: "a tool that gives back the context's error", safe: unsafe,
			end:  func(ctx context.Context) (tool.Result, error) { return tool.Result{}, ctx.Err() },
			want: "cancelled " + userRunning + lastWordOfCtx,
		},
		{
			name: "a tool that only reads", safe: safe,
			end:  func(ctx context.Context) (tool.Result, error) { return tool.Result{}, ctx.Err() },
			want: "cancelled " + userReading + lastWordOfCtx,
		},
		{
			name: "a tool that says nothing has not succeeded", safe: unsafe,
			end:  func(context.Context) (tool.Result, error) { return tool.Result{}, nil },
			want: "cancelled " + userRunning,
		},
		{
			name: "an error in words is the cancellation's doing", safe: unsafe,
			end:  func(context.Context) (tool.Result, error) { return tool.Result{}, tool.Errorf("pipe broken") },
			want: "cancelled " + userRunning + "\nThe tool's last word: pipe broken",
		},
		{
			name: "a success stands: the effect has happened", safe: unsafe,
			end:  func(context.Context) (tool.Result, error) { return tool.Result{Text: "wrote a.go"}, nil },
			want: "ok wrote a.go",
		},
		{
			name: "a result with a status stands", safe: unsafe,
			end: func(context.Context) (tool.Result, error) {
				return tool.Result{Status: message.StatusCancelled, Text: "killed; output so far: x"}, nil
			},
			want: "cancelled killed; output so far: x",
		},
		{
			name: "an error with a status of its own stands", safe: unsafe,
			end: func(context.Context) (tool.Result, error) {
				return tool.Result{}, tool.Refuse(message.StatusTimeout, "no answer in 9 s")
			},
			want: "timeout no answer in 9 s",
		},
		{
			name: "a tear-down that takes long is waited for", safe: unsafe,
			end: func(context.Context) (tool.Result, error) {
				time.Sleep(time.Hour)
				return tool.Result{Text: "cleaned up"}, nil
			},
			want: "ok cleaned up",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			each(t, func(t *testing.T, newExecutor tool.NewExecutor) {
				synctest.Test(t, func(t *testing.T) {
					ctx, interrupt := context.WithCancel(t.Context())
					defer time.AfterFunc(time.Second, interrupt).Stop()
					rec := record(t)
					x := newExecutor(ctx, rec.env())
					x.Submit(job("a", c.safe, func(ctx context.Context, _ tool.Call) (tool.Result, error) {
						<-ctx.Done()
						return c.end(ctx)
					}))
					x.Submit(job("b", unsafe, ok(0)))
					x.Submit(job("c", unsafe, ok(0)))
					want := []string{"a " + c.want, "b cancelled " + userWaiting, "c cancelled " + userWaiting}
					if diff := cmp.Diff(want, texts(x.Wait())); diff != "" {
						t.Errorf("results (-want +got):\n%s", diff)
					}
					if trace := strings.Join(rec.trace, "\n"); strings.Contains(trace, "executing b") || strings.Contains(trace, "begin b") {
						t.Errorf("b started after the interrupt:\n%s", trace)
					}
				})
			})
		})
	}
}

func TestTimeLimit(t *testing.T) {
	each(t, func(t *testing.T, newExecutor tool.NewExecutor) {
		synctest.Test(t, func(t *testing.T) {
			ctx, stop := context.WithTimeout(t.Context(), time.Second)
			defer stop()
			x := newExecutor(ctx, tool.Env{})
			x.Submit(job("a", unsafe, func(ctx context.Context, _ tool.Call) (tool.Result, error) {
				<-ctx.Done()
				return tool.Result{}, nil
			}))
			if diff := cmp.Diff([]string{"a cancelled " + timeRunning}, texts(x.Wait())); diff != "" {
				t.Errorf("results (-want +got):\n%s", diff)
			}
		})
	})
}

func TestInterruptedBeforeAnythingStarted(t *testing.T) {
	each(t, func(t *testing.T, newExecutor tool.NewExecutor) {
		ctx, interrupt := context.WithCancel(t.Context())
		interrupt()
		x := newExecutor(ctx, tool.Env{Begin: func(message.Call) error {
			t.Error("begun after the interrupt")
			return nil
		}})
		x.Submit(job("a", unsafe, ok(0)))
		if diff := cmp.Diff([]string{"a cancelled " + userWaiting}, texts(x.Wait())); diff != "" {
			t.Errorf("results (-want +got):\n%s", diff)
		}
	})
}

// The interrupt comes while the start is being recorded: the call has begun on
// disk, so it must be finished there, but the tool does not run.
func TestInterruptedWhileBeginning(t *testing.T) {
	each(t, func(t *testing.T, newExecutor tool.NewExecutor) {
		ctx, interrupt := context.WithCancel(t.Context())
		var finished []message.ToolResult
		x := newExecutor(ctx, tool.Env{
			Begin:    func(message.Call) error { interrupt(); return nil },
			Finished: func(r message.ToolResult) { finished = append(finished, r) },
		})
		x.Submit(job("a", unsafe, func(context.Context, tool.Call) (tool.Result, error) {
			t.Error("ran after the interrupt")
			return tool.Result{}, nil
		}))
		results := x.Wait()
		if diff := cmp.Diff([]string{"a cancelled " + userWaiting}, texts(results)); diff != "" {
			t.Errorf("results (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(results, finished); diff != "" {
			t.Errorf("finished (-results +finished):\n%s", diff)
		}
	})
}

// A tool that ignores its context holds up Wait, not what is known by then.
func TestStubbornTool(t *testing.T) {
	each(t, func(t *testing.T, newExecutor tool.NewExecutor) {
		synctest.Test(t, func(t *testing.T) {
			ctx, interrupt := context.WithCancel(t.Context())
			defer time.AfterFunc(2*time.Second, interrupt).Stop()
			rec := record(t)
			x := newExecutor(ctx, rec.env())
			x.Submit(job("w", unsafe, ok(time.Second)))
			x.Submit(job("stubborn", unsafe, func(context.Context, tool.Call) (tool.Result, error) {
				time.Sleep(time.Hour)
				return tool.Result{}, nil
			}))
			x.Wait()
			want := []string{
				"0s queued w", "0s begin w", "0s executing w", "0s queued stubborn",
				"1s finished w ok", "1s completed w ok", "1s yielded w ok",
				"1s begin stubborn", "1s executing stubborn",
				"1h0m1s finished stubborn cancelled", "1h0m1s completed stubborn cancelled", "1h0m1s yielded stubborn cancelled",
			}
			if len(rec.trace) != len(want) {
				t.Fatalf("trace: %v", rec.trace)
			}
			// Batch queues both before it begins the first; the rest is the same.
			if diff := cmp.Diff(want[4:], rec.trace[4:]); diff != "" {
				t.Errorf("trace (-want +got):\n%s", diff)
			}
		})
	})
}

// What a tool hung on its context is let go when all is over, however long the
// session's own context lives.
func TestContextEndsWithWait(t *testing.T) {
	each(t, func(t *testing.T, newExecutor tool.NewExecutor) {
		var ctx context.Context
		x := newExecutor(t.Context(), tool.Env{})
		x.Submit(job("a", safe, func(c context.Context, _ tool.Call) (tool.Result, error) {
			ctx = c
			return tool.Result{}, nil
		}))
		x.Wait()
		if ctx.Err() == nil {
			t.Error("the calls' context is still open after Wait")
		}
	})
}
