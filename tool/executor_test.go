package tool_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/tool"
)

const (
	safe   = true
	unsafe = false
)

func ok(d time.Duration) func(context.Context, tool.Call) (tool.Result, error) {
	return takes(d, tool.Result{Text: "done"}, nil)
}

// TestTrace pins the whole life of a few replies. A job is submitted every
// second, so that streaming and batch differ.
func TestTrace(t *testing.T) {
	denied := tool.Job{
		Call:    message.Call{ID: "d", Name: "fake"},
		Verdict: &message.ToolResult{Status: message.StatusDenied, Text: "no"},
	}
	for _, c := range []struct {
		name             string
		jobs             []tool.Job
		streaming, batch []string
	}{
		{
			name: "safe calls overlap and yield in the order of the calls",
			jobs: []tool.Job{job("a", safe, ok(5*time.Second)), job("b", safe, ok(time.Second))},
			streaming: []string{
				"0s queued a", "0s executing a", "1s queued b", "1s executing b",
				"2s completed b ok", "5s completed a ok", "5s yielded a ok", "5s yielded b ok",
			},
			batch: []string{
				"0s queued a", "1s queued b", "2s executing a", "2s executing b",
				"3s completed b ok", "7s completed a ok", "7s yielded a ok", "7s yielded b ok",
			},
		},
		{
			name: "an unsafe call waits for those before it and holds up those behind it",
			jobs: []tool.Job{job("a", safe, ok(3*time.Second)), job("w", unsafe, ok(time.Second)), job("b", safe, ok(time.Second))},
			streaming: []string{
				"0s queued a", "0s executing a", "1s queued w", "2s queued b",
				"3s completed a ok", "3s yielded a ok",
				"3s begin w", "3s executing w", "4s finished w ok", "4s completed w ok", "4s yielded w ok",
				"4s executing b", "5s completed b ok", "5s yielded b ok",
			},
			batch: []string{
				"0s queued a", "1s queued w", "2s queued b",
				"3s executing a", "6s completed a ok", "6s yielded a ok",
				"6s begin w", "6s executing w", "7s finished w ok", "7s completed w ok", "7s yielded w ok",
				"7s executing b", "8s completed b ok", "8s yielded b ok",
			},
		},
		{
			name: "a verdict takes its place without running",
			jobs: []tool.Job{job("a", safe, ok(3*time.Second)), denied, job("b", unsafe, ok(time.Second))},
			streaming: []string{
				"0s queued a", "0s executing a", "1s queued d", "1s completed d denied", "2s queued b",
				"3s completed a ok", "3s yielded a ok", "3s yielded d denied",
				"3s begin b", "3s executing b", "4s finished b ok", "4s completed b ok", "4s yielded b ok",
			},
			batch: []string{
				"0s queued a", "1s queued d", "1s completed d denied", "2s queued b",
				"3s executing a", "6s completed a ok", "6s yielded a ok", "6s yielded d denied",
				"6s begin b", "6s executing b", "7s finished b ok", "7s completed b ok", "7s yielded b ok",
			},
		},
		{name: "no calls"},
	} {
		for name, want := range map[string][]string{"streaming": c.streaming, "batch": c.batch} {
			t.Run(c.name+"/"+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					rec := record(t)
					x := executors[name](t.Context(), rec.env())
					for _, j := range c.jobs {
						x.Submit(j)
						time.Sleep(time.Second)
					}
					results := x.Wait()
					if diff := cmp.Diff(want, rec.trace); diff != "" {
						t.Errorf("trace (-want +got):\n%s", diff)
					}
					if len(results) != len(c.jobs) {
						t.Errorf("%d results for %d calls", len(results), len(c.jobs))
					}
				})
			})
		}
	}
}

func TestResults(t *testing.T) {
	full := tool.Result{
		Status: message.StatusTimeout, Text: "half", Media: []message.Media{{Kind: "image", MIME: "image/png"}},
		Title: "title", Diff: "diff", Blob: &message.Blob{Path: "/b", Size: 9},
		Files: []message.FileVersion{{Path: "/f", Action: "read"}}, Dir: "/d",
	}
	for _, c := range []struct {
		name string
		r    tool.Result
		err  error
		want message.ToolResult
	}{
		{name: "no status is a success", r: tool.Result{Text: "hi"}, want: message.ToolResult{Status: message.StatusOK, Text: "hi"}},
		{name: "the zero result is a success without text", want: message.ToolResult{Status: message.StatusOK}},
		{
			name: "every field is carried over", r: full,
			want: message.ToolResult{
				Status: full.Status, Text: full.Text, Media: full.Media, Title: full.Title, Diff: full.Diff,
				Blob: full.Blob, Files: full.Files, Dir: full.Dir,
			},
		},
		{name: "an error", err: errors.New("disk full"), want: message.ToolResult{Status: message.StatusError, Text: "disk full"}},
		{
			name: "an error with a status, wrapped", err: fmt.Errorf("edit a.go: %w", tool.Refuse(message.StatusMalformed, "no old text")),
			want: message.ToolResult{Status: message.StatusMalformed, Text: "edit a.go: no old text"},
		},
		{
			name: "an error keeps what else is known", r: tool.Result{Text: "gone", Dir: "/d"}, err: tool.Errorf("exit status %d", 2),
			want: message.ToolResult{Status: message.StatusError, Text: "exit status 2", Dir: "/d"},
		},
		{
			name: "an error that names no status is still one", err: &tool.Error{Text: "odd"},
			want: message.ToolResult{Status: message.StatusError, Text: "odd"},
		},
		{
			name: "a failure without a word gets one", r: tool.Result{Status: message.StatusError},
			want: message.ToolResult{Status: message.StatusError, Text: "`fake` failed and did not say why. Try another way."},
		},
		{
			name: "bytes that no request may hold (B056)", r: tool.Result{Text: "a\x00b\xffc", Title: "t\x00", Diff: "-\xc3\n"},
			want: message.ToolResult{Status: message.StatusOK, Text: "a\uFFFDb\uFFFDc", Title: "t\uFFFD", Diff: "-\uFFFD\n"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			each(t, func(t *testing.T, newExecutor tool.NewExecutor) {
				x := newExecutor(t.Context(), tool.Env{})
				x.Submit(job("t1", unsafe, takes(0, c.r, c.err)))
				want := c.want
				want.CallID, want.Name = "t1", "fake"
				if diff := cmp.Diff([]message.ToolResult{want}, x.Wait()); diff != "" {
					t.Errorf("results (-want +got):\n%s", diff)
				}
			})
		})
	}
}

func TestCallAsTheToolSeesIt(t *testing.T) {
	opened := ""
	x := tool.Streaming(t.Context(), tool.Env{Blob: func(name string) (tool.Blob, error) { opened = name; return nil, nil }})
	var got tool.Call
	j := job("t1", safe, func(_ context.Context, call tool.Call) (tool.Result, error) {
		got = call
		call.Progress("nobody listens")
		_, err := call.Blob("out.txt")
		return tool.Result{}, err
	})
	j.Call.Input = []byte(`{"path": "a"}`)
	x.Submit(j)
	x.Wait()
	if got.ID != "t1" || got.Name != "fake" || string(got.Input) != `{"path": "a"}` || opened != "out.txt" {
		t.Errorf("the tool got %+v and opened %q", got, opened)
	}
}

func TestAtMostMaxParallel(t *testing.T) {
	each(t, func(t *testing.T, newExecutor tool.NewExecutor) {
		synctest.Test(t, func(t *testing.T) {
			rec := record(t)
			x := newExecutor(t.Context(), rec.env())
			var want []string
			for i := range 25 {
				id := fmt.Sprintf("t%d", i)
				x.Submit(job(id, safe, ok(time.Second)))
				want = append(want, fmt.Sprintf("%ds executing %s", i/tool.MaxParallel, id))
			}
			x.Wait()
			got := slices.DeleteFunc(rec.trace, func(s string) bool { return !slices.Contains(want, s) })
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("starts (-want +got):\n%s", diff)
			}
		})
	})
}

// Two calls of one reply may share an id, and each still gets its own answer
// (B004).
func TestCallsThatShareAnID(t *testing.T) {
	each(t, func(t *testing.T, newExecutor tool.NewExecutor) {
		x := newExecutor(t.Context(), tool.Env{})
		x.Submit(job("c1", safe, takes(0, tool.Result{Text: "first"}, nil)))
		x.Submit(job("c1", safe, takes(0, tool.Result{Text: "second"}, nil)))
		results := x.Wait()
		if len(results) != 2 || results[0].Text != "first" || results[1].Text != "second" {
			t.Errorf("got %+v", results)
		}
	})
}

func TestCallWithoutTool(t *testing.T) {
	x := tool.Streaming(t.Context(), tool.Env{})
	x.Submit(tool.Job{Call: message.Call{ID: "t1", Name: "raed"}})
	want := []message.ToolResult{{
		CallID: "t1", Name: "raed", Status: message.StatusUnknown,
		Text: `there is no tool named "raed": use one of those you were told about.`,
	}}
	if diff := cmp.Diff(want, x.Wait()); diff != "" {
		t.Errorf("results (-want +got):\n%s", diff)
	}
}

func TestBeginFails(t *testing.T) {
	each(t, func(t *testing.T, newExecutor tool.NewExecutor) {
		finished := 0
		x := newExecutor(t.Context(), tool.Env{
			Begin: func(c message.Call) error {
				switch c.ID {
				case "w1":
					return errors.New("no space left on device")
				case "w3":
					return tool.Refuse(message.StatusCancelled, "not run: the reply was withdrawn")
				default:
					return nil
				}
			},
			Finished: func(message.ToolResult) { finished++ },
		})
		x.Submit(job("w1", unsafe, func(context.Context, tool.Call) (tool.Result, error) {
			t.Error("w1 ran though its start is not on disk")
			return tool.Result{}, nil
		}))
		x.Submit(job("r1", safe, ok(0)))
		x.Submit(job("w2", unsafe, ok(0)))
		x.Submit(job("w3", unsafe, ok(0)))
		results := x.Wait()
		if diff := cmp.Diff([]string{"w1 error", "r1 ok", "w2 ok", "w3 cancelled"}, statuses(results)); diff != "" {
			t.Errorf("results (-want +got):\n%s", diff)
		}
		want := "not run: that it starts could not be recorded (no space left on device). Nothing was changed; tell the user."
		if results[0].Text != want {
			t.Errorf("w1 says %q", results[0].Text)
		}
		if results[3].Text != "not run: the reply was withdrawn" {
			t.Errorf("w3 says %q", results[3].Text)
		}
		if finished != 1 {
			t.Errorf("Finished was called %d times for the one unsafe call that ran", finished)
		}
	})
}

func TestProgress(t *testing.T) {
	each(t, func(t *testing.T, newExecutor tool.NewExecutor) {
		synctest.Test(t, func(t *testing.T) {
			rec := record(t)
			x := newExecutor(t.Context(), rec.env())
			x.Submit(job("a", safe, func(_ context.Context, call tool.Call) (tool.Result, error) {
				call.Progress("one")
				time.Sleep(time.Second)
				call.Progress("two")
				go func() { // a goroutine that outlives the call must do no harm
					time.Sleep(time.Second)
					call.Progress("too late")
				}()
				return tool.Result{}, nil
			}))
			x.Wait()
			time.Sleep(2 * time.Second)
			want := []string{
				"0s queued a", "0s executing a", "0s progress a one", "1s progress a two", "1s completed a ok", "1s yielded a ok",
			}
			if diff := cmp.Diff(want, rec.trace); diff != "" {
				t.Errorf("trace (-want +got):\n%s", diff)
			}
		})
	})
}

// A listener that is slow slows the tool: nothing piles up in between.
func TestProgressWaitsForTheListener(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		x := tool.Streaming(t.Context(), tool.Env{Event: func(e tool.Event) {
			if e.Phase == tool.Progress {
				time.Sleep(time.Second)
			}
		}})
		x.Submit(job("a", safe, func(_ context.Context, call tool.Call) (tool.Result, error) {
			for range 5 {
				call.Progress("line")
			}
			return tool.Result{}, nil
		}))
		x.Wait()
		if took := time.Since(start); took != 5*time.Second {
			t.Errorf("five lines took %v, want 5s", took)
		}
	})
}
