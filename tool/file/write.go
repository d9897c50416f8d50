package file

import (
	"bytes"
	"context"
	_ "embed"
	"os"
	"path/filepath"
	"strings"

	"github.com/daruma-dev/daruma/internal/charset"
	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/tool"
)

//go:embed write.md
var writeText string

type writeInput struct {
	Path    string `json:"path" jsonschema:"The file: absolute, or relative to the working directory."`
	Content string `json:"content" jsonschema:"The whole new content. Empty text makes an empty file."`
}

// Write is the tool that creates a file or replaces the content of one.
func Write(ws *tool.Workspace) tool.Tool {
	t := tool.New("write", writeText, func(ctx context.Context, _ tool.Call, in writeInput) (tool.Result, error) {
		return write(ctx, ws, in)
	})
	t.AccessFunc = func(in writeInput) (tool.Access, error) { return access(ws, tool.Write, in.Path) }
	return t
}

func write(ctx context.Context, ws *tool.Workspace, in writeInput) (tool.Result, error) {
	t, err := find(ws, in.Path)
	if err != nil {
		return tool.Result{}, err
	}
	if os.IsPathSeparator(in.Path[len(in.Path)-1]) {
		return tool.Result{}, tool.Errorf("%s names a directory. Give the path of the file to write; missing directories on the way are made.", t.name)
	}
	old, err := t.load(ctx)
	switch {
	case err != nil:
		return tool.Result{}, err
	case old == nil:
		return create(t, in.Content)
	}
	return replace(t, old, in.Content)
}

func create(t target, content string) (tool.Result, error) {
	if err := os.MkdirAll(filepath.Dir(t.path), 0o777); err != nil {
		return tool.Result{}, t.problem("created", err)
	}
	return t.save(nil, []byte(content), "created", "Created "+t.name+" ("+plural(lineCount(content), "line")+").")
}

func replace(t target, old *content, content string) (tool.Result, error) {
	raw, kept := old.fit(content)
	if bytes.Equal(raw, old.raw) {
		r := tool.Result{
			Text:  t.name + " already has exactly this content, so nothing was written.",
			Title: t.title("wrote", "no change"),
			Files: []message.FileVersion{{Path: t.path, Hash: old.hash, Action: "read"}},
		}
		t.ws.Note(r.Files...)
		return r, nil
	}
	if err := t.mayReplace(old, content); err != nil {
		return tool.Result{}, err
	}
	return t.save(old, raw, "wrote", "Wrote "+t.name+" ("+plural(lineCount(content), "line")+")."+kept)
}

// mayReplace reports an error where writing would lose something that the model
// has not seen.
func (t target) mayReplace(old *content, content string) error {
	seen, err := t.fresh(old)
	switch {
	case err != nil:
		return err
	case !seen && old.binary != "":
		return tool.Errorf("%s exists and is not text (%s), so it was not overwritten. Write to another path, "+
			"or, if the user wants it gone, remove it first with a shell command.", t.name, old.binary)
	case !seen && len(old.raw) > 0:
		return tool.Errorf("%s exists and you have not read it, so it was not overwritten. Read it first; "+
			"to change a part of it use edit.", t.name)
	}
	_, replaced := old.text()
	if replaced > 0 && strings.ContainsRune(content, '\uFFFD') {
		return tool.Errorf("%s holds %s not valid %v, which the new content has as \uFFFD: writing it would destroy them, so nothing was changed. "+
			"Use edit on the text around them.", t.name, plural(replaced, "byte"), old.form.Charset)
	}
	return nil
}

// fit turns new content into bytes of the same kind as the old ones: the same
// encoding, byte-order mark and line ends. kept tells the model where that
// changed something.
func (c *content) fit(content string) (raw []byte, kept string) {
	form := c.form
	if form.Mark {
		content = strings.TrimPrefix(content, "\uFEFF")
		kept += " Its byte-order mark was kept."
	}
	if c.allCRLF() && strings.Contains(content, "\n") {
		content = toCRLF(content)
		kept += " Its line ends are CRLF, as before."
	}
	if form.Charset != charset.UTF8 {
		kept += " It is encoded in " + form.Charset.String() + ", as before."
	}
	return append(form.MarkBytes(), form.Encode(content)...), kept
}

// allCRLF reports whether the lines of the text end in CRLF, all of them.
func (c *content) allCRLF() bool {
	text := string(c.raw)
	if c.form.Charset != charset.UTF8 {
		text, _ = c.text()
	}
	crlf := strings.Count(text, "\r\n")
	return crlf > 0 && crlf == strings.Count(text, "\n")
}

func toCRLF(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\n", "\r\n")
}

// lineCount counts lines, the last one also where it has no line end.
func lineCount(s string) int {
	n := strings.Count(s, "\n")
	if s != "" && !strings.HasSuffix(s, "\n") {
		n++
	}
	return n
}
