package daruma_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"text/tabwriter"
	"time"

	"github.com/daruma-dev/daruma"
	"github.com/daruma-dev/daruma/loop"
	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/model"
	"github.com/daruma-dev/daruma/model/anthropic"
	"github.com/daruma-dev/daruma/model/modeltest"
	"github.com/daruma-dev/daruma/session"
	"github.com/daruma-dev/daruma/tool"
)

// variant is a way to run the calls of a reply.
type variant struct {
	name     string
	early    loop.Early
	executor tool.NewExecutor
}

// variants hold the default first. In the others nothing that changes something
// starts before its reply is whole, so all of them must come to the same.
var variants = []variant{
	{"streaming, early all", loop.EarlyAll, tool.Streaming},
	{"streaming, early safe", loop.EarlySafe, tool.Streaming},
	{"streaming, early off", loop.EarlyOff, tool.Streaming},
	{"batch", loop.EarlyAll, tool.Batch},
}

// times is how often in a row a fault happens. "Always" is more often than any
// budget lasts.
var times = []struct {
	name string
	n    int
}{{"once", 1}, {"3 times", 3}, {"always", 1000}}

// turnLimit ends the runs that nothing else ends.
const turnLimit = 15

// patience is the longest that a run may take, whatever the server does.
const patience = 30 * time.Minute

// TestFaultMatrix plays each fault of the table once, three times and always,
// with each way of running calls. Whatever happens, the run ends as the table
// says, no request is invalid, no call that changes something runs twice, what
// the screen shows in the end is what the record holds, the journal's fold is
// the live state, and the next prompt is answered, in this process and in one
// that resumes the session. Time is fake; everything else is real.
func TestFaultMatrix(t *testing.T) {
	rows := make([]string, len(faults))
	t.Run("faults", func(t *testing.T) {
		for i, f := range faults {
			t.Run(f.name, func(t *testing.T) {
				t.Parallel()
				rows[i] = playFaults(t, f)
			})
		}
	})
	var table strings.Builder
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprint(w, "fault\tcalls\tonce\t3 times\talways\n", strings.Join(rows, ""))
	if err := w.Flush(); err != nil {
		t.Error(err)
	}
	t.Logf("end, requests, runs of the tool that changes something:\n%s", table.String())
}

// playFaults plays one line of the matrix and prints what came of it, in one
// line for the variants that come to the same.
func playFaults(t *testing.T, f fault) string {
	t.Helper()
	came := map[outcomes][]string{} // → variants
	for _, v := range f.variants() {
		var row outcomes
		for i, n := range times {
			t.Run(v.name+", "+n.name, func(t *testing.T) {
				row[i] = playFault(t, f, n.n, v)
				if want := f.outcome(v, i); row[i] != want {
					t.Errorf("%s, want %s", row[i], want)
				}
			})
		}
		came[row] = append(came[row], v.name)
	}
	var lines []string
	for row, names := range came {
		calls := strings.Join(names, "; ")
		if len(came) == 1 {
			calls = "any"
		}
		lines = append(lines, fmt.Sprintf("%s\t%s\t%s\t%s\t%s\t%s\n", f.name, calls, row[0], row[1], row[2], f.later))
	}
	slices.Sort(lines)
	return strings.Join(lines, "")
}

// playFault plays one cell of the matrix and says what came of the first
// prompt, as "end requests runs".
func playFault(t *testing.T, f fault, n int, v variant) (outcome string) {
	t.Helper()
	script := modeltest.Replies{
		modeltest.Say("second answer").When("second prompt"),
		modeltest.Say("third answer").When("third prompt"),
		f.reply.Repeat(n),
		modeltest.Say("on it").Call("h1", "count", `{}`),
		modeltest.Say("done"),
	}
	synctest.Test(t, func(t *testing.T) {
		b := newBubble(t, script, modeltest.Options{})
		o := b.options()
		o.Early, o.Limits.MaxTurns = v.early, turnLimit
		a := b.agent(o)
		a.SetExecutor(v.executor)
		began := time.Now()
		end := b.run(t.Context(), a, "first prompt")
		if d := time.Since(began); d > patience {
			t.Errorf("the run took %v", d)
		}
		outcome = fmt.Sprintf("%s %d %d", end.Reason, len(b.server.Requests()), len(b.counter.runs()))
		if text := strings.TrimSpace(loop.FinalText(a.State())); end.OK() && text != f.answer() {
			t.Errorf("the answer is %q", text)
		}
		b.answers(a, "second")
		b.close(a)
		o.Resume = a.Session()
		a = b.agent(o)
		b.answers(a, "third")
		b.close(a)
	})
	return outcome
}

// bubble is an agent's surroundings in fake time: a strict server behind a pipe
// and two tools.
type bubble struct {
	t       *testing.T
	dir     string
	state   string
	server  *modeltest.Server
	dial    func(context.Context, string, string) (net.Conn, error)
	client  model.Client
	counter *counter
	prompts int
}

// newBubble must be called within a bubble of synctest.
func newBubble(t *testing.T, script modeltest.Script, o modeltest.Options) *bubble {
	t.Helper()
	b := &bubble{t: t, dir: t.TempDir(), state: t.TempDir(), counter: &counter{}}
	o.Listener, b.dial = modeltest.Pipe()
	b.server = modeltest.New(script, o)
	if err := b.server.Start(); err != nil {
		t.Fatal(err)
	}
	b.connect(anthropic.Options{})
	t.Cleanup(func() {
		if err := b.server.Close(); err != nil {
			t.Error(err)
		}
		for _, p := range b.server.Problems() {
			t.Errorf("the server refused a request: %s", p)
		}
	})
	return b
}

// connect makes the client.
func (b *bubble) connect(o anthropic.Options) {
	transport := &http.Transport{DialContext: b.dial}
	b.t.Cleanup(transport.CloseIdleConnections)
	o.Key, o.BaseURL, o.Transport = "key", b.server.URL(), transport
	b.client = anthropic.New(o)
}

func (b *bubble) options() daruma.Options {
	return daruma.Options{
		Dir: b.dir, StateDir: b.state, Model: "anthropic/claude-opus-5-5", Mode: "bypass", System: "You are tested.",
		Client: func(string) (model.Client, error) { return b.client, nil },
		Tools:  []tool.Tool{b.counter.tool(), look},
		Getenv: func(string) string { return "" },
	}
}

func (b *bubble) agent(o daruma.Options) *daruma.Agent {
	b.t.Helper()
	a, err := daruma.New(o)
	if err != nil {
		b.t.Fatal(err)
	}
	return a
}

func (b *bubble) close(a *daruma.Agent) {
	b.t.Helper()
	if err := a.Close(); err != nil {
		b.t.Error(err)
	}
}

// run runs a prompt to its end, looks on as a face would, and checks what has
// to hold however the run went.
func (b *bubble) run(ctx context.Context, a *daruma.Agent, prompt string) loop.Terminal {
	b.t.Helper()
	b.prompts++
	f := newFace(b.t)
	for e, err := range a.Run(ctx, prompt) {
		if err != nil {
			b.t.Fatal(err)
		}
		f.event(e)
	}
	s := a.State()
	f.finished(s)
	b.check(a, s)
	return f.end
}

// answers runs a prompt that has to be answered.
func (b *bubble) answers(a *daruma.Agent, which string) {
	b.t.Helper()
	end := b.run(b.t.Context(), a, which+" prompt")
	if text := loop.FinalText(a.State()); !end.OK() || text != which+" answer" {
		b.t.Errorf("the %s prompt ended as %v with %q", which, end, text)
	}
}

// check compares record, journal, and what the tool has counted.
func (b *bubble) check(a *daruma.Agent, s loop.State) {
	b.t.Helper()
	folded, err := session.Fold(a.JournalPath(), a.Machine(), &session.Contents{})
	if err != nil {
		b.t.Fatal(err)
	}
	if d := loop.Diff(s, folded); d != "" {
		b.t.Errorf("the fold of the journal is not the live state: %s", d)
	}
	prompts, ran := 0, []string{}
	for _, m := range s.Messages {
		if m.Origin == message.FromUser {
			prompts++
		}
		for _, r := range m.Results() {
			if r.Name == "count" && r.Status == message.StatusOK {
				ran = append(ran, r.CallID)
			}
		}
	}
	if prompts != b.prompts {
		b.t.Errorf("%d prompts of %d are in the record", prompts, b.prompts)
	}
	if runs := b.counter.runs(); !slices.Equal(ran, runs) {
		b.t.Errorf("the tool ran for %q, the record has %q", runs, ran)
	}
}

// lastRequest is what the server was asked last.
func lastRequest(s *modeltest.Server) *model.Request {
	rs := s.Requests()
	return rs[len(rs)-1].Request()
}

// counter is a tool that changes something: it notes the calls it ran for.
type counter struct {
	mu  sync.Mutex
	ids []string
}

func (c *counter) runs() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.ids)
}

func (c *counter) tool() tool.Tool {
	return tool.New("count", "counts its runs", func(_ context.Context, call tool.Call, _ struct {
		A string `json:"a,omitempty"`
	},
	) (tool.Result, error) {
		time.Sleep(time.Second)
		c.mu.Lock()
		defer c.mu.Unlock()
		c.ids = append(c.ids, call.ID)
		return tool.Result{Text: "counted"}, nil
	})
}

// look is a tool that changes nothing.
var look = func() tool.Tool {
	t := tool.New("look", "looks", func(context.Context, tool.Call, struct{}) (tool.Result, error) {
		time.Sleep(time.Second)
		return tool.Result{Text: "seen"}, nil
	})
	t.ReadOnlyFunc = func(struct{}) bool { return true }
	return t
}()

// face is what a user has on the screen: what was streamed or added and not
// withdrawn. It complains about events that no face could make sense of.
type face struct {
	t     *testing.T
	shown map[string]string // text by message
	order []string
	added map[string]bool
	gone  map[string]bool
	calls map[string]tool.Phase
	void  bool // a reply was withdrawn and nothing was asked since
	end   loop.Terminal
	ended int
}

func newFace(t *testing.T) *face {
	return &face{
		t: t, shown: map[string]string{}, added: map[string]bool{}, gone: map[string]bool{}, calls: map[string]tool.Phase{},
	}
}

func (f *face) event(e loop.Event) {
	f.t.Helper()
	if f.ended > 0 {
		f.t.Errorf("%T came after the end", e)
	}
	switch e := e.(type) {
	case loop.Streamed:
		f.streamed(e)
	case loop.Added:
		if f.added[e.Message.ID] || f.gone[e.Message.ID] {
			f.t.Errorf("message %s was added after it was added or withdrawn", e.Message.ID)
		}
		f.added[e.Message.ID] = true
		f.show(e.Message.ID)
		f.shown[e.Message.ID] = e.Message.Text()
	case loop.Withdrawn:
		if _, ok := f.shown[e.MessageID]; !ok || f.added[e.MessageID] {
			f.t.Errorf("message %s was withdrawn though it was not shown, or is in the record", e.MessageID)
		}
		delete(f.shown, e.MessageID)
		f.gone[e.MessageID], f.void = true, true
		clear(f.calls)
	case loop.ToolChanged:
		f.tool(e)
	case loop.Requested:
		f.void = false
	case loop.Finish:
		f.end = e.Terminal
		f.ended++
	case loop.Summarised, loop.Waiting, loop.Faulted, loop.Moved:
	default:
		f.t.Errorf("unknown event %T", e)
	}
}

func (f *face) show(id string) {
	if _, ok := f.shown[id]; !ok {
		f.order = append(f.order, id)
	}
}

func (f *face) streamed(e loop.Streamed) {
	if f.added[e.MessageID] || f.gone[e.MessageID] {
		f.t.Errorf("something came of message %s after it was added or withdrawn", e.MessageID)
	}
	f.show(e.MessageID)
	d, _ := e.Event.(model.Delta)
	if d.Kind != model.DeltaText {
		d.Text = ""
	}
	f.shown[e.MessageID] += d.Text
}

// tool sees that each call goes through its phases once and in order.
func (f *face) tool(e loop.ToolChanged) {
	f.t.Helper()
	order := []tool.Phase{"", tool.Queued, tool.Executing, tool.Progress, tool.Completed, tool.Yielded}
	before := f.calls[e.Call.ID]
	if f.void || slices.Index(order, e.Phase) <= slices.Index(order, before) {
		f.t.Errorf("call %s is %s after %q (its reply withdrawn: %t)", e.Call.ID, e.Phase, before, f.void)
	}
	f.calls[e.Call.ID] = e.Phase
}

// finished compares what is on the screen with the record.
func (f *face) finished(s loop.State) {
	f.t.Helper()
	if f.ended != 1 {
		f.t.Errorf("the run told %d ends", f.ended)
	}
	for _, id := range f.order {
		text, ok := f.shown[id]
		if !ok {
			continue
		}
		i := slices.IndexFunc(s.Messages, func(m *message.Message) bool { return m.ID == id })
		if i < 0 || s.Messages[i].Text() != text {
			f.t.Errorf("the screen shows message %s as %q, which the record does not", id, text)
		}
	}
	for id, phase := range f.calls {
		if phase != tool.Yielded {
			f.t.Errorf("call %s was left %s", id, phase)
		}
	}
}
