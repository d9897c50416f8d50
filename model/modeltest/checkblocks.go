package modeltest

import (
	"encoding/json"
	"strings"

	"github.com/daruma-dev/daruma/message"
)

// checkBlocks checks each content block of a message for itself.
func (c *checker) checkBlocks(m wireMessage, version string) error {
	for _, b := range m.blocks {
		if err := c.checkBlock(b, m.role, version); err != nil {
			return err
		}
	}
	return nil
}

func (c *checker) checkBlock(b wireBlock, role, version string) error {
	ours := role == string(message.User)
	path := b.path + "." + b.typ
	switch b.typ {
	case "text":
		if c.issued.block(b.canon) {
			return nil // with whatever fields the reply had
		}
		return checkText(b, path, "messages")
	case "image":
		return allowedFor(ours, b, "type", "source", "cache_control", "oversized_image")
	case "document":
		return allowedFor(ours || version < "2026-10-21", b, "type", "source", "title", "context", "citations", "cache_control")
	case "search_result":
		return allowedFor(ours, b, "type", "source", "title", "content", "citations", "cache_control")
	case "tool_result":
		return checkResult(ours, b)
	case "tool_use":
		return checkCall(ours, b)
	case "thinking", "redacted_thinking":
		return checkThinkingShape(ours, b)
	case "":
		return at(b.path+".type", "Field required")
	default:
		// What we know no rules for has to come back as it went.
		if ours || !c.issued.block(b.canon) {
			return at(b.path, "Input tag '%s' found using 'type' does not match any of the expected tags", b.typ)
		}
		return nil
	}
}

// allowedFor refuses a block that may not stand where it does, and fields that
// are not known.
func allowedFor(allowed bool, b wireBlock, known ...string) error {
	if !allowed {
		return wrong("%s: `%s` blocks are not allowed in a message of this role", b.path, b.typ)
	}
	return onlyFields(b.fields, b.path+"."+b.typ, known...)
}

func checkText(b wireBlock, path, where string) error {
	if err := onlyFields(b.fields, path, "type", "text", "cache_control", "citations"); err != nil {
		return err
	}
	if err := needText(b.fields, path, "text"); err != nil {
		return err
	}
	text := b.text("text")
	switch {
	case text == "" && b.mark() != nil:
		return at(path, "cache_control cannot be set for empty text blocks")
	case text == "":
		return wrong("%s: text content blocks must be non-empty", where)
	case blank(text):
		return wrong("%s: text content blocks must contain non-whitespace text", where)
	}
	return nil
}

func checkCall(ours bool, b wireBlock) error {
	path := b.path + ".tool_use"
	if err := allowedFor(!ours, b, "type", "id", "name", "input", "cache_control", "caller", "toolset_name"); err != nil {
		return err
	}
	for _, name := range []string{"id", "name"} {
		if err := needText(b.fields, path, name); err != nil {
			return err
		}
	}
	input := b.get("input")
	switch {
	case !isName(b.text("id"), 128):
		return at(path+".id", "String should match pattern '^[a-zA-Z0-9_-]+$'")
	case b.text("name") == "" || len(b.text("name")) > 200:
		return at(path+".name", "String should have at least 1 and at most 200 characters")
	case input == nil:
		return at(path+".input", "Field required")
	case input[0] != '{':
		return at(path+".input", "Input should be a valid dictionary")
	}
	return nil
}

func checkResult(ours bool, b wireBlock) error {
	path := b.path + ".tool_result"
	if err := allowedFor(ours, b, "type", "tool_use_id", "content", "is_error", "cache_control", "toolset_name"); err != nil {
		return err
	}
	if err := needText(b.fields, path, "tool_use_id"); err != nil {
		return err
	}
	failed := string(b.get("is_error"))
	if failed != "" && failed != "true" && failed != "false" {
		return at(path+".is_error", "Input should be a valid boolean")
	}
	content := b.get("content")
	if content == nil {
		return nil
	}
	parts, err := readContent(content, path+".content")
	if err != nil {
		return err
	}
	for _, p := range parts {
		if err := checkResultPart(p, failed == "true"); err != nil {
			return err
		}
	}
	return nil
}

func checkResultPart(p wireBlock, failed bool) error {
	switch {
	case p.mark() != nil:
		return at(p.path+".cache_control", "Extra inputs are not permitted; mark the tool_result block itself")
	case p.typ == "text" && p.text("text") == "":
		return wrong("messages: text content blocks must be non-empty")
	case p.typ != "text" && failed:
		return at(p.path, "all content must be type `text` if `is_error` is true")
	}
	switch p.typ {
	case "text":
		return onlyFields(p.fields, p.path, "type", "text", "citations")
	case "image":
		return onlyFields(p.fields, p.path, "type", "source", "oversized_image")
	case "document":
		return onlyFields(p.fields, p.path, "type", "source", "title", "context", "citations")
	case "search_result", "tool_reference":
		return nil
	default:
		return at(p.path, "Input tag '%s' found using 'type' does not match any of the expected tags", p.typ)
	}
}

func checkThinkingShape(ours bool, b wireBlock) error {
	if b.mark() != nil {
		return at(b.path+"."+b.typ+".cache_control", "Extra inputs are not permitted")
	}
	known := []string{"type", "thinking", "signature"}
	if b.typ == "redacted_thinking" {
		known = []string{"type", "data"}
	}
	if err := allowedFor(!ours, b, known...); err != nil {
		return err
	}
	for _, name := range known[1:] {
		if err := needText(b.fields, b.path+"."+b.typ, name); err != nil {
			return err
		}
	}
	return nil
}

// mediaOf lists the images and documents among blocks, also those within
// results.
func mediaOf(blocks []wireBlock) []wireBlock {
	var media []wireBlock
	for _, b := range blocks {
		switch b.typ {
		case "image", "document":
			media = append(media, b)
		case "tool_result":
			if parts, err := readContent(orEmpty(b.get("content")), b.path+".tool_result.content"); err == nil {
				media = append(media, mediaOf(parts)...)
			}
		}
	}
	return media
}

func orEmpty(raw json.RawMessage) json.RawMessage {
	if raw == nil {
		return json.RawMessage("[]")
	}
	return raw
}

// isServerCall reports whether a block is a call the service ran itself.
func isServerCall(b wireBlock) bool {
	return b.typ != "tool_use" && strings.HasSuffix(b.typ, "tool_use")
}

func isServerResult(b wireBlock) bool {
	return b.typ != "tool_result" && strings.HasSuffix(b.typ, "_tool_result")
}
