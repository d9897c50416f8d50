package file

import (
	"bytes"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// FuzzEdit checks what an edit promises for any text: bytes outside the places
// stay, line ends inside of them aside the new text is there literally, and no
// line end of another kind comes up.
func FuzzEdit(f *testing.F) {
	for _, s := range [][3]string{
		{"a\r\nb\r\nc\r\n", "b\nc", "B\nC\n"},
		{"a\nb\r\n\r\n", "\n", "\n\n"},
		{"\xffx\r\r\n", "x\r", "$1"},
		{"aaa\n", "aa", "a\n"},
		{"a\r\nb\nc\r\nd\n", "a\nb\nc", "a\nc"},
		{"a\r\n", "\r", "\n"},
		{"", "x", "y"},
	} {
		f.Add([]byte(s[0]), s[1], s[2])
	}
	f.Fuzz(func(t *testing.T, text []byte, old, now string) {
		in := editInput{OldString: old, NewString: now}
		if in.check() != nil {
			return
		}
		checkEdit(t, text, in)
	})
}

type failer interface{ Errorf(string, ...any) }

func checkEdit(t failer, text []byte, in editInput) {
	p, c := newPattern(in.OldString), newChange(in)
	places := p.all(text)
	at := 0
	var rest [][]byte
	for _, s := range places {
		if s.start < at || s.end <= s.start || s.end > len(text) {
			t.Errorf("place %v after %d is out of order", s, at)
			return
		}
		if got := plainEnds(string(text[s.start:s.end])); got != plainEnds(in.OldString) {
			t.Errorf("matched %q for %q", got, in.OldString)
		}
		rest = append(rest, text[at:s.start])
		at = s.end
	}
	rest = append(rest, text[at:])
	if len(places) == 0 && bytes.Contains(text, []byte(in.OldString)) && !strings.HasSuffix(in.OldString, "\r") {
		t.Errorf("%q is in %q and was not found", in.OldString, text)
	}

	out := c.apply(text, places)
	for i, s := range places {
		if !bytes.HasPrefix(out, rest[i]) {
			t.Errorf("bytes before place %d changed: %q", i, out)
			return
		}
		out = out[len(rest[i]):]
		got := c.appendNew(nil, text, s)
		want := plainEnds(in.NewString)
		if plain := plainEnds(string(got)); plain != want && plain+"\n" != want && !strings.Contains(want, "\r") {
			t.Errorf("put %q for %q", got, in.NewString)
		}
		if !bytes.HasPrefix(out, got) {
			t.Errorf("place %d is %q, want %q", i, out, got)
			return
		}
		out = out[len(got):]
	}
	if !bytes.Equal(out, rest[len(rest)-1]) {
		t.Errorf("bytes after the last place changed: %q", out)
	}
	pure(t, text, in, c.apply(text, places))
}

// pure checks that a text with one kind of line end still has that kind only.
func pure(t failer, text []byte, in editInput, out []byte) {
	if bytes.ContainsRune(bytes.ReplaceAll(text, []byte("\r\n"), nil), '\r') || strings.ContainsRune(plainEnds(in.OldString+in.NewString), '\r') {
		return // lone carriage returns may meet a line end
	}
	crlf, lf := bytes.Count(text, []byte("\r\n")), bytes.Count(text, []byte("\n"))
	gotCRLF, gotLF := bytes.Count(out, []byte("\r\n")), bytes.Count(out, []byte("\n"))
	if crlf > 0 && crlf == lf && gotCRLF != gotLF {
		t.Errorf("%q became %q: an LF in a CRLF text", text, out)
	}
	if crlf == 0 && gotCRLF > 0 {
		t.Errorf("%q became %q: a CRLF in an LF text", text, out)
	}
}

// Texts of few letters and many line ends, where edits meet the corners that
// random bytes seldom do.
func TestEditProperties(t *testing.T) {
	piece := rapid.SampledFrom([]string{"a", "b", "ab", "\n", "\r\n", "\r", "é", "\xff", " "})
	words := rapid.Custom(func(t *rapid.T) string { return strings.Join(rapid.SliceOfN(piece, 0, 12).Draw(t, "pieces"), "") })
	rapid.Check(t, func(t *rapid.T) {
		text, old, now := words.Draw(t, "text"), words.Draw(t, "old"), words.Draw(t, "new")
		if rapid.Bool().Draw(t, "old is from text") && len(text) > 0 {
			i := rapid.IntRange(0, len(text)-1).Draw(t, "from")
			old = text[i:rapid.IntRange(i+1, len(text)).Draw(t, "to")]
		}
		in := editInput{OldString: old, NewString: now}
		if in.check() != nil {
			t.Skip("no edit")
		}
		checkEdit(t, []byte(text), in)
	})
}

// The comparison for the answer must be fast, also on a file of megabytes that
// has every line many times.
func TestNearestOnALargeFile(t *testing.T) {
	text := strings.Split(strings.Repeat("if err != nil {\n\treturn err\n}\n", 100_000)+"return wrapped(err)\n", "\n")
	if start, ok := nearest(text, []string{"return  wrapped( err)"}); !ok || start != 300_000 {
		t.Errorf("nearest = %d, %v", start, ok)
	}
	if start, ok := nearest(text, []string{"if err != nil {", "\treturn  err", "}"}); !ok || start != 0 {
		t.Errorf("nearest = %d, %v", start, ok)
	}
}
