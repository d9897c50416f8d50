package modeltest

import (
	"encoding/json"
	"fmt"
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

	segments []segment // set when the request has passed the checks
}

// tokens is what [CountTokens] gives for the request.
func (r *request) tokens() int64 { return r.segments[len(r.segments)-1].tokens }

type wireMessage struct {
	role   string
	path   string
	blocks []wireBlock
	media  []wireBlock // its images and documents, also those within results
}

// wireBlock is a content block, or a tool, which has cache marks as well.
type wireBlock struct {
	fields
	path   string // such as messages.1.content.0
	typ    string
	canon  []byte // the block without its cache mark, a text in one spelling
	tokens int64  // of a content block
}

func newWireBlock(fs fields, path string) wireBlock {
	b := wireBlock{fields: fs, path: path, typ: fs.text("type")}
	b.canon = canonOf(fs, b.typ)
	b.tokens = countPart(partOf(b.canon))
	return b
}

// canonOf is what a block is compared by. A text comes in pieces, so nobody can
// know how it was spelled as a whole.
func canonOf(fs fields, typ string) []byte {
	if fs.get("cache_control") != nil {
		fs = fs.without("cache_control")
	}
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

// readRequest takes a body apart, which is valid JSON, and refuses what has the
// wrong shape. message reads a message.
func readRequest(body []byte, message func(i int, raw json.RawMessage) (wireMessage, error)) (*request, error) {
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
	messages := top.get("messages")
	if messages == nil {
		return nil, at("messages", "Field required")
	}
	list, err := listOf(messages)
	if err != nil {
		return nil, at("messages", "Input should be a valid list")
	}
	r.messages = make([]wireMessage, len(list))
	for i, raw := range list {
		if r.messages[i], err = message(i, raw); err != nil {
			return nil, err
		}
	}
	return r, nil
}

func readMessage(i int, raw json.RawMessage) (wireMessage, error) {
	path := fmt.Sprintf("messages.%d", i)
	fs, err := fieldsOf(raw)
	if err != nil {
		return wireMessage{}, at(path, "Input should be a valid dictionary")
	}
	if err := onlyFields(fs, path, "role", "content"); err != nil {
		return wireMessage{}, err
	}
	m := wireMessage{role: fs.text("role"), path: path}
	switch m.role {
	case roleUser, roleAssistant, roleSystem:
	default:
		return m, at(path+".role", "Input should be 'user', 'assistant' or 'system'")
	}
	content := fs.get("content")
	if content == nil {
		return m, at(path+".content", "Field required")
	}
	if m.blocks, err = readContent(content, path+".content"); err != nil {
		return m, err
	}
	m.media = mediaOf(m.blocks)
	return m, nil
}

// roleSystem is the role of system messages between the others.
const roleSystem = "system"

// readContent reads blocks, or the string that stands for one text block.
func readContent(raw json.RawMessage, path string) ([]wireBlock, error) {
	switch {
	case string(raw) == `""`:
		return nil, nil
	case raw[0] == '"':
		text := fields{{"type", json.RawMessage(`"text"`)}, {"text", raw}}
		return []wireBlock{newWireBlock(text, path+".0")}, nil
	default:
		return readBlocks(raw, path)
	}
}

func readBlocks(raw json.RawMessage, path string) ([]wireBlock, error) {
	list, err := listOf(raw)
	if err != nil {
		return nil, at(path, "Input should be a valid list")
	}
	blocks := make([]wireBlock, len(list))
	for i, b := range list {
		fs, err := fieldsOf(b)
		if err != nil {
			return nil, at(fmt.Sprintf("%s.%d", path, i), "Input should be a valid dictionary")
		}
		blocks[i] = newWireBlock(fs, fmt.Sprintf("%s.%d", path, i))
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
