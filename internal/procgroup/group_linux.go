package procgroup

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
)

// attributes make a session of its own. Pdeathsig kills the command when the
// thread that started it ends: Go ends a thread only with a goroutine that is
// locked to it, so that is when the process dies.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
}

// process is a line of the process table.
type process struct{ pid, parent, session int }

// strays are the processes that descend from pid, are in its session or carry
// its mark, but for pid itself. A zombie is none.
func strays(pid int, mark string) []int {
	table := processes()
	ours := map[int]bool{pid: true}
	for _, p := range table {
		if p.detached() && marked(p.pid, mark) {
			ours[p.pid] = true
		}
	}
	for grown := true; grown; {
		grown = false
		for _, p := range table {
			if !ours[p.pid] && (ours[p.parent] || p.session == pid) {
				ours[p.pid], grown = true, true
			}
		}
	}
	var out []int
	for _, p := range table {
		if ours[p.pid] && p.pid != pid {
			out = append(out, p.pid)
		}
	}
	return out
}

// detached reports whether neither descent nor session tells whose p is: it
// made a session of its own, and its parent may have died.
func (p process) detached() bool { return p.session == p.pid || p.parent == 1 }

// marked reports whether a process was started with the mark.
func marked(pid int, mark string) bool {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	return err == nil && bytes.Contains(append(append([]byte{0}, b...), 0), []byte("\x00"+mark+"\x00"))
}

// processes reads the process table.
func processes() []process {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer func() { _ = dir.Close() }()
	names, _ := dir.Readdirnames(-1)
	var out []process
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			if p, ok := stat(pid); ok {
				out = append(out, p)
			}
		}
	}
	return out
}

// stat reads /proc/PID/stat. The command's name in it stands in parentheses and
// may hold anything; after it come state, parent, group and session.
func stat(pid int) (process, bool) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return process{}, false
	}
	f := bytes.Fields(b[bytes.LastIndexByte(b, ')')+1:])
	if len(f) < 4 || f[0][0] == 'Z' || f[0][0] == 'X' {
		return process{}, false
	}
	parent, err1 := strconv.Atoi(string(f[1]))
	session, err2 := strconv.Atoi(string(f[3]))
	return process{pid, parent, session}, err1 == nil && err2 == nil
}
