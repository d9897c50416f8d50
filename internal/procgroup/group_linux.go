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

// process is a line of the process table; see proc_pid_stat(5).
type process struct {
	pid, parent, group, session int
	born                        uint64 // clock ticks after the system's start
	zombie                      bool   // it has ended, and nobody has asked how
}

// birth is when a process was started; 0 when it is not there.
func birth(pid int) uint64 {
	p, _ := stat(pid)
	return p.born
}

// members are the processes that are in the session or the process group of the
// command, descend from one that is, or carry the mark. A zombie is none, but
// its children are.
func (g *Group) members() []int {
	table := processes()
	number := g.pid
	for _, p := range table {
		if p.pid == number && g.ended() {
			number = -1 // by now it is another process
		}
	}
	ours := map[int]bool{}
	for _, p := range table {
		if number > 0 && (p.session == number || p.group == number) || p.born >= g.born && marked(p.pid, g.mark) {
			ours[p.pid] = true
		}
	}
	for grown := true; grown; {
		grown = false
		for _, p := range table {
			if !ours[p.pid] && ours[p.parent] {
				ours[p.pid], grown = true, true
			}
		}
	}
	var out []int
	for _, p := range table {
		if ours[p.pid] && !p.zombie {
			out = append(out, p.pid)
		}
	}
	return out
}

// marked reports whether a process was started with the mark. What may not be
// read is not ours, or has changed its user.
func marked(pid int, mark string) bool {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	return err == nil && (bytes.HasPrefix(b, []byte(mark+"\x00")) || bytes.Contains(b, []byte("\x00"+mark+"\x00")))
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

func stat(pid int) (process, bool) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return process{}, false
	}
	return parseStat(pid, b)
}

// parseStat reads a line of the process table. The command's name in it stands
// in parentheses and may hold anything; after it come state, parent, group,
// session and, 15 fields on, the time of birth.
func parseStat(pid int, line []byte) (process, bool) {
	f := bytes.Fields(line[bytes.LastIndexByte(line, ')')+1:])
	if len(f) < 20 {
		return process{}, false
	}
	p := process{pid: pid, zombie: f[0][0] == 'Z' || f[0][0] == 'X'}
	for i, n := range []*int{&p.parent, &p.group, &p.session} {
		v, err := strconv.Atoi(string(f[i+1]))
		if err != nil {
			return process{}, false
		}
		*n = v
	}
	var err error
	p.born, err = strconv.ParseUint(string(f[19]), 10, 64)
	return p, err == nil
}
