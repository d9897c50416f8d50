package daruma_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/daruma-dev/daruma/loop"
	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/model/modeltest"
	"github.com/daruma-dev/daruma/tool"
)

// hold is a tool that changes something and runs until it is cancelled.
var hold = tool.New("hold", "holds", func(ctx context.Context, _ tool.Call, _ struct{}) (tool.Result, error) {
	<-ctx.Done()
	return tool.Result{}, ctx.Err()
})

// interruption is a moment at which the user interrupts.
type interruption struct {
	name     string
	script   string // what comes before "ok"
	asked    bool   // calls need consent
	requests int    // until the interrupt
	end      loop.End
	failed   []string // calls whose result says that they did not run to their end
}

var interruptions = []interruption{
	{name: "before the answer", script: "stall", requests: 1, end: loop.AbortedStreaming},
	{name: "behind the header", script: "start\nstall", requests: 1, end: loop.AbortedStreaming},
	{name: "in the text (B017)", script: "text \"partial\"\nstall", requests: 1, end: loop.AbortedStreaming},
	{name: "in thinking", script: "thinking \"hm\"\nstall", requests: 1, end: loop.AbortedStreaming},
	{name: "behind a call that has not begun", script: "call t1 hold {}\nstall", requests: 1, end: loop.AbortedStreaming, failed: []string{"t1"}},
	{name: "while a call runs (B001)", script: "call t1 hold {}", requests: 1, end: loop.AbortedTools, failed: []string{"t1"}},
	{name: "while a call runs early", script: "call t1 hold {}\ntext \"so\"\nstall", requests: 1, end: loop.AbortedStreaming, failed: []string{"t1"}},
	{name: "while a call waits for another", script: "call t1 hold {}\ncall t2 hold {}", requests: 1, end: loop.AbortedTools, failed: []string{"t1", "t2"}},
	{
		name: "while calls run and wait early", script: "call t1 look {}\ncall t2 hold {}\ncall t3 hold {}\ncall t4 look {}\ntext \"so\"\nstall",
		requests: 1, end: loop.AbortedStreaming, failed: []string{"t2", "t3", "t4"},
	},
	{name: "while the user is asked", script: "call t1 hold {}\ncall t2 look {}", asked: true, requests: 1, end: loop.AbortedTools, failed: []string{"t1", "t2"}},
	{name: "while waiting for a retry (B034)", script: "http 529 retry-after=60", requests: 1, end: loop.AbortedStreaming},
	{name: "in the reply to a retry (B034)", script: "http 529 header.retry-after-ms=100\n---\ntext \"slow\"\nstall", requests: 2, end: loop.AbortedStreaming},
	{name: "in the second turn", script: "call t1 look {}\n---\ntext \"partial\"\nstall", requests: 2, end: loop.AbortedStreaming},
}

// Whenever the user interrupts: the run ends at once, nothing more is asked,
// every call has a result, those that did not run to their end a failure, and
// the next prompt is answered.
func TestInterruptAtAnyMoment(t *testing.T) {
	for _, c := range interruptions {
		for _, v := range variants {
			t.Run(c.name+", "+v.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { interruptOnce(t, c, v) })
			})
		}
	}
}

// interruptOnce interrupts 1.5 seconds after the prompt, when a call of look
// has been over for half a second.
func interruptOnce(t *testing.T, c interruption, v variant) {
	t.Helper()
	b := newBubble(t, modeltest.MustParse("when \"go on\"\ntext \"ok\"\n---\n"+c.script), modeltest.Options{})
	o := b.options()
	o.Early = v.early
	o.Tools = append(o.Tools, hold)
	if c.asked {
		o.Mode = "default"
		o.Question = func(ctx context.Context, _ []loop.Question) ([]loop.Answer, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}
	}
	a := b.agent(o)
	defer b.close(a)
	a.SetExecutor(v.executor)

	ctx, cancel := context.WithCancel(t.Context())
	var at time.Time
	time.AfterFunc(1500*time.Millisecond, func() { at = time.Now(); cancel() })
	end := b.run(ctx, a, "start")
	if late := time.Since(at); end.Reason != c.end || late > time.Second {
		t.Errorf("ended as %v, %v after the interrupt; want %s at once", end, late, c.end)
	}
	if n := len(b.server.Requests()); n != c.requests {
		t.Errorf("%d requests, want %d", n, c.requests)
	}
	if end := b.run(t.Context(), a, "go on"); !end.OK() || loop.FinalText(a.State()) != "ok" {
		t.Errorf("the next prompt ended as %v with %q", end, loop.FinalText(a.State()))
	}
	results := map[string]message.ToolResult{}
	for _, m := range lastRequest(b.server).Messages {
		for _, r := range m.Results() {
			results[r.CallID] = r
		}
	}
	for _, id := range c.failed {
		if r, ok := results[id]; !ok || !r.IsError() {
			t.Errorf("call %s is answered by %+v", id, r)
		}
	}
}
