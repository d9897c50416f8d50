package loop_test

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/daruma-dev/daruma/loop"
	"github.com/daruma-dev/daruma/loop/recovery"
	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/model"
	"github.com/daruma-dev/daruma/model/modeltest"
	"github.com/daruma-dev/daruma/tool"
)

// sleeper is a tool that runs until it is cancelled, and then takes a second to
// clean up.
type sleeper struct{ ended chan struct{} }

func (sleeper) Spec() tool.Spec {
	return tool.Spec{Name: "sleep", Schema: json.RawMessage(`{"type":"object"}`)}
}

func (t sleeper) Run(ctx context.Context, call tool.Call) (tool.Result, error) {
	call.Progress("asleep")
	<-ctx.Done()
	time.Sleep(time.Second)
	close(t.ended)
	return tool.Result{}, ctx.Err()
}

func driver(script string, tools ...tool.Tool) *loop.Driver {
	set, err := tool.NewSet(tools...)
	if err != nil {
		panic(err)
	}
	client := &modeltest.Client{Script: modeltest.MustParse(script)}
	prompts := []*message.Message{message.NewUser("p", "go")}
	return &loop.Driver{
		Machine: &loop.Machine{Model: "test/m"},
		Deps: loop.Deps{
			Client: func(string) (model.Client, error) { return client, nil }, Tools: set,
			Inbox: func() (*message.Message, bool) {
				if len(prompts) == 0 {
					return nil, false
				}
				m := prompts[0]
				prompts = prompts[1:]
				return m, true
			},
		},
	}
}

// Breaking out of the range ends every tool before the range statement ends.
func TestBreakingOutWaitsForTools(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan struct{})
		d := driver("call t1 sleep {}\n---\ntext \"never\"", sleeper{ended})
		var after loop.State
		for e, err := range loop.Events(t.Context(), d, loop.State{}, func(s loop.State) { after = s }) {
			if err != nil {
				t.Fatal(err)
			}
			if c, ok := e.(loop.ToolChanged); ok && c.Phase == tool.Progress {
				break
			}
		}
		select {
		case <-ended:
		default:
			t.Error("the tool was still running when the range had ended")
		}
		if last := after.Messages[len(after.Messages)-1]; len(last.Results()) != 1 {
			t.Errorf("the call was not answered: %+v", last)
		}
		if after.Terminal == nil || after.Terminal.Reason != loop.AbortedTools {
			t.Errorf("the run ended as %v, want aborted_tools", after.Terminal)
		}
	})
}

// A finished batch is summed up in one line, after its results have joined the
// record.
func TestBatchesAreSummedUp(t *testing.T) {
	d := driver("call t1 read {}\ncall t2 fly {}\n---\ntext \"done\"", named("read"))
	var got []loop.Summarised
	for e, err := range loop.Events(t.Context(), d, loop.State{}, nil) {
		if err != nil {
			t.Fatal(err)
		}
		if s, ok := e.(loop.Summarised); ok {
			got = append(got, s)
		}
	}
	want := []loop.Summarised{{CallIDs: []string{"t1", "t2"}, Text: "read; fly: unknown tool"}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// A slow consumer slows the loop: nothing runs ahead of it.
func TestEventsAreBackPressured(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := driver("text \"a\"")
		recorded := 0
		d.Deps.Record = func(context.Context, loop.Entry) error { recorded++; return nil }
		for _, err := range loop.Events(t.Context(), d, loop.State{}, nil) {
			if err != nil {
				t.Fatal(err)
			}
			before := recorded
			time.Sleep(time.Hour)
			if recorded > before+1 {
				t.Fatalf("the loop recorded %d entries while its consumer was busy", recorded-before)
			}
		}
	})
}

// A panic of the run is the consumer's to see to: in a goroutine of its own it
// would end the whole program.
func TestPanicReachesTheConsumer(t *testing.T) {
	d := driver("text \"a\"")
	d.Deps.Consult = func(context.Context, loop.Consult) loop.Consulted { panic("kaboom") }
	defer func() {
		if err, ok := recover().(error); !ok || !strings.Contains(err.Error(), "kaboom") {
			t.Errorf("recovered %v", err)
		}
	}()
	for range loop.Events(t.Context(), d, loop.State{}, nil) { //nolint:revive // it panics
	}
	t.Error("the range ended well")
}

// A journal that cannot be written ends the run with an error: what is not
// recorded has not happened.
func TestRecordErrorEndsTheRun(t *testing.T) {
	full := errors.New("disk full")
	d := driver("text \"a\"")
	d.Deps.Record = func(_ context.Context, e loop.Entry) error {
		if _, ok := e.Result.(loop.Sampled); ok {
			return full
		}
		return nil
	}
	var last error
	for e, err := range loop.Events(t.Context(), d, loop.State{}, nil) {
		last = err
		if _, ok := e.(loop.Finish); ok {
			t.Error("a run that could not be recorded told a Finish")
		}
	}
	if !errors.Is(last, full) {
		t.Errorf("the range ended with %v, want %v", last, full)
	}
}

// Early start is invisible where the stream ends well: the same script gives
// the same conversation whatever the setting and the executor.
func TestEarlyStartIsInvisible(t *testing.T) {
	script := `
text "look"
call t1 read {}
call t2 write {}
call t3 read {}
text "and"
call t4 write {}
---
text "done"`
	var want string
	for _, early := range []loop.Early{loop.EarlyAll, loop.EarlySafe, loop.EarlyOff} {
		for name, x := range map[string]tool.NewExecutor{"streaming": tool.Streaming, "batch": tool.Batch} {
			d := driver(script, named("read"), named("write"))
			d.Early, d.Executor = early, x
			n := 0
			d.Deps.NewID = func() string { n++; return string(rune('a' + n)) }
			d.Deps.Now = func() time.Time { return time.Unix(0, 0) }
			s, term, err := loop.Run(t.Context(), d, loop.State{}, nil)
			if err != nil || !term.OK() {
				t.Fatalf("%s %s: %v %v", early, name, term, err)
			}
			b, _ := message.Marshal(s.Messages)
			if want == "" {
				want = string(b)
			}
			if string(b) != want {
				t.Errorf("early=%s %s:\n%s\nwant\n%s", early, name, b, want)
			}
		}
	}
}

func named(name string) tool.Tool {
	type none struct{}
	f := tool.New(name, "a tool", func(context.Context, tool.Call, none) (tool.Result, error) {
		return tool.Result{Text: name + " ran"}, nil
	})
	f.ReadOnlyFunc = func(none) bool { return name == "read" }
	return f
}

// A call that waits for its turn must not begin once its reply was withdrawn,
// also when its turn comes in the very moment between the two.
func TestNothingOfAWithdrawnReplyBegins(t *testing.T) {
	recording := make(chan struct{})
	read := tool.New("read", "reads until the reply is being recorded", func(context.Context, tool.Call, struct{}) (tool.Result, error) {
		<-recording
		return tool.Result{}, nil
	})
	read.ReadOnlyFunc = func(struct{}) bool { return true }
	d := driver("call t1 read {}\ncall t2 write {}\ntruncate text \"so\"\n---\ntext \"done\"", read, named("write"))
	d.Machine.Layers = []loop.Layer{recovery.Escalate{To: recovery.EscalatedOutput}}
	answered, once := make(chan struct{}), sync.Once{}
	var began []loop.Began
	d.Deps.Record = func(_ context.Context, e loop.Entry) error {
		switch res := e.Result.(type) {
		case loop.Began:
			began = append(began, res)
		case loop.Sampled:
			once.Do(func() {
				close(recording)
				<-answered
				time.Sleep(5 * time.Millisecond) // until the second call waits for this entry; nothing shows when
			})
		}
		return nil
	}
	_, end, err := loop.Run(t.Context(), d, loop.State{}, func(e loop.Event) {
		if c, ok := e.(loop.ToolChanged); ok && c.Call.ID == "t1" && c.Phase == tool.Yielded {
			close(answered)
		}
	})
	if err != nil || !end.OK() || began != nil {
		t.Errorf("%v, %v; began: %+v", end, err, began)
	}
}

// Each part that was shown is taken back when its reply is, also one of which
// no more than its start came; and nothing is told of its calls afterwards.
func TestTombstonesComeLast(t *testing.T) {
	for name, script := range map[string]string{
		"only a part's start": "call t1 read {}\ncut after 2",
		"a call that runs":    "call t1 slow {}\ntext \"so\"\ncut",
	} {
		synctest.Test(t, func(t *testing.T) {
			slow := tool.New("slow", "is slow", func(ctx context.Context, _ tool.Call, _ struct{}) (tool.Result, error) {
				<-ctx.Done()
				return tool.Result{}, ctx.Err()
			})
			slow.ReadOnlyFunc = func(struct{}) bool { return true }
			d := driver(script, slow, named("read"))
			var got string
			_, _, err := loop.Run(t.Context(), d, loop.State{}, func(e loop.Event) {
				switch e := e.(type) {
				case loop.Streamed, loop.ToolChanged:
					got = ""
				case loop.Withdrawn:
					got = e.MessageID
				}
			})
			if err != nil || got == "" {
				t.Errorf("%s: the last word on the reply is no tombstone (%v)", name, err)
			}
		})
	}
}
