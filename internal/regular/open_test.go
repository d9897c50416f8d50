//go:build unix

package regular_test

import (
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/daruma-dev/daruma/internal/regular"
)

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := os.WriteFile(at("file"), []byte("content"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("file", at("link")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"file", "link"} {
		f, info, err := regular.Open(at(name))
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(f)
		if string(got) != "content" || err != nil || info.Size() != 7 {
			t.Errorf("%s: read %q of %d bytes, %v", name, got, info.Size(), err)
		}
		f.Close()
	}
	if _, _, err := regular.Open(at("missing")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
}

// B075: each of these would block, or have an effect, when it were opened as a
// file is.
func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	pipe, socket := filepath.Join(dir, "pipe"), filepath.Join(dir, "socket")
	if err := syscall.Mkfifo(pipe, 0o644); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for path, kind := range map[string]string{
		pipe: "a named pipe (FIFO)", socket: "a socket", dir: "a directory", "/dev/zero": "a character device",
	} {
		f, _, err := regular.Open(path)
		var wrong *regular.TypeError
		if f != nil || !errors.As(err, &wrong) || regular.Kind(wrong.Mode) != kind {
			t.Errorf("%s: %v, want an error that it is %s", path, err, kind)
		}
	}
}
