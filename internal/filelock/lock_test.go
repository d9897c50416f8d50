package filelock

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func open(t *testing.T, name string) *os.File {
	t.Helper()
	f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

func TestLock(t *testing.T) {
	name := filepath.Join(t.TempDir(), "f")
	a, b := open(t, name), open(t, name)
	if err := Lock(a); err != nil {
		t.Fatal(err)
	}
	if err := Lock(b); !errors.Is(err, ErrHeld) {
		t.Errorf("a second lock: %v, want %v", err, ErrHeld)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if err := Lock(b); err != nil {
		t.Errorf("after the first file was closed: %v", err)
	}
}

func TestTheHolderIsNamed(t *testing.T) {
	name := filepath.Join(t.TempDir(), "f")
	a, b := open(t, name), open(t, name)
	if pid := Holder(b); pid != 0 {
		t.Errorf("nobody holds the lock, Holder = %d", pid)
	}
	if err := Lock(a); err != nil {
		t.Fatal(err)
	}
	want := 0
	if runtime.GOOS == "linux" {
		want = os.Getpid()
	}
	if pid := Holder(b); pid != want {
		t.Errorf("Holder = %d, want %d", pid, want)
	}
}

func TestAnotherFileIsNotLocked(t *testing.T) {
	dir := t.TempDir()
	a, b := open(t, filepath.Join(dir, "a")), open(t, filepath.Join(dir, "b"))
	if err := Lock(a); err != nil {
		t.Fatal(err)
	}
	if pid := Holder(b); pid != 0 {
		t.Errorf("Holder of another file = %d", pid)
	}
	if err := Lock(b); err != nil {
		t.Errorf("another file: %v", err)
	}
}
