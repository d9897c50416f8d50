//go:build unix

package config

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// --settings <(command) hands over a pipe; in the place of the user's file it
// would only block every start.
func TestPipes(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	_, _, err := Load(pipe, "")
	checkError(t, err, "the settings file "+pipe+" is not a file", "put JSON with settings there, or move it away")

	done := make(chan error)
	go func() { done <- os.WriteFile(pipe, []byte(`{"model": "a/b"}`), 0) }()
	s, _, err := Load("", pipe)
	if err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(Settings{Model: "a/b"}, s); d != "" {
		t.Errorf("settings (-want +got):\n%s", d)
	}
}
