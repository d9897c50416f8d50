//go:build unix

package procgroup

import (
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
)

// mark is a variable in the environment of what is started here, and of its
// children: the same beginning for all of this process, then a number for each
// command.
var mark = sync.OnceValue(func() string { return "DARUMA_GUARD=" + rand.Text() + "." })

var marks atomic.Int64

func newMark() string { return mark() + strconv.FormatInt(marks.Add(1), 10) }

// script is the guard. It keeps the list of groups that are running, told one a
// line, and when the pipe ends kills them and, where there is a /proc, whatever
// carries the mark. It does so twice, for what was just being started.
const script = `trap '' HUP INT QUIT TERM
set --
while read -r op pid; do
	case $op in
	+) set -- "$@" "$pid" ;;
	-) n=$#; while [ "$n" -gt 0 ]; do [ "$1" = "$pid" ] || set -- "$@" "$1"; shift; n=$((n-1)); done ;;
	esac
done
for round in 1 2; do
	for pid in "$@"; do kill -KILL "-$pid"; done
	for env in /proc/[0-9]*/environ; do
		pid=${env#/proc/}; pid=${pid%/environ}
		[ "$pid" = "$$" ] || { grep -qsz "^$MARK" "$env" && kill -KILL "$pid"; }
	done
done`

// guard is the process that outlives this one.
var guard struct {
	sync.Mutex
	started bool
	pipe    io.Writer // nil where no guard could be started
}

// watch tells the guard of a command, and starts it before the first one. A
// guard that cannot be started is done without: what it is for is rare.
func watch(pid int) { tell('+', pid) }

func unwatch(pid int) { tell('-', pid) }

func tell(op byte, pid int) {
	guard.Lock()
	defer guard.Unlock()
	if !guard.started {
		guard.started = true
		guard.pipe = startGuard()
	}
	if guard.pipe != nil {
		_, _ = fmt.Fprintf(guard.pipe, "%c %d\n", op, pid)
	}
}

func startGuard() io.Writer {
	r, w, err := os.Pipe() // neither end is inherited by other children
	if err != nil {
		return nil
	}
	cmd := exec.Command("/bin/sh", "-c", script)
	cmd.Stdin = r
	cmd.Dir = "/" // so that it keeps no directory busy
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "MARK=" + mark()}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		_, _ = r.Close(), w.Close()
		return nil
	}
	_ = r.Close()
	go func() { _ = cmd.Wait() }()
	return w
}
