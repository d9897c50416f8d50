package file

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"strings"

	"github.com/daruma-dev/daruma/internal/charset"
	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/tool"
)

//go:embed edit.md
var editText string

type editInput struct {
	Path       string `json:"path" jsonschema:"The file: absolute, or relative to the working directory."`
	OldString  string `json:"old_string" jsonschema:"The text to replace, exactly as it is in the file, without line numbers."`
	NewString  string `json:"new_string" jsonschema:"The text to put in its place. Empty text deletes."`
	ReplaceAll bool   `json:"replace_all,omitempty" jsonschema:"Replace each place where old_string occurs, instead of the only one."`
}

// Edit is the tool that replaces a piece of text in a file.
func Edit(ws *tool.Workspace) tool.Tool {
	t := tool.New("edit", editText, func(ctx context.Context, _ tool.Call, in editInput) (tool.Result, error) {
		return edit(ctx, ws, in)
	})
	t.AccessFunc = func(in editInput) (tool.Access, error) { return access(ws, tool.Write, in.Path) }
	return t
}

func edit(ctx context.Context, ws *tool.Workspace, in editInput) (tool.Result, error) {
	t, err := find(ws, in.Path)
	if err != nil {
		return tool.Result{}, err
	}
	if err := in.check(); err != nil {
		return tool.Result{}, err
	}
	old, err := t.load(ctx)
	switch {
	case err != nil:
		return tool.Result{}, err
	case old == nil:
		return tool.Result{}, tool.Errorf("%s does not exist, so there is nothing to edit. %s To create it, use write.", t.name, t.suggestion())
	case old.binary != "":
		return tool.Result{}, tool.Errorf("%s is not text (%s), so it cannot be edited with this tool.", t.name, old.binary)
	}
	if _, err := t.fresh(old); err != nil {
		return tool.Result{}, err
	}
	text, err := old.editable(t)
	if err != nil {
		return tool.Result{}, err
	}
	if old.form.Mark { // the mark is not part of the text
		in.OldString = strings.TrimPrefix(in.OldString, "\uFEFF")
		in.NewString = strings.TrimPrefix(in.NewString, "\uFEFF")
		if err := in.check(); err != nil {
			return tool.Result{}, err
		}
	}
	places, err := in.places(t, text)
	if err != nil {
		return tool.Result{}, err
	}
	now := newChange(in).apply(text, places)
	raw := append(old.form.MarkBytes(), now...)
	if old.form.Charset != charset.UTF8 {
		raw = append(old.form.MarkBytes(), old.form.Encode(string(now))...)
	}
	return t.save(old, raw, "edited", fmt.Sprintf("Edited %s at %s.", t.name, atLines(lineNumbers(text, places))))
}

// check reports calls that mean nothing whatever the file holds.
func (in editInput) check() error {
	switch {
	case in.OldString == "":
		return tool.Refuse(message.StatusMalformed, "old_string is empty, so there is no place to edit. "+
			"To insert text, give the text beside the place as old_string and both as new_string; to create a file or write it anew, use write.")
	case in.OldString == in.NewString:
		return tool.Refuse(message.StatusMalformed, "old_string and new_string are the same, so there is nothing to change.")
	case plainEnds(in.OldString) == plainEnds(in.NewString):
		return tool.Errorf("old_string and new_string differ in their line ends only, which edit keeps as they are in the file. " +
			"Use a shell command to convert line ends.")
	}
	return nil
}

// editable is the text that old_string is looked for in: the bytes themselves
// where they are UTF-8, valid or not, so that what is not matched cannot change.
func (c *content) editable(t target) ([]byte, error) {
	if c.form.Charset == charset.UTF8 {
		return c.body(), nil
	}
	text, _ := c.text()
	if !bytes.Equal(c.form.Encode(text), c.body()) {
		return nil, tool.Errorf("%s is in %v and a part of it is not valid, so editing it here would change more than you ask for. Use a shell command.",
			t.name, c.form.Charset)
	}
	return []byte(text), nil
}

// places finds where to edit.
func (in editInput) places(t target, text []byte) ([]span, error) {
	p := newPattern(in.OldString)
	if in.ReplaceAll {
		if found := p.all(text); len(found) > 0 {
			return found, nil
		}
		return nil, in.notFound(t, text)
	}
	found := p.first(text, maxPlaces)
	switch len(found) {
	case 0:
		return nil, in.notFound(t, text)
	case 1:
		return found, nil
	}
	count := fmt.Sprintf("%d times", len(found))
	if len(found) == maxPlaces {
		count = fmt.Sprintf("%d times or more", len(found))
	}
	return nil, tool.Errorf("old_string occurs %s in %s, at %s, so it is not clear which one is meant and nothing was changed. "+
		"Take more of the lines around the one you mean into old_string and new_string, or set replace_all to change each of them.",
		count, t.name, atLines(lineNumbers(text, found)))
}

// maxPlaces is how many places are counted before an edit is refused for them.
const maxPlaces = 1000

// lineNumbers are the numbers of the lines where spans start, in order.
func lineNumbers(text []byte, spans []span) []int {
	numbers := make([]int, len(spans))
	line, at := 1, 0
	for i, s := range spans {
		line += bytes.Count(text[at:s.start], []byte("\n"))
		at = s.start
		numbers[i] = line
	}
	return numbers
}

func atLines(numbers []int) string {
	if len(numbers) == 1 {
		return fmt.Sprintf("line %d", numbers[0])
	}
	return fmt.Sprintf("%d places, lines %s", len(numbers), join(numbers))
}

// plainEnds is s with LF for each CRLF.
func plainEnds(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }
