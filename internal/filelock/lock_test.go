package filelock

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestLock(t *testing.T) {
	open := func(name string) *os.File {
		f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	name := filepath.Join(t.TempDir(), "f")
	a, b := open(name), open(name)
	defer func() { _ = b.Close() }()
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
