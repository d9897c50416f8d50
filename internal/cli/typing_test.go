package cli

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// keys is what is typed, and when.
type keys struct {
	after time.Duration
	line  string
}

func TestTyping(t *testing.T) {
	long := strings.Repeat("x", ttyLine)
	for _, tc := range []struct {
		name  string
		typed []keys
		want  []string // prompts; notes begin with a #
	}{
		{"each line is a prompt", []keys{{0, "one"}, {time.Second, "two"}, {time.Second, ""}}, []string{"one", "two", ""}},
		{
			"a burst is held until one more Enter",
			[]keys{{0, "a"}, {0, "b"}, {burst / 2, "c"}, {time.Minute, ""}},
			[]string{"#3 lines pasted; Enter sends them, ctrl-C drops them", "a\nb\nc"},
		},
		{
			"the last line of a paste comes with the Enter",
			[]keys{{0, "a"}, {0, "b"}, {time.Minute, "c"}, {time.Second, "next"}},
			[]string{"#2 lines pasted; Enter sends them, ctrl-C drops them", "a\nb\nc", "next"},
		},
		{
			"a paste in several bursts is one",
			[]keys{{0, "a"}, {0, "b"}, {time.Second, "c"}, {0, "d"}, {time.Minute, ""}},
			[]string{
				"#2 lines pasted; Enter sends them, ctrl-C drops them",
				"#4 lines pasted; Enter sends them, ctrl-C drops them", "a\nb\nc\nd",
			},
		},
		{
			"between the marks everything belongs together, however slow",
			[]keys{{0, pasteBegin + "a"}, {time.Second, ""}, {time.Second, "  b"}, {time.Minute, "c" + pasteEnd}},
			[]string{"a\n\n  b\nc"},
		},
		{
			"text stands before and after a marked paste",
			[]keys{{0, "see " + pasteBegin + "a"}, {0, "b" + pasteEnd + " please"}},
			[]string{"see a\nb please"},
		},
		{"a marked paste of one line", []keys{{0, pasteBegin + "a" + pasteEnd}}, []string{"a"}},
		{"the end of input sends what is held", []keys{{0, "a"}, {0, "b"}}, []string{"a\nb"}},
		{
			"a line that the terminal has cut is not sent",
			[]keys{{0, long}, {time.Second, "ok"}},
			[]string{fmt.Sprintf("#a line was cut by the terminal at %d bytes, so nothing was sent; put long text into a file, or pipe it into daruma -p", ttyLine), "ok"},
		},
		{"keys that are no text are left out", []keys{{0, "\x1b[A\x1b[1;5Cab\x1bOP\x7fc\x01\t\xff"}}, []string{"abc\t\uFFFD"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var got []string
				raw := make(chan string)
				ty := &typing{raw: raw, out: make(chan string), drop: make(chan struct{}), gone: make(chan struct{})}
				ty.note = func(text string) { got = append(got, "#"+text) }
				go ty.run()
				go func() {
					for _, k := range tc.typed {
						time.Sleep(k.after)
						raw <- k.line
					}
					if last := tc.typed[len(tc.typed)-1]; last.after > 0 || len(tc.typed) == 1 {
						time.Sleep(time.Second)
					}
					close(raw)
				}()
				for text := range ty.out {
					got = append(got, text)
				}
				if d := cmp.Diff(tc.want, got); d != "" {
					t.Errorf("(-want +got)\n%s", d)
				}
			})
		})
	}
}

func TestTypingDiscard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		raw := make(chan string)
		ty := &typing{raw: raw, out: make(chan string), drop: make(chan struct{}), gone: make(chan struct{}), note: func(string) {}}
		go ty.run()
		for _, line := range []string{"a", "b"} {
			raw <- line
		}
		time.Sleep(time.Second) // they are held now
		ty.discard()
		raw <- pasteBegin + "never ended"
		ty.discard()
		raw <- "not taken yet"
		time.Sleep(time.Second) // it waits to be handed over
		ty.discard()
		raw <- "kept"
		if got := <-ty.out; got != "kept" {
			t.Errorf("got %q", got)
		}
		close(raw)
		if got, ok := <-ty.out; ok {
			t.Errorf("%q was left", got)
		}
		ty.discard() // returns, though nobody listens any more
	})
}

func FuzzClean(f *testing.F) {
	f.Add("a\x1b[200~b\x1b[201~\x1b[A\x7f\r\xff")
	f.Fuzz(func(t *testing.T, s string) {
		got := clean(s)
		for _, r := range got {
			if r < 0x20 && r != '\n' && r != '\t' || r == 0x7f {
				t.Fatalf("clean(%q) = %q", s, got)
			}
		}
		if clean(got) != got {
			t.Fatalf("clean(%q) = %q is not clean", s, got)
		}
	})
}
