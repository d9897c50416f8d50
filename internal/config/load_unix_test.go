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

func TestBelowAFile(t *testing.T) {
	below := filepath.Join(write(t, "{}"), "settings.json")
	_, _, err := Load("", below)
	checkError(t, err, "the settings file "+below+" cannot be read: not a directory", "make it readable for yourself, or move it away")
}

func TestUserFile(t *testing.T) {
	tests := []struct {
		name string
		env  map[string]string
		want string
	}{
		{"by the variable", map[string]string{"XDG_CONFIG_HOME": "/x", "HOME": "/h"}, "/x/daruma/settings.json"},
		{"by default", map[string]string{"HOME": "/h"}, "/h/.config/daruma/settings.json"},
		{"a relative variable is ignored", map[string]string{"XDG_CONFIG_HOME": "x", "HOME": "/h"}, "/h/.config/daruma/settings.json"},
		{"without a home", nil, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := UserFile(func(name string) string { return tt.env[name] }); got != tt.want {
				t.Errorf("UserFile = %q, want %q", got, tt.want)
			}
		})
	}
}
