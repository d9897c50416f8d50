package modeltest

import (
	"encoding/json"
	"fmt"

	"github.com/daruma-dev/daruma/message"
)

// request is a body taken apart as far as the checks need it. The blocks keep
// their bytes.
type request struct {
	top      fields
	model    string
	system   []wireBlock
	tools    []wireBlock
	messages []wireMessage

	version  string // of the API
	betas    string // the beta header
	counting bool   // for count_tokens
}

type wireMessage struct {
	role   string
	path   string
	blocks []wireBlock
}

// wireBlock is a content block, or a tool, which has cache marks as well.
type wireBlock struct {
	fields
	path  string // such as messages.1.content.0
	typ   string
	canon []byte // the block without its cache mark, a text in one spelling
}

// canonOf is what a block is compared by. A text comes in pieces, so nobody can
// know how it was spelled as a whole.
func canonOf(fs fields, typ string) []byte {
	fs = fs.without("cache_control")
	if typ == "text" {
		fs = fs.replace("text", mustMarshal(fs.text("text")))
	}
	return fs.encode()
}

func (b wireBlock) mark() json.RawMessage { return b.get("cache_control") }

// at is a refusal for a place in the request.
func at(path, format string, args ...any) *refusal {
	return wrong("%s: %s", path, fmt.Sprintf(format, args...))
}

// readRequest takes a body apart and refuses what has the wrong shape.
func readRequest(body []byte) (*request, error) {
	top, err := fieldsOf(body)
	if err != nil {
		return nil, wrong("The request body is not valid JSON: %v", err)
	}
	r := &request{top: top, model: top.text("model")}
	if v := top.get("system"); v != nil {
		if r.system, err = readContent(v, "system"); err != nil {
			return nil, err
		}
	}
	if v := top.get("tools"); v != nil {
		if r.tools, err = readBlocks(v, "tools"); err != nil {
			return nil, err
		}
	}
	return r, r.readMessages()
}

func (r *request) readMessages() error {
	v := r.top.get("messages")
	if v == nil {
		return at("messages", "Field required")
	}
	var list []json.RawMessage
	if err := json.Unmarshal(v, &list); err != nil {
		return at("messages", "Input should be a valid list")
	}
	for i, raw := range list {
		m, err := readMessage(raw, fmt.Sprintf("messages.%d", i))
		if err != nil {
			return err
		}
		r.messages = append(r.messages, m)
	}
	return nil
}

func readMessage(raw json.RawMessage, path string) (wireMessage, error) {
	fs, err := fieldsOf(raw)
	if err != nil {
		return wireMessage{}, at(path, "Input should be a valid dictionary")
	}
	if err := onlyFields(fs, path, "role", "content"); err != nil {
		return wireMessage{}, err
	}
	m := wireMessage{role: fs.text("role"), path: path}
	switch m.role {
	case string(message.User), string(message.Assistant), roleSystem:
	default:
		return m, at(path+".role", "Input should be 'user', 'assistant' or 'system'")
	}
	content := fs.get("content")
	if content == nil {
		return m, at(path+".content", "Field required")
	}
	m.blocks, err = readContent(content, path+".content")
	return m, err
}

// roleSystem is the role of system messages between the others.
const roleSystem = "system"

// readContent reads blocks, or the string that stands for one text block.
func readContent(raw json.RawMessage, path string) ([]wireBlock, error) {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		if text == "" {
			return nil, nil
		}
		raw = mustMarshal([]wireTextOut{{"text", text}})
	}
	return readBlocks(raw, path)
}

func readBlocks(raw json.RawMessage, path string) ([]wireBlock, error) {
	var list []json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, at(path, "Input should be a valid list")
	}
	blocks := make([]wireBlock, len(list))
	for i, b := range list {
		fs, err := fieldsOf(b)
		if err != nil {
			return nil, at(fmt.Sprintf("%s.%d", path, i), "Input should be a valid dictionary")
		}
		blocks[i] = wireBlock{
			fields: fs, path: fmt.Sprintf("%s.%d", path, i), typ: fs.text("type"),
			canon: canonOf(fs, fs.text("type")),
		}
	}
	return blocks, nil
}

// onlyFields refuses members that the service does not know.
func onlyFields(fs fields, path string, known ...string) error {
next:
	for _, f := range fs {
		for _, k := range known {
			if f.name == k {
				continue next
			}
		}
		return at(path+"."+f.name, "Extra inputs are not permitted")
	}
	return nil
}

// needText refuses a member that is missing or no string.
func needText(fs fields, path, name string) error {
	v := fs.get(name)
	if v == nil {
		return at(path+"."+name, "Field required")
	}
	var s *string
	if err := json.Unmarshal(v, &s); err != nil || s == nil {
		return at(path+"."+name, "Input should be a valid string")
	}
	return nil
}
