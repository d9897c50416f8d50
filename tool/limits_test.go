package tool_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/tool"
)

// repeat is n times the same number.
func repeat(n, size int) []int { return slices.Repeat([]int{size}, n) }

func TestKeep(t *testing.T) {
	for _, c := range []struct {
		name        string
		sizes, want []int
	}{
		{"nothing", nil, nil},
		{"at both limits", repeat(4, 50_000), repeat(4, 50_000)},
		{"one over its limit", []int{10, 50_001, 49_999}, []int{10, 8_000, 49_999}},
		{
			"over the message's limit, the biggest goes first",
			[]int{45_000, 46_000, 49_000, 44_000, 48_000},
			[]int{45_000, 46_000, 8_000, 44_000, 48_000},
		},
		{"of equals the earlier goes", repeat(5, 45_000), []int{8_000, 45_000, 45_000, 45_000, 45_000}},
		{
			"what goes for its own size may be enough",
			[]int{900_000, 49_000, 49_000, 49_000},
			[]int{8_000, 49_000, 49_000, 49_000},
		},
		{"small ones stay", append(repeat(30, 7_000), 100), append(slices.Concat(repeat(4, 4_000), repeat(26, 7_000)), 100)},
		{"too many to keep much of each", repeat(200, 60_000), repeat(200, 1_000)},
		{"more than can be met", repeat(500, 900), repeat(500, 900)},
	} {
		t.Run(c.name, func(t *testing.T) {
			given := slices.Clone(c.sizes)
			if diff := cmp.Diff(c.want, tool.Keep(c.sizes)); diff != "" {
				t.Errorf("kept (-want +got):\n%s", diff)
			}
			if !slices.Equal(given, c.sizes) {
				t.Error("Keep changed its argument")
			}
		})
	}
}

func TestKeepProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sizes := rapid.SliceOf(rapid.OneOf(rapid.IntRange(0, 200), rapid.IntRange(0, 60_000), rapid.Just(3_000_000))).Draw(t, "sizes")
		kept := tool.Keep(sizes)
		total, whole := 0, 0
		for i, k := range kept {
			total += k
			if k == sizes[i] {
				whole = max(whole, k)
			} else if k > tool.KeptResult || k > sizes[i] {
				t.Errorf("%d of %d kept", k, sizes[i])
			}
			if k > tool.MaxResult {
				t.Errorf("%d kept of one result", k)
			}
		}
		if total > tool.MaxResults && slices.Max(kept) > 1_000 {
			t.Errorf("%d kept in all", total)
		}
		for i, k := range kept { // what goes is never smaller than what stays, as far as the choice was free
			if k < sizes[i] && sizes[i] <= tool.MaxResult && sizes[i] < whole {
				t.Errorf("%d went and %d stayed", sizes[i], whole)
			}
		}
	})
}

// folder is a session's folder in memory.
type folder struct {
	files map[string]string
	fail  map[string]error // by step: "open", "write", "close"
}

type file struct {
	folder *folder
	name   string
	text   strings.Builder
}

func (d *folder) open(name string) (tool.Blob, error) {
	return &file{folder: d, name: name}, d.fail["open"]
}

func (f *file) Write(b []byte) (int, error) {
	if err := f.folder.fail["write"]; err != nil {
		return 0, err
	}
	return f.text.Write(b)
}

func (f *file) Close() error {
	f.folder.files[f.Path()] = f.text.String()
	return f.folder.fail["close"]
}

func (f *file) Path() string { return "/session/" + f.name }

func result(id, text string) message.ToolResult {
	return message.ToolResult{CallID: id, Name: "fake", Status: message.StatusOK, Text: text, Title: "ran"}
}

// numbered is n lines of ten bytes each.
func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %04d\n", i)
	}
	return b.String()
}

func TestPageOut(t *testing.T) {
	d := &folder{files: map[string]string{}}
	long := numbered(6_000)
	in := []message.ToolResult{result("t1", "short"), result("../t2", long)}
	got := tool.PageOut(in, d.open)

	const path = "/session/result-___t2-effbbdb6.txt"
	if diff := cmp.Diff(map[string]string{path: long}, d.files); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	want := result("../t2", long[:388*10]+
		"[Cut here: the result has 60000 characters in 6000 lines, too many to show at once. "+
		"The whole text is in "+path+" (60000 bytes): `read` that file with an offset, or `grep` it for what you need.]\n"+
		long[len(long)-388*10:])
	want.Blob = &message.Blob{Path: path, Size: 60_000}
	if diff := cmp.Diff([]message.ToolResult{in[0], want}, got); diff != "" {
		t.Errorf("results (-want +got):\n%s", diff)
	}
	if in[1].Text != long || in[1].Blob != nil {
		t.Error("PageOut changed its argument")
	}
}

func TestPageOutLeavesWhatFits(t *testing.T) {
	in := []message.ToolResult{result("t1", strings.Repeat("ä", tool.MaxResult))}
	got := tool.PageOut(in, func(string) (tool.Blob, error) { t.Error("a file was opened"); return nil, errors.New("no") })
	if diff := cmp.Diff(in, got); diff != "" {
		t.Errorf("results (-want +got):\n%s", diff)
	}
}

// A provider chooses its ids: any length, any characters, the same one again.
func TestPageOutNames(t *testing.T) {
	d := &folder{files: map[string]string{}}
	for _, text := range []string{"a", "b"} {
		in := result(strings.Repeat("c1/", 200), strings.Repeat(text, 60_000))
		got := tool.PageOut([]message.ToolResult{in}, d.open)[0]
		if name, _ := strings.CutPrefix(got.Blob.Path, "/session/"); len(name) > 80 || strings.ContainsAny(name, "/\\:") {
			t.Errorf("file name %q", name)
		}
	}
	if len(d.files) != 2 {
		t.Errorf("%d files for two texts of one id", len(d.files))
	}
}

// A tool that keeps its whole output itself is not stored a second time.
func TestPageOutKeepsTheToolsOwnBlob(t *testing.T) {
	in := result("t1", numbered(6_000))
	in.Blob = &message.Blob{Path: "/session/shell-t1.txt", Size: 5_000_000}
	got := tool.PageOut([]message.ToolResult{in}, func(string) (tool.Blob, error) { t.Error("a file was opened"); return nil, errors.New("no") })
	if !strings.Contains(got[0].Text, "/session/shell-t1.txt (5000000 bytes)") || *got[0].Blob != *in.Blob {
		t.Errorf("got %+v", got[0])
	}
}

func TestPageOutWithoutAFile(t *testing.T) {
	full := errors.New("no space left on device")
	for _, c := range []struct {
		name string
		open func(string) (tool.Blob, error)
		why  string
	}{
		{"no folder", nil, "the session has no folder"},
		{"open fails", (&folder{fail: map[string]error{"open": full}}).open, full.Error()},
		{"write fails", (&folder{files: map[string]string{}, fail: map[string]error{"write": full}}).open, full.Error()},
		{"close fails", (&folder{files: map[string]string{}, fail: map[string]error{"close": full}}).open, full.Error()},
	} {
		t.Run(c.name, func(t *testing.T) {
			long := numbered(6_000)
			got := tool.PageOut([]message.ToolResult{result("t1", long)}, c.open)
			want := result("t1", long[:391*10]+
				"[Cut here: the result has 60000 characters in 6000 lines, too many to show at once. The rest could not be kept ("+
				c.why+"), so ask for less at once.]\n"+long[len(long)-391*10:])
			if diff := cmp.Diff([]message.ToolResult{want}, got); diff != "" {
				t.Errorf("results (-want +got):\n%s", diff)
			}
		})
	}
}

// Whatever the text, what stays is within the limit, whole characters, and
// the file has all of it (B096: megabytes in one line, any script).
func TestPageOutProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.StringN(1, 200, -1).Draw(t, "piece")
		text := strings.Repeat(piece, rapid.IntRange(1, 1+300_000/len(piece)).Draw(t, "times"))
		d := &folder{files: map[string]string{}}
		got := tool.PageOut([]message.ToolResult{result("t1", text)}, d.open)[0]
		if utf8.RuneCountInString(text) <= tool.MaxResult {
			if got.Text != text {
				t.Fatal("a text that fits was changed")
			}
			return
		}
		if n := utf8.RuneCountInString(got.Text); n > tool.KeptResult || n < tool.KeptResult/2 {
			t.Errorf("%d characters stay", n)
		}
		if utf8.ValidString(text) && !utf8.ValidString(got.Text) {
			t.Error("a character was cut in two")
		}
		if d.files[got.Blob.Path] != text || got.Blob.Size != int64(len(text)) {
			t.Errorf("the file has %d of %d bytes, and is said to have %d", len(d.files[got.Blob.Path]), len(text), got.Blob.Size)
		}
		before, rest, _ := strings.Cut(got.Text, "[Cut here: ")
		_, after, _ := strings.Cut(rest, "]\n")
		if !strings.HasPrefix(text, strings.TrimSuffix(before, "\n")) || !strings.HasSuffix(text, after) {
			t.Error("head or tail is not the text's own")
		}
	})
}
