package atomicfile_test

import (
	"errors"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

func TestExtendedAttributesAreKept(t *testing.T) {
	path := at(t, filepath.Join(t.TempDir(), "f"), "old", 0o644)
	err := unix.Setxattr(path, "user.note", []byte("kept"), 0)
	if errors.Is(err, unix.ENOTSUP) {
		t.Skip("the file system has no extended attributes")
	}
	if err != nil {
		t.Fatal(err)
	}
	write(t, path, "new")
	got := make([]byte, 10)
	n, err := unix.Getxattr(path, "user.note", got)
	if err != nil || string(got[:n]) != "kept" {
		t.Errorf("user.note is %q, %v", got[:max(n, 0)], err)
	}
}
