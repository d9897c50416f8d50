package tool

import "testing"

func TestHead(t *testing.T) {
	for _, c := range []struct {
		name, text string
		n          int
		want       string
	}{
		{"all of it", "abc", 3, "abc"},
		{"more than there is", "abc", 9, "abc"},
		{"none", "abc", 0, ""},
		{"whole characters", "äöü", 2, "äö"},
		{"up to a line end in its second half", "one\ntwo\nthree", 10, "one\ntwo\n"},
		{"not back to one in its first half", "a\nlong line", 8, "a\nlong l"},
		{"ending with a line already", "one\ntwo\nthree", 8, "one\ntwo\n"},
		{"CRLF", "one\r\ntwo\r\nthree", 12, "one\r\ntwo\r\n"},
		{"bytes that are no character count as one", "\xff\xff\xff", 2, "\xff\xff"},
	} {
		if got := head(c.text, c.n); got != c.want {
			t.Errorf("%s: head(%q, %d) = %q, want %q", c.name, c.text, c.n, got, c.want)
		}
	}
}

func TestTail(t *testing.T) {
	for _, c := range []struct {
		name, text string
		n          int
		want       string
	}{
		{"all of it", "abc", 3, "abc"},
		{"more than there is", "abc", 9, "abc"},
		{"none", "abc", 0, ""},
		{"whole characters", "äöü", 2, "öü"},
		{"from a line start in its first half", "three\ntwo\none", 9, "two\none"},
		{"not on to one in its second half", "long line\na", 8, "g line\na"},
		{"starting with a line already", "a\nb\nlonger", 8, "b\nlonger"},
		{"CRLF", "three\r\ntwo\r\none", 10, "two\r\none"},
		{"bytes that are no character count as one", "\xff\xff\xff", 2, "\xff\xff"},
	} {
		if got := tail(c.text, c.n); got != c.want {
			t.Errorf("%s: tail(%q, %d) = %q, want %q", c.name, c.text, c.n, got, c.want)
		}
	}
}

func TestExcerptWithoutRoom(t *testing.T) {
	if got := excerpt("some text", 3, "[note]"); got != "[note]\n" {
		t.Errorf("got %q", got)
	}
}
