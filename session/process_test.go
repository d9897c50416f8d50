//go:build linux || darwin

package session

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/daruma-dev/daruma/internal/unprivileged"
	"github.com/daruma-dev/daruma/loop"
	"github.com/daruma-dev/daruma/message"
)

// childTask names the variable that makes this test binary another process
// that works on a journal.
const childTask = "DARUMA_TEST_SESSION_TASK"

// TestChild is that process; see child.
func TestChild(t *testing.T) {
	task, path, _ := strings.Cut(os.Getenv(childTask), " ")
	if task == "" {
		t.Skip("is run by other tests")
	}
	j, _ := reopen(t, path)
	switch task {
	case "hold":
		fmt.Println("ready")
		_, _ = io.Copy(io.Discard, os.Stdin)
	case "write":
		for n := j.seq + 1; ; n++ {
			record(t, j, loop.Entry{Sync: n%7 == 0, Result: loop.Received{
				Message: message.NewUser(strconv.FormatInt(n, 10), strings.Repeat("text ", int(n%50))),
			}})
			fmt.Println(n) // it is recorded, so it must never be lost
		}
	}
}

// child starts a process that does the task with the journal.
func child(t *testing.T, task, path string) (*exec.Cmd, *bufio.Scanner, io.Closer) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, "-test.run=^TestChild$", "-test.count=1")
	cmd.Env = append(os.Environ(), childTask+"="+task+" "+path)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return cmd, bufio.NewScanner(out), in
}

// While one process has a session, another is told which one, and may fork it.
func TestTwoProcesses(t *testing.T) {
	j := write(t, t.TempDir(), said()...)
	cmd, out, in := child(t, "hold", j.Path())
	if !out.Scan() || out.Text() != "ready" {
		t.Fatalf("the other process says %q", out.Text())
	}
	_, err := Open(j.Path())
	want := fmt.Sprintf("session %s is in use by process %d", j.ID(), cmd.Process.Pid)
	if runtime.GOOS != "linux" {
		want = fmt.Sprintf("session %s is in use by another process", j.ID())
	}
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	f, err := Fork(j.Path(), Options{StateDir: t.TempDir(), Dir: "/x"})
	if err != nil {
		t.Error(err)
	} else {
		_ = f.Close()
	}
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	reopen(t, j.Path())
}

// A process that is killed in the middle of its work loses nothing that it was
// told is recorded, and keeps nobody out afterwards.
func TestKilledWriter(t *testing.T) {
	j := write(t, t.TempDir(), said()[0])
	for round := range 4 {
		cmd, out, _ := child(t, "write", j.Path())
		for range 20 + 13*round {
			if !out.Scan() {
				t.Fatal("the other process ended early")
			}
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		var last int64
		for { // what it has told before it died
			if n, err := strconv.ParseInt(out.Text(), 10, 64); err == nil {
				last = n
			}
			if !out.Scan() {
				break
			}
		}
		_ = cmd.Wait()
		es, c := entries(t, j.Path())
		if c.Damaged > 0 || c.Missing > 0 || c.Last < last || int64(len(es)) != c.Last {
			t.Fatalf("told of %d entries; %+v", last, c)
		}
		for _, e := range es[1:] {
			if m := e.Result.(loop.Received).Message; m.ID != strconv.FormatInt(e.Seq, 10) {
				t.Fatalf("entry %d holds message %s", e.Seq, m.ID)
			}
		}
	}
}

// A file that may not grow is a disk that is full: said in a sentence, nothing
// lost, and over when the limit is lifted.
func TestFileSizeLimit(t *testing.T) {
	j, _ := reopen(t, write(t, t.TempDir(), said()...).Path())
	var was syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &was); err != nil {
		t.Fatal(err)
	}
	low := was
	low.Cur = uint64(j.size) + 100
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &low); err != nil {
		t.Fatal(err)
	}
	e := loop.Entry{Result: loop.Received{Message: message.NewUser("u2", strings.Repeat("text", 100))}}
	err := j.Record(context.Background(), e)
	if back := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &was); back != nil {
		t.Fatal(back)
	}
	var es *Error
	if !errors.As(err, &es) || !errors.Is(err, syscall.EFBIG) || es.Hint() == "" {
		t.Errorf("got %v", err)
	}
	if _, c := entries(t, j.Path()); c.Entries != len(said()) || c.Torn > 0 {
		t.Errorf("after the failure: %+v", c)
	}
	record(t, j, e)
	if _, c := entries(t, j.Path()); c.Entries != len(said())+1 {
		t.Errorf("after the limit was lifted: %+v", c)
	}
}

func TestWhereNothingMayBeWritten(t *testing.T) {
	unprivileged.Run(t, func(t *testing.T) {
		state := filepath.Join(t.TempDir(), "state")
		j := write(t, state, said()...)
		if err := os.Chmod(j.Path(), 0o400); err != nil {
			t.Fatal(err)
		}
		var e *Error
		if _, err := Open(j.Path()); !errors.As(err, &e) || err.Error() != fmt.Sprintf("session %s may not be written (permission denied)", j.ID()) {
			t.Errorf("a read-only journal: %v", err)
		}
		if es, _ := entries(t, j.Path()); len(es) != len(said()) {
			t.Error("a read-only journal cannot be read")
		}
		dir := filepath.Dir(j.Path())
		if err := os.Chmod(dir, 0o500); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.Chmod(dir, 0o700) })
		for name, do := range map[string]func() error{
			"record": func() error {
				j, err := Create(Options{StateDir: state, Dir: project})
				if err != nil {
					return err
				}
				return j.Record(context.Background(), said()[0])
			},
			"fork": func() error { _, err := Fork(j.Path(), Options{StateDir: state, Dir: project}); return err },
			"blob": func() error { _, err := j.Blob("x"); return err },
		} {
			err := do()
			if !errors.As(err, &e) || err.Error() != fmt.Sprintf("the folder %s may not be written (permission denied)", dir) || e.Hint() == "" {
				t.Errorf("%s in a read-only folder: %v", name, err)
			}
		}
		if err := os.Chmod(dir, 0); err != nil {
			t.Fatal(err)
		}
		if _, err := List(state, ""); !errors.As(err, &e) || e.Hint() == "" {
			t.Errorf("list of a folder that may not be read: %v", err)
		}
	})
}
