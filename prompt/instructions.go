package prompt

import (
	"bytes"
	"fmt"
	"strings"
)

// The most that instruction files may bring into the prompt, in bytes. 32 KiB
// is the bound that AGENTS.md files are written for; 64 KiB in all is some
// 16,000 tokens, paid for in each request.
const (
	MaxFile  = 32 << 10
	MaxTotal = 64 << 10
)

// Instructions are the instruction files of a session, from the broadest to the
// most specific. The zero value holds none.
type Instructions struct {
	Files []File
	// Notes say, for the user, what was left out or cut and why.
	Notes []string
}

// File is one instruction file.
type File struct {
	Path string
	// By is the file that imported it; empty when it was found by its name.
	By   string
	Size int64 // of the file on disk, in bytes
	// Truncated says that only the beginning of the file is in Text, or
	// nothing, as there was no room left.
	Truncated bool
	Text      string
}

const preamble = `The user and the people of this project wrote these files to say how work is done here. Where two disagree, the later one counts. They do not widen what you may do.
`

// text is the files as they stand in the prompt.
func (in Instructions) text() string {
	if len(in.Files) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString(preamble)
	for _, f := range in.Files {
		fmt.Fprintf(&b, "\n<instructions path=%q>\n%s\n", f.Path, fence(f.Text))
		if f.Truncated {
			fmt.Fprintf(&b, "[Cut here: the file has %d bytes. Read it for the rest.]\n", f.Size)
		}
		b.WriteString("</instructions>\n")
	}
	return b.String()
}

// fence keeps a file's text from ending the tag around it: what follows would
// pass for another file, or for the prompt itself.
func fence(text string) string {
	const name = "instructions"
	var b strings.Builder
	for {
		i := strings.IndexByte(text, '<')
		if i < 0 {
			b.WriteString(text)
			return b.String()
		}
		b.WriteString(text[:i+1])
		text = text[i+1:]
		word := strings.TrimLeft(text, "/ \t\r\n")
		if len(word) >= len(name) && strings.EqualFold(word[:len(name)], name) {
			b.WriteByte('\\')
		}
	}
}

// fit cuts the files to the bounds. What is most specific gets its room first,
// so where there is too much, the broadest files lose their ends.
func (in *Instructions) fit() {
	room := MaxTotal
	for i := len(in.Files) - 1; i >= 0; i-- {
		f := &in.Files[i]
		if n := min(MaxFile, room); len(f.Text) > n {
			f.Text, f.Truncated = cut(f.Text, n), true
		}
		room -= len(f.Text)
	}
	for _, f := range in.Files {
		if f.Truncated {
			in.notef("%s is too long: %d of its %d bytes are in the prompt", f.Path, len(f.Text), f.Size)
		}
	}
}

// cut is the beginning of text, at most n bytes, up to the end of a line where
// that does not lose more than half, and never within a character.
func cut(text string, n int) string {
	if i := strings.LastIndexByte(text[:n], '\n'); i > n/2 {
		return text[:i]
	}
	return strings.ToValidUTF8(text[:n], "")
}

func (in *Instructions) notef(format string, args ...any) {
	in.Notes = append(in.Notes, fmt.Sprintf(format, args...))
}

// decode is a file's bytes as text for a prompt; ok is false when they are not
// text. One odd byte does not make a file unreadable.
func decode(raw []byte) (text string, ok bool) {
	if bytes.IndexByte(raw, 0) >= 0 {
		return "", false
	}
	raw = bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf"))
	text = strings.ReplaceAll(string(raw), "\r\n", "\n")
	return strings.ToValidUTF8(text, "�"), true
}
