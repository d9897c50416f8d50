package clienttest

import (
	"encoding/json"
	"fmt"

	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/model"
	"github.com/daruma-dev/daruma/model/modeltest"
)

// modelName is the model that is asked.
const modelName = "claude-opus-5-5"

// question is a request in which the user says so, with two tools.
func question(text string) *model.Request {
	schema := json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`)
	return &model.Request{
		Model:  modelName,
		System: []model.Block{{Text: "You are a test.", Cache: true}, {Text: "Today is Tuesday."}},
		Tools: []model.Tool{
			{Name: "read", Description: "Read a file.", Schema: schema},
			{Name: "write", Description: "Write a file.", Schema: schema},
		},
		Messages: []*message.Message{message.NewUser("u1", text)},
	}
}

// more is a request with messages added. It shares the old ones, as the loop
// does.
func more(req *model.Request, ms ...*message.Message) *model.Request {
	next := *req
	next.Messages = append(req.Messages[:len(req.Messages):len(req.Messages)], ms...)
	return &next
}

// message is the reply as the loop keeps it.
func (o outcome) message() *message.Message {
	m := &message.Message{
		ID: "a" + o.started.ID, Role: message.Assistant, Origin: message.FromModel, Parts: o.parts,
		Model: "anthropic/" + modelName, Wire: o.started.Wire,
	}
	if o.done != nil {
		m.Stop, m.Usage = o.done.Stop, o.done.Usage
	}
	return m
}

// results answers each call of the reply.
func (o outcome) results() *message.Message {
	m := &message.Message{ID: "r" + o.started.ID, Role: message.User, Origin: message.FromTools}
	for _, p := range o.parts {
		if c, ok := p.(message.Call); ok {
			m.Parts = append(m.Parts, message.ToolResult{CallID: c.ID, Name: c.Name, Status: message.StatusOK, Text: "done"})
		}
	}
	return m
}

// answered asks, answers the calls of the reply and takes the second reply. It
// gives both, and the second request.
func (sc *scene) answered(req *model.Request) (first, second outcome, err error) {
	if first, err = sc.succeed(req); err != nil {
		return first, second, err
	}
	second, err = sc.succeed(more(req, first.message(), first.results()))
	return first, second, err
}

// sent is a request as it went over the wire: its messages, each content block
// to the byte.
type sent struct {
	raw      string
	messages []sentMessage
}

type sentMessage struct {
	Role    string            `json:"role"`
	Content []json.RawMessage `json:"content"`
}

func (sc *scene) sent(i int) (sent, error) {
	all := sc.server.Requests()
	if i >= len(all) {
		return sent{}, fmt.Errorf("only %d requests came", len(all))
	}
	return read(all[i])
}

func read(r modeltest.Recorded) (sent, error) {
	var body struct {
		Messages []sentMessage `json:"messages"`
	}
	if err := json.Unmarshal(r.Body, &body); err != nil {
		return sent{}, fmt.Errorf("the request cannot be read: %w", err)
	}
	return sent{string(r.Body), body.Messages}, nil
}
