package sse

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

// reference reads a whole stream the plain way.
func reference(in string) []seen {
	in = strings.TrimPrefix(in, "\ufeff")
	in = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(in)
	var all []seen
	var name, id string
	var data []string
	named := false
	lines := strings.Split(in, "\n")
	for i, line := range lines {
		end := i == len(lines)-1 && line == ""
		key, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case line == "":
			if data != nil {
				all = append(all, seen{Name: name, ID: id, Data: strings.Join(data, "\n"), Last: end})
			}
			name, data, named = "", nil, false
		case key == "" && data == nil && !named:
			all = append(all, seen{ID: id, Data: line[1:], Comment: true})
		case key == "data":
			data = append(data, value)
		case key == "event":
			name, named = value, true
		case key == "id" && !strings.Contains(value, "\x00"):
			id = value
		}
	}
	if data != nil {
		all = append(all, seen{Name: name, ID: id, Data: strings.Join(data, "\n"), Last: true})
	}
	return all
}

// FuzzNext checks the reader against the reference, however the bytes are cut.
func FuzzNext(f *testing.F) {
	for _, s := range []string{
		"event: a\ndata: {\"x\":1}\n\n", "data:x\r\n\r\n: c\r\rdata", "\ufeffid: 1\ndata\n\n", "data: é\n\ndata: \xe5\x8c\n\n", "\n\r\n\r", "event: x\n:\n\ndata:\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		want := reference(string(in))
		for _, src := range []io.Reader{bytes.NewReader(in), iotest.OneByteReader(bytes.NewReader(in))} {
			got, err := readAll(src)
			if !errors.Is(err, io.EOF) {
				t.Fatalf("error = %v, want io.EOF", err)
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Fatalf("%q: events (-want +got):\n%s", in, d)
			}
		}
	})
}
