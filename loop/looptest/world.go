package looptest

import (
	"context"
	"encoding/json"
	"time"

	"github.com/daruma-dev/daruma/loop"
	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/tool"
)

// scripted is a tool that does what the script says.
type scripted struct {
	toolSpec
	play *play
}

func (t scripted) Spec() tool.Spec {
	return tool.Spec{Name: t.name, Description: "a tool", Schema: json.RawMessage(`{"type":"object"}`)}
}

func (t scripted) ReadOnly(json.RawMessage) bool { return t.safe }

func (t scripted) Run(ctx context.Context, call tool.Call) (tool.Result, error) {
	t.play.starts(call.ID, t.safe)
	if t.takes > 0 {
		select {
		case <-ctx.Done():
			return tool.Result{}, ctx.Err()
		case <-time.After(t.takes):
		}
	}
	switch {
	case ctx.Err() != nil:
		return tool.Result{}, ctx.Err()
	case t.panics:
		panic(t.text)
	case t.fails:
		return tool.Result{Status: message.StatusError, Text: t.text, CancelSiblings: t.cancels}, nil
	default:
		return tool.Result{Text: t.text}, nil
	}
}

// starts notes that a call runs, and does what the script says about that
// moment.
func (p *play) starts(id string, safe bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !safe {
		p.ran[id]++
	}
	for _, t := range p.run.on {
		if t.call != id {
			continue
		}
		switch t.does {
		case "interrupt":
			p.cancel()
		case "crash":
			p.crashed = true
			p.cancel()
		case "type":
			time.AfterFunc(time.Millisecond, func() { p.types("typed-"+id, t.text) })
		}
	}
}

func (p *play) types(id, text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.inbox = append(p.inbox, message.NewUser(id, text))
}

func (p *play) tools() tool.Set {
	var ts []tool.Tool
	for _, spec := range p.world.tools {
		ts = append(ts, scripted{spec, p})
	}
	set, err := tool.NewSet(ts...)
	if err != nil {
		p.problem("%v", err)
	}
	return set
}

func (p *play) vet(c message.Call, _ tool.Access) loop.Verdict {
	v, ok := p.world.vets[c.Name]
	if !ok {
		return loop.Verdict{Decision: loop.Allow}
	}
	return loop.Verdict{Decision: loop.Decision(v.decision), Reason: v.reason}
}

func (p *play) ask(_ context.Context, qs []loop.Question) ([]loop.Answer, error) {
	var as []loop.Answer
	for _, q := range qs {
		a := p.world.answers[q.Call.ID]
		as = append(as, loop.Answer{CallID: q.Call.ID, Allow: a.allow, Reason: a.reason})
	}
	return as, nil
}

// consult says what the next hook line says; without more lines the run may
// end.
func (p *play) consult(context.Context, loop.Consult) loop.Consulted {
	if p.hooks >= len(p.world.hooks) {
		return loop.Consulted{}
	}
	h := p.world.hooks[p.hooks]
	p.hooks++
	if h.verb == "prevent" {
		return loop.Consulted{Prevented: h.text}
	}
	return loop.Consulted{Objection: h.text}
}

func (p *play) typed() (*message.Message, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.inbox) == 0 {
		return nil, false
	}
	m := p.inbox[0]
	p.inbox = p.inbox[1:]
	return m, true
}
