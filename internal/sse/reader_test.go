package sse

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

// seen is an event as a test writes it down.
type seen struct {
	Name, ID, Data string
	Comment, Last  bool
}

func readAll(src io.Reader) ([]seen, error) {
	r := NewReader(src)
	var all []seen
	for {
		e, err := r.Next()
		if err != nil {
			return all, err
		}
		all = append(all, seen{e.Name, e.ID, string(e.Data), e.Comment, e.Last})
	}
}

// pieces are the ways in which a network may cut the same bytes.
var pieces = map[string]func(io.Reader) io.Reader{
	"whole":          func(r io.Reader) io.Reader { return r },
	"byte by byte":   iotest.OneByteReader,
	"half":           iotest.HalfReader,
	"error with end": iotest.DataErrReader,
}

func TestNext(t *testing.T) {
	long := strings.Repeat("é", 100_000)
	for _, tt := range []struct {
		name, in string
		want     []seen
	}{
		{name: "empty stream"},
		{name: "one event", in: "event: ping\ndata: {}\n\n", want: []seen{{Name: "ping", Data: "{}"}}},
		{name: "no space after the colon", in: "event:ping\ndata:{}\n\n", want: []seen{{Name: "ping", Data: "{}"}}},
		{name: "only one space is dropped", in: "data:  x\n\n", want: []seen{{Data: " x"}}},
		{name: "CR", in: "data: a\r\rdata: b\r\r", want: []seen{{Data: "a"}, {Data: "b"}}},
		{name: "CRLF", in: "data: a\r\n\r\ndata: b\r\n\r\n", want: []seen{{Data: "a"}, {Data: "b"}}},
		{name: "mixed line ends", in: "data: a\r\ndata: b\rdata: c\n\r\n", want: []seen{{Data: "a\nb\nc"}}},
		{name: "blank line after CR is LF LF", in: "data: a\r\n\ndata: b\n\n", want: []seen{{Data: "a"}, {Data: "b"}}},
		{name: "several data lines", in: "data: a\ndata\ndata: b\n\n", want: []seen{{Data: "a\n\nb"}}},
		{name: "an empty data line is an event", in: "data:\n\n", want: []seen{{Data: ""}}},
		{name: "an event without data is none", in: "event: a\n\ndata: b\n\n", want: []seen{{Data: "b"}}},
		{name: "the name does not outlive its event", in: "event: a\ndata: 1\n\ndata: 2\n\n", want: []seen{{Name: "a", Data: "1"}, {Data: "2"}}},
		{name: "the id does", in: "id: 7\ndata: 1\n\ndata: 2\n\n", want: []seen{{ID: "7", Data: "1"}, {ID: "7", Data: "2"}}},
		{name: "an id with NUL is ignored", in: "id: 7\nid: a\x00b\ndata: 1\n\n", want: []seen{{ID: "7", Data: "1"}}},
		{name: "comment", in: ": OPENROUTER PROCESSING\n\ndata: x\n\n", want: []seen{{Data: " OPENROUTER PROCESSING", Comment: true}, {Data: "x"}}},
		{name: "comment inside an event", in: "event: a\n:\ndata: x\n: y\ndata: z\n\n", want: []seen{{Name: "a", Data: "x\nz"}}},
		{name: "unknown fields", in: "retry: 10\nfoo: bar\nfoo\ndata: x\n\n", want: []seen{{Data: "x"}}},
		{name: "colon in the value", in: "data: a: b\n\n", want: []seen{{Data: "a: b"}}},
		{name: "byte-order mark", in: "\ufeffdata: x\n\n", want: []seen{{Data: "x"}}},
		{name: "only the first line has one", in: "data: x\n\n\ufeffdata: y\n\n", want: []seen{{Data: "x"}}},
		{name: "no blank line at the end", in: "data: x\n", want: []seen{{Data: "x", Last: true}}},
		{name: "no line end at the end", in: "event: a\ndata: x", want: []seen{{Name: "a", Data: "x", Last: true}}},
		{name: "CR at the end", in: "data: x\r\n\r", want: []seen{{Data: "x"}}},
		{name: "half a field name at the end", in: "data: x\n\nda", want: []seen{{Data: "x"}}},
		{name: "characters of many bytes", in: "data: 北京 café 👩‍👩‍👧\n\n", want: []seen{{Data: "北京 café 👩‍👩‍👧"}}},
		{name: "a line far over 64 KB", in: "data: " + long + "\n\ndata: x\n\n", want: []seen{{Data: long}, {Data: "x"}}},
	} {
		for how, cut := range pieces {
			t.Run(tt.name+"/"+how, func(t *testing.T) {
				got, err := readAll(cut(strings.NewReader(tt.in)))
				if !errors.Is(err, io.EOF) {
					t.Errorf("error = %v, want io.EOF", err)
				}
				if d := cmp.Diff(tt.want, got); d != "" {
					t.Errorf("events (-want +got):\n%s", d)
				}
			})
		}
	}
}

// An event must be reported when its last byte is there, not when more bytes
// come: the next ones may be minutes away.
func TestNextDoesNotWaitForMore(t *testing.T) {
	for _, end := range []string{"\n\n", "\r\n\r\n", "\r\r"} {
		src, w := io.Pipe()
		go fmt.Fprint(w, "data: x"+end) // the pipe stays open
		e, err := NewReader(src).Next()
		if err != nil || string(e.Data) != "x" {
			t.Errorf("end %q: Next = %q, %v", end, e.Data, err)
		}
	}
}

func TestNextErrors(t *testing.T) {
	broken := errors.New("connection reset")
	endless := func(s string) io.Reader { return &repeat{s: s} }
	for _, tt := range []struct {
		name string
		src  io.Reader
		want []seen
		err  error
	}{
		{
			name: "half an event before an error is not reported",
			src:  io.MultiReader(strings.NewReader("data: a\n\ndata: b\n"), iotest.ErrReader(broken)),
			want: []seen{{Data: "a"}}, err: broken,
		},
		{name: "a line without end", src: endless("data: xxxxxxxx"), err: ErrTooLong},
		{name: "an event without end", src: endless("data: xxxxxxxx\n"), err: ErrTooLong},
		{name: "a source that gives nothing", src: readFunc(func([]byte) (int, error) { return 0, nil }), err: io.ErrNoProgress},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := NewReader(tt.src)
			r.limit, r.lines.limit = 1<<16, 1<<16
			var got []seen
			e, err := r.Next()
			for ; err == nil; e, err = r.Next() {
				got = append(got, seen{Data: string(e.Data)})
			}
			if d := cmp.Diff(tt.want, got); d != "" || !errors.Is(err, tt.err) {
				t.Errorf("error %v, want %v; events (-want +got):\n%s", err, tt.err, d)
			}
			if _, again := r.Next(); !errors.Is(again, err) {
				t.Errorf("after %v the next call gave %v", err, again)
			}
		})
	}
}

type readFunc func([]byte) (int, error)

func (f readFunc) Read(p []byte) (int, error) { return f(p) }

// repeat gives s again and again.
type repeat struct {
	s string
	i int
}

func (r *repeat) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = r.s[r.i%len(r.s)]
		r.i++
	}
	return len(p), nil
}

func TestNextAllocates(t *testing.T) {
	r := NewReader(&repeat{s: "event: content_block_delta\ndata: {\"type\":\"content_block_delta\"}\n\n"})
	if n := testing.AllocsPerRun(10_000, func() { r.Next() }); n > 0.1 {
		t.Errorf("%v allocations an event, want none", n)
	}
}

func BenchmarkNext(b *testing.B) {
	s := "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"hello\"}}\n\n"
	r := NewReader(&repeat{s: s})
	b.SetBytes(int64(len(s)))
	b.ReportAllocs()
	for b.Loop() {
		r.Next()
	}
}
