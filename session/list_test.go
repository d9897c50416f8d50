package session

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/daruma-dev/daruma/loop"
	"github.com/daruma-dev/daruma/message"
)

const project = "/src/My Project"

// aged is a session whose journal was last written so long ago.
func aged(t testing.TB, state string, ago time.Duration, es ...loop.Entry) *Journal {
	t.Helper()
	j := write(t, state, es...)
	at := time.Now().Add(-ago).Truncate(time.Second)
	if err := os.Chtimes(j.Path(), at, at); err != nil {
		t.Fatal(err)
	}
	return j
}

func prompted(text string) loop.Entry {
	return loop.Entry{Result: loop.Received{Message: message.NewUser("u", text)}}
}

func TestInspect(t *testing.T) {
	state := t.TempDir()
	long := loop.Entry{Result: loop.Executed{ID: "x", Results: []message.ToolResult{{CallID: "c", Text: strings.Repeat("long ", 50_000)}}}}
	end := said()[7]
	for _, tc := range []struct {
		name string
		es   []loop.Entry
		want Info
	}{
		{"a run that ended", said(), Info{Entries: 8, Prompt: "look at a & b <now>", Last: "look at a & b <now>", End: loop.Completed}},
		{"a run under way", said()[:3], Info{Entries: 3, Prompt: "look at a & b <now>", Last: "look at a & b <now>"}},
		{
			"several prompts",
			[]loop.Entry{prompted("one\nand a\thalf"), end, prompted("two\x1b[2J"), end, prompted("three"), end},
			Info{Entries: 6, Prompt: "one and a half", Last: "three", End: loop.Completed},
		},
		{"a prompt after the end", append(said(), prompted("more")), Info{Entries: 9, Prompt: "look at a & b <now>", Last: "more"}},
		{
			"large results",
			[]loop.Entry{prompted("one"), long, long, prompted("two"), long, end},
			Info{Entries: 6, Prompt: "one", End: loop.Completed},
		},
		{"a large result at the end", []loop.Entry{prompted("one"), long}, Info{Prompt: "one"}},
		{"a large prompt", []loop.Entry{prompted(strings.Repeat("word ", 50_000)), end}, Info{Entries: 2, End: loop.Completed}},
		{"a long prompt", []loop.Entry{prompted(strings.Repeat("é", 900))}, Info{
			Entries: 1, Prompt: strings.Repeat("é", 199) + "…", Last: strings.Repeat("é", 199) + "…",
		}},
	} {
		j := aged(t, state, time.Hour, tc.es...)
		h := j.Header()
		st, err := os.Stat(j.Path())
		if err != nil {
			t.Fatal(err)
		}
		tc.want.ID, tc.want.Path, tc.want.Dir, tc.want.Model, tc.want.Created = j.ID(), j.Path(), project, "p/m", h.Created
		tc.want.Updated, tc.want.Size = st.ModTime(), st.Size()
		got, err := Inspect(j.Path())
		if err != nil {
			t.Fatalf("%s: %v", tc.name, err)
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.name, diff)
		}
	}
}

// Damage at either end does not hide a session.
func TestInspectWhatIsDamaged(t *testing.T) {
	ls := linesOf(t, write(t, t.TempDir(), said()...).Path())
	join := func(pieces ...[]byte) []byte {
		var out []byte
		for _, p := range pieces {
			out = append(out, p...)
		}
		return out
	}
	all := join(ls[1:]...)
	for name, b := range map[string][]byte{
		"torn":             join(ls[0], all, ls[2][:30]),
		"torn, long":       join(ls[0], all, []byte(strings.Repeat("x", 20_000))),
		"junk in the end":  join(ls[0], all, []byte("junk\n\n\x00\n")),
		"no line end":      join(ls[0], all[:len(all)-1]),
		"no header":        all,
		"a damaged header": join([]byte("x\n"), all),
	} {
		in, err := Inspect(journalOf(t, b))
		if err != nil || in.Entries != 8 || in.End != loop.Completed || in.Last == "" || in.Created.IsZero() {
			t.Errorf("%s: %+v, %v", name, in, err)
		}
	}
	for name, b := range map[string][]byte{"empty": nil, "junk": []byte("junk\n"), "a torn header": ls[0][:30], "zeros": make([]byte, 5000)} {
		if in, err := Inspect(journalOf(t, b)); err == nil {
			t.Errorf("%s: %+v", name, in)
		}
	}
}

func TestListShowsTheNewestFirst(t *testing.T) {
	state := t.TempDir()
	a := aged(t, state, 2*time.Hour, said()...)
	b := aged(t, state, time.Hour, said()[0])
	c := aged(t, state, 3*time.Hour, said()[0])
	other, err := Create(Options{StateDir: state, Dir: "/elsewhere/My Project"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Close() }()
	record(t, other, said()[0]) // and it is in use
	for name, text := range map[string]string{"junk.jsonl": "junk\n", "notes.txt": "x", other.ID() + ".jsonl.part": "x"} {
		if err := os.WriteFile(filepath.Join(filepath.Dir(a.Path()), name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(sessionsDir(state), "stray"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(filepath.Dir(a.Path()), "folder.jsonl"), 0o700); err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string][]string{
		project: {b.ID(), a.ID(), c.ID()}, "": {other.ID(), b.ID(), a.ID(), c.ID()}, "/nowhere": nil, "/elsewhere/My Project/": {other.ID()},
	} {
		infos, err := List(state, dir)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, in := range infos {
			got = append(got, in.ID)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", dir, diff)
		}
	}
	if infos, err := List(t.TempDir(), ""); err != nil || len(infos) > 0 {
		t.Errorf("a state directory without sessions: %v, %v", infos, err)
	}
}

func TestLatest(t *testing.T) {
	state := t.TempDir()
	aged(t, state, 2*time.Hour, said()...)
	b := aged(t, state, time.Hour, said()[0])
	junk := filepath.Join(filepath.Dir(b.Path()), "junk.jsonl")
	if err := os.WriteFile(junk, []byte("junk\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if path, err := Latest(state, project); err != nil || path != b.Path() {
		t.Errorf("Latest: %s, %v", path, err)
	}
	var e *Error
	if path, err := Latest(state, "/elsewhere"); !errors.As(err, &e) || e.Hint() == "" {
		t.Errorf("Latest of a directory without sessions: %s, %v", path, err)
	}
}

func TestFind(t *testing.T) {
	state := t.TempDir()
	a := write(t, state, said()...)
	b := write(t, state, said()...)
	common := 0
	for a.ID()[common] == b.ID()[common] {
		common++
	}
	for _, prefix := range []string{a.ID(), strings.ToUpper(a.ID()), " " + a.ID() + "\n", a.ID()[:common+1]} {
		if path, err := Find(state, prefix); err != nil || path != a.Path() {
			t.Errorf("Find(%q): %s, %v", prefix, path, err)
		}
	}
	for _, prefix := range []string{"", " ", "*", "?", "../x", "zzzz", a.ID() + "0", a.ID() + ".jsonl", "/"} {
		var e *Error
		_, err := Find(state, prefix)
		if !errors.As(err, &e) || e.Error() != fmt.Sprintf("there is no session %q", prefix) || e.Hint() == "" {
			t.Errorf("Find(%q): %v", prefix, err)
		}
	}
	for range 5 {
		write(t, state, said()[0])
	}
	_, err := Find(state, a.ID()[:4])
	var e *Error
	if !errors.As(err, &e) || e.Error() != fmt.Sprintf("7 sessions begin with %q", a.ID()[:4]) || strings.Count(e.Hint(), ", ") != 5 {
		t.Errorf("an ambiguous prefix: %v; %s", err, e.Hint())
	}
}

func TestRemove(t *testing.T) {
	state := t.TempDir()
	a, b := write(t, state, said()...), write(t, state, said()...)
	blob, err := a.Blob("x.txt")
	if err != nil {
		t.Fatal(err)
	}
	if err := blob.Close(); err != nil {
		t.Fatal(err)
	}
	if err := Remove(a.Path()); err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadDir(filepath.Dir(a.Path()))
	if err != nil || len(left) != 1 || left[0].Name() != filepath.Base(b.Path()) {
		t.Errorf("left: %v, %v", left, err)
	}
	if err := Remove(a.Path()); err == nil {
		t.Error("it was removed twice")
	}
	if path, err := Find(state, b.ID()); err != nil || path != b.Path() {
		t.Errorf("the other session: %v", err)
	}
}

func TestStateDir(t *testing.T) {
	wd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ env, want string }{
		{"DARUMA_STATE_DIR=/d XDG_STATE_HOME=/x HOME=/h", "/d"},
		{"DARUMA_STATE_DIR=rel", filepath.Join(wd, "rel")},
		{"XDG_STATE_HOME=/x HOME=/h", "/x/daruma"},
		{"XDG_STATE_HOME=relative HOME=/h", "/h/.local/state/daruma"},
		{"HOME=/h", "/h/.local/state/daruma"},
	} {
		get := func(name string) string {
			for kv := range strings.FieldsSeq(tc.env) {
				if k, v, _ := strings.Cut(kv, "="); k == name {
					return v
				}
			}
			return ""
		}
		if got, err := StateDir(get); err != nil || got != tc.want {
			t.Errorf("%s: %s, %v", tc.env, got, err)
		}
	}
}

// A project is one directory, however one came there; two of one name are two.
func TestProjects(t *testing.T) {
	base := t.TempDir()
	real, link := filepath.Join(base, "My Repo (1)"), filepath.Join(base, "link")
	if err := os.Mkdir(real, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, link); err != nil {
		t.Fatal(err)
	}
	key := func(dir string) string { return filepath.Base(projectDir("/s", dir)) }
	if key(link) != key(real) || key(real+"/") != key(real) {
		t.Errorf("one directory has the keys %s, %s and %s", key(real), key(link), key(real+"/"))
	}
	if key("/a/x") == key("/b/x") {
		t.Error("two directories have one key")
	}
	for dir, want := range map[string]string{
		real: "my-repo--1-", "/": "root-", "/проект": "project-", "/a/.config": "config-", "/" + strings.Repeat("x", 99): strings.Repeat("x", 40) + "-",
	} {
		if got := key(dir); !strings.HasPrefix(got, want) || len(got) != len(want)+8 {
			t.Errorf("the key of %s is %s, want %s…", dir, got, want)
		}
	}
}
