package cli

import (
	"fmt"
	"time"

	"github.com/daruma-dev/daruma"
	"github.com/daruma-dev/daruma/loop"
	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/tool"
)

// stream prints what happens as one JSON object a line (stream-json). The
// shapes are those that scripts for other agents read, where there is one.
type stream struct {
	out     *output
	agent   *daruma.Agent
	session string
	pieces  *pieces // nil when pieces of a reply are not wanted

	started map[string]time.Time // when a call began to run
	status  any                  // HTTP status of the newest fault; nil when it had none
}

func newStream(out *output, a *daruma.Agent, partial bool) *stream {
	s := &stream{out: out, agent: a, session: a.Session(), started: map[string]time.Time{}}
	if partial {
		s.pieces = &pieces{send: func(event object) {
			s.send(object{{"type", "stream_event"}, {"event", event}, {"parent_tool_use_id", nil}})
		}}
	}
	return s
}

// begin says what the session is.
func (s *stream) begin() {
	s.send(object{
		{"type", "system"},
		{"subtype", "init"},
		{"cwd", s.agent.Dir()},
		{"model", s.agent.Model()},
		{"tools", s.agent.Tools()},
		{"permissionMode", s.agent.Mode()},
	})
}

func (s *stream) event(e loop.Event) {
	if s.pieces != nil {
		s.pieces.event(e)
	}
	switch e := e.(type) {
	case loop.Added:
		s.added(e.Message)
	case loop.ToolChanged:
		s.tool(e.Event)
	case loop.Summarised:
		s.send(object{{"type", "tool_summary"}, {"tool_use_ids", e.CallIDs}, {"summary", e.Text}})
	case loop.Withdrawn:
		s.send(object{{"type", "tombstone"}, {"message_id", e.MessageID}})
	case loop.Faulted:
		s.status = nil
		if err := e.Fault.Err; err != nil && err.Status != 0 {
			s.status = err.Status
		}
	case loop.Waiting:
		s.waiting(e)
	case loop.Moved:
		s.moved(e.Transition)
	case loop.Requested, loop.Streamed, loop.Finish:
	default:
		panic(fmt.Sprintf("cli: unhandled event %T", e))
	}
}

// added tells a reply, or the results of calls. What the loop itself says to
// the model is no message of anyone's.
func (s *stream) added(m *message.Message) {
	switch {
	case m.Role == message.Assistant:
		s.send(object{{"type", "assistant"}, {"message", reply(m)}, {"parent_tool_use_id", nil}})
	case m.Origin == message.FromTools:
		user := object{{"role", "user"}, {"content", blocks(m.Parts)}}
		s.send(object{{"type", "user"}, {"message", user}, {"parent_tool_use_id", nil}})
	}
}

// tool tells that a call runs and what it says meanwhile.
func (s *stream) tool(e tool.Event) {
	switch e.Phase {
	case tool.Executing:
		s.started[e.Call.ID] = time.Now()
	case tool.Progress:
	case tool.Queued, tool.Completed, tool.Yielded:
		return
	default:
		panic(fmt.Sprintf("cli: unhandled phase %q", string(e.Phase)))
	}
	s.send(object{
		{"type", "tool_progress"},
		{"tool_use_id", e.Call.ID},
		{"tool_name", e.Call.Name},
		{"parent_tool_use_id", nil},
		{"elapsed_time_seconds", time.Since(s.started[e.Call.ID]).Round(time.Millisecond).Seconds()},
		{"text", e.Text},
	})
}

func (s *stream) waiting(w loop.Waiting) {
	s.send(object{
		{"type", "system"},
		{"subtype", "api_retry"},
		{"attempt", w.Attempt},
		{"retry_delay_ms", w.For.Milliseconds()},
		{"error_status", s.status},
		{"error", w.Why},
	})
}

func (s *stream) moved(t loop.Transition) {
	s.send(object{
		{"type", "transition"},
		{"reason", t.Reason},
		{"turn", t.Turn},
		{"n", t.N},
		{"layer", t.Layer},
		{"attempt", t.Attempt},
		{"cause", t.Cause},
	})
}

// send prints one object of this session.
func (s *stream) send(o object) {
	s.out.object(append(o, member{"session_id", s.session}, member{"uuid", newUUID()}))
}
