package session

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"unicode/utf8"

	"github.com/daruma-dev/daruma/loop"
	"github.com/daruma-dev/daruma/message"
)

// FuzzUnframe: no line but the one that was framed is taken for it.
func FuzzUnframe(f *testing.F) {
	f.Add(bytes.TrimSuffix(frame('e', []byte(`{"seq":1}`)), []byte("\n")))
	f.Add([]byte(`{"c":"00000000","e":}`))
	f.Add([]byte(`{"c":"0000000G","e":1}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		key, v, ok := unframe(line)
		if !ok {
			return
		}
		if again := frame(key, v); !bytes.Equal(bytes.TrimSuffix(again, []byte("\n")), line) {
			t.Errorf("%q was taken for %q", line, again)
		}
	})
}

// FuzzInput: what a model sends comes back to the byte, and is one line.
func FuzzInput(f *testing.F) {
	for _, s := range []string{
		`{}`, "", " ", "{ \"b\" : 1.0e5,\n\t\"a\":[ ] }", `{"a": oops`, `{"a":"<&>\u00e9\u2028"}`, "\u2028\u2029", "null", `"x"`, "\r\n", "[1,\n2]",
		`{"c":"00000000","e":{"seq":1}}`, "\x00\x1b", "1e999", `{"a":1,"a":2}`,
	} {
		f.Add(s, "read")
	}
	f.Fuzz(func(t *testing.T, input, name string) {
		if !utf8.ValidString(input) || !utf8.ValidString(name) {
			return // what arrives over a wire is UTF-8
		}
		e := loop.Entry{Result: loop.Sampled{Model: "p/m", Reply: &message.Message{ID: "m", Role: message.Assistant, Parts: message.Parts{
			message.Text{Text: input, Raw: json.RawMessage(input)},
			message.Call{ID: "t", Name: name, Input: json.RawMessage(input)},
			message.ToolResult{CallID: "t", Name: name, Status: message.StatusOK, Text: input},
		}}}}
		line, err := entryLine(e)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.IndexByte(line, '\n') != len(line)-1 || !json.Valid(line) {
			t.Fatalf("not one line of JSON: %q", line)
		}
		got, ok := decode(line[:len(line)-1])
		if !ok {
			t.Fatalf("not read again: %s", line)
		}
		parts := got.Result.(loop.Sampled).Reply.Parts
		text, call, result := parts[0].(message.Text), parts[1].(message.Call), parts[2].(message.ToolResult)
		if text.Text != input || string(text.Raw) != input || string(call.Input) != input || call.Name != name || result.Text != input {
			t.Errorf("%q came back as %+v", input, parts)
		}
	})
}

// FuzzJournal: whatever a file holds, it is read or refused, can be written on
// when it was read, and then keeps what it held. With seal, every line has the
// checksum that belongs to it, so that the entries are what is wrong.
func FuzzJournal(f *testing.F) {
	for _, name := range []string{"testdata/v1.jsonl", "testdata/v1-every-kind.jsonl"} {
		whole := contents(f, name)
		f.Add(whole, false)
		f.Add(whole, true)
		f.Add(whole[:len(whole)-20], false)
		f.Add(bytes.Replace(whole, []byte("\n"), nil, 3), false)
	}
	f.Add([]byte("{\"x\":\n"), false)
	for _, e := range []string{
		`{"seq":1,"kind":"received"}`, `{"seq":1,"kind":"attached","result":{"messages":[null]}}`, `{"seq":9223372036854775807,"kind":"waited"}`,
		`{"seq":1,"kind":"waited","made":[null]}`, `{"seq":-5,"kind":"waited"}`, `{"seq":1,"kind":"sampled","result":{"reply":{"parts":null}}}`,
	} {
		f.Add(append(frame('h', []byte(`{"version":1}`)), frame('e', []byte(e))...), true)
	}
	f.Fuzz(func(t *testing.T, b []byte, seal bool) {
		if seal {
			b = sealed(b)
		}
		path := filepath.Join(t.TempDir(), "x.jsonl")
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		_, _ = Inspect(path)
		j, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = j.Close() }()
		s, err := j.Load(machine())
		if err != nil {
			return
		}
		if _, err := Traces(Read(path, new(Contents))); err != nil {
			t.Errorf("loaded, but not traced: %v", err)
		}
		e := said()[0]
		if err := j.Record(context.Background(), e); err != nil {
			t.Fatal(err)
		}
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
		if _, again := reopen(t, path); loop.Diff(again, machine().Fold(s, e)) != "" {
			t.Errorf("writing on changed what there was: %q", b)
		}
	})
}

// sealed is b with the right checksum in every line that has the form of one.
func sealed(b []byte) []byte {
	var out []byte
	for line := range bytes.Lines(b) {
		text := bytes.TrimSuffix(line, []byte("\n"))
		if len(text) > valueAt && text[len(text)-1] == '}' {
			line = frame(text[valueAt-3], text[valueAt:len(text)-1])
		}
		out = append(out, line...)
	}
	return out
}
