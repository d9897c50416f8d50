//go:build unix

package atomicfile_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/daruma-dev/daruma/internal/atomicfile"
	"github.com/daruma-dev/daruma/internal/unprivileged"
)

// at makes a file of that mode, whatever the umask is.
func at(t *testing.T, path, content string, mode fs.FileMode) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
	return path
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := atomicfile.Write(path, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
}

func want(t *testing.T, path, content string) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != content {
		t.Errorf("%s holds %.60q, want %.60q", filepath.Base(path), got, content)
	}
}

// wantNames checks that a directory holds these names and no temporary file.
func wantNames(t *testing.T, dir string, names ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if d := cmp.Diff(names, got); d != "" {
		t.Errorf("names in the directory (-want +got):\n%s", d)
	}
}

func stat(t *testing.T, path string) *syscall.Stat_t {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Sys().(*syscall.Stat_t)
}

// B069: mode bits do not depend on the umask where the file exists, and do
// where it is new.
func TestModes(t *testing.T) {
	for _, umask := range []int{0o022, 0o077, 0} {
		for _, mode := range []fs.FileMode{0o755, 0o600, 0o644, 0o666, 0o200, 0o644 | fs.ModeSetuid, 0o755 | fs.ModeSetgid} {
			old := syscall.Umask(umask)
			path := at(t, filepath.Join(t.TempDir(), "f"), "old", mode)
			write(t, path, "new")
			syscall.Umask(old)
			want(t, path, "new")
			if info, err := os.Stat(path); err != nil || info.Mode() != mode {
				t.Errorf("umask %03o: mode is %v, want %v (%v)", umask, info.Mode(), mode, err)
			}
		}
		old := syscall.Umask(umask)
		path := filepath.Join(t.TempDir(), "new")
		write(t, path, "new")
		syscall.Umask(old)
		if info, err := os.Stat(path); err != nil || info.Mode() != 0o666&^fs.FileMode(umask) {
			t.Errorf("umask %03o: the mode of a new file is %v (%v)", umask, info.Mode(), err)
		}
	}
}

func TestReplacesTheFile(t *testing.T) {
	dir := t.TempDir()
	path := at(t, filepath.Join(dir, "f"), "old", 0o644)
	before := stat(t, path).Ino
	keep, err := os.Open(path) // keeps the inode number from being used again
	if err != nil {
		t.Fatal(err)
	}
	defer keep.Close()
	write(t, path, "new")
	want(t, path, "new")
	wantNames(t, dir, "f")
	if stat(t, path).Ino == before {
		t.Error("a plain file was written in place, which is not atomic")
	}
}

// A reader never sees a part of a content, nor no file.
func TestReadersSeeOneContentOrTheOther(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	contents := []string{strings.Repeat("a", 100_000), strings.Repeat("b", 50_000)}
	write(t, path, contents[0])
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
			}
			if got, err := os.ReadFile(path); err != nil || string(got) != contents[0] && string(got) != contents[1] {
				t.Errorf("read %d bytes, %v", len(got), err)
				return
			}
		}
	})
	for i := range 50 {
		write(t, path, contents[i%2])
	}
	close(done)
	wg.Wait()
}

// B068: the link stays, its target changes.
func TestLinksAreFollowed(t *testing.T) {
	root := t.TempDir()
	for _, dir := range []string{"real", "other/deep"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, l := range [][2]string{
		{"real.md", "link.md"},
		{"link.md", "link2.md"},
		{"real", "folder"},
		{"../real.md", "real/up.md"},
		{"other/deep", "jump"},
		{"../side.md", "other/deep/back.md"},
		{"new.md", "dangling"},
		{"gone/new", "lost"},
		{"loop2", "loop1"},
		{"loop1", "loop2"},
	} {
		if err := os.Symlink(l[0], filepath.Join(root, l[1])); err != nil {
			t.Fatal(err)
		}
	}
	for _, tc := range []struct{ path, target string }{
		{"link.md", "real.md"},
		{"link2.md", "real.md"},
		{"folder/up.md", "real.md"},
		{"jump/back.md", "other/side.md"}, // the link's dots start in other/deep
		{"dangling", "new.md"},
	} {
		t.Run(tc.path, func(t *testing.T) {
			target := filepath.Join(root, tc.target)
			if tc.path != "dangling" {
				at(t, target, "old", 0o640)
			}
			write(t, filepath.Join(root, tc.path), "by "+tc.path)
			want(t, target, "by "+tc.path)
			if info, err := os.Lstat(filepath.Join(root, tc.path)); err != nil || info.Mode()&fs.ModeSymlink == 0 {
				t.Errorf("the link is gone: %v, %v", info.Mode(), err)
			}
		})
	}
	for _, path := range []string{"lost", "loop1"} {
		if err := atomicfile.Write(filepath.Join(root, path), nil, 0o666); err == nil {
			t.Errorf("writing to %s succeeded", path)
		}
	}
	wantNames(t, filepath.Join(root, "other/deep"), "back.md")
}

// B069: both names of a hard-linked pair show the new content.
func TestHardLinksStayTogether(t *testing.T) {
	for _, content := range []string{"a longer content than before", "short", "", "same size"} {
		dir := t.TempDir()
		a, b := at(t, filepath.Join(dir, "a"), "some size", 0o640), filepath.Join(dir, "b")
		if err := os.Link(a, b); err != nil {
			t.Fatal(err)
		}
		write(t, b, content)
		want(t, a, content)
		want(t, b, content)
		wantNames(t, dir, "a", "b")
		if info, err := os.Stat(a); err != nil || info.Mode() != 0o640 {
			t.Errorf("mode %v, %v", info.Mode(), err)
		}
	}
}

// B069: what is read-only stays as it is, for the superuser too.
func TestRefusals(t *testing.T) {
	dir := t.TempDir()
	at(t, filepath.Join(dir, "ro.txt"), "kept", 0o444)
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, reason := range map[string]error{
		"ro.txt": atomicfile.ErrReadOnly, "sub": atomicfile.ErrNotRegular, "pipe": atomicfile.ErrNotRegular,
		"missing/x": fs.ErrNotExist, "ro.txt/x": syscall.ENOTDIR,
	} {
		err := atomicfile.Write(filepath.Join(dir, name), []byte("new"), 0o666)
		if !errors.Is(err, reason) {
			t.Errorf("%s: error is %v, want %v", name, err, reason)
		}
		if err != nil && strings.Contains(err.Error(), ".tmp") {
			t.Errorf("%s: the error tells of the temporary file: %v", name, err)
		}
	}
	want(t, filepath.Join(dir, "ro.txt"), "kept")
	wantNames(t, dir, "pipe", "ro.txt", "sub")
}

// A directory that takes no new file is no reason to refuse one that may be
// written to.
func TestInADirectoryThatIsReadOnly(t *testing.T) {
	unprivileged.Run(t, func(t *testing.T) {
		dir := t.TempDir()
		path := at(t, filepath.Join(dir, "f"), "old content", 0o644)
		if err := os.Chmod(dir, 0o555); err != nil {
			t.Fatal(err)
		}
		defer os.Chmod(dir, 0o755)
		write(t, path, "new")
		want(t, path, "new")
		wantNames(t, dir, "f")
		err := atomicfile.Write(filepath.Join(dir, "g"), nil, 0o666)
		if !errors.Is(err, fs.ErrPermission) || strings.Contains(err.Error(), ".tmp") {
			t.Errorf("a new file there: %v", err)
		}
	})
}

// A file that its mode lets others write to is not theirs to protect: it may be
// changed and keeps its owner, although only the superuser can give files away.
func TestAFileOfAnotherOwner(t *testing.T) {
	const env = "ATOMICFILE_FOREIGN"
	dir := os.Getenv(env)
	if dir == "" {
		if os.Geteuid() != 0 {
			t.Skip("only the superuser can set this up")
		}
		dir = t.TempDir()
		at(t, filepath.Join(dir, "f"), "old", 0o666)
		at(t, filepath.Join(dir, "protected"), "old", 0o644)
		for _, d := range []string{dir, filepath.Dir(dir)} {
			if err := os.Chmod(d, 0o777); err != nil {
				t.Fatal(err)
			}
		}
		t.Setenv(env, dir)
	}
	unprivileged.Run(t, func(t *testing.T) {
		write(t, filepath.Join(dir, "f"), "new")
		err := atomicfile.Write(filepath.Join(dir, "protected"), []byte("new"), 0o666)
		if !errors.Is(err, atomicfile.ErrReadOnly) {
			t.Errorf("a file that only its owner may write to: %v", err)
		}
	})
	want(t, filepath.Join(dir, "f"), "new")
	want(t, filepath.Join(dir, "protected"), "old")
	wantNames(t, dir, "f", "protected")
	if s := stat(t, filepath.Join(dir, "f")); s.Uid != 0 || s.Mode&0o777 != 0o666 {
		t.Errorf("owner %d, mode %o", s.Uid, s.Mode)
	}
}

func TestTheSuperuserKeepsTheOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only the superuser can give files away")
	}
	path := at(t, filepath.Join(t.TempDir(), "f"), "old", 0o755)
	if err := os.Chown(path, 1234, 2345); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o755|fs.ModeSetuid); err != nil {
		t.Fatal(err)
	}
	write(t, path, "new")
	if s := stat(t, path); s.Uid != 1234 || s.Gid != 2345 || s.Mode&0o7777 != 0o4755 {
		t.Errorf("owner %d:%d, mode %o", s.Uid, s.Gid, s.Mode&0o7777)
	}
}

// A disk that is full in the middle of a write leaves the old content and no
// temporary file. The limit on a file's size stands for the disk's.
func TestAFullDisk(t *testing.T) {
	const env = "ATOMICFILE_FULL"
	if dir := os.Getenv(env); dir != "" {
		for _, name := range []string{"plain", "linked", "new"} {
			err := atomicfile.Write(filepath.Join(dir, name), bytes.Repeat([]byte("n"), 1<<20), 0o666)
			if !errors.Is(err, syscall.EFBIG) {
				t.Errorf("%s: error is %v, want that the file is too large", name, err)
			}
		}
		return
	}
	dir := t.TempDir()
	at(t, filepath.Join(dir, "plain"), "old plain", 0o644)
	linked := at(t, filepath.Join(dir, "linked"), "old linked", 0o644)
	if err := os.Link(linked, filepath.Join(dir, "twin")); err != nil {
		t.Fatal(err)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", "-c", `ulimit -f 64 && exec "$0" "-test.run=^TestAFullDisk$"`, exe)
	cmd.Env = append(os.Environ(), env+"="+dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	want(t, filepath.Join(dir, "plain"), "old plain")
	want(t, filepath.Join(dir, "linked"), "old linked")
	want(t, filepath.Join(dir, "twin"), "old linked")
	wantNames(t, dir, "linked", "plain", "twin")
}
