//go:build unix

package procgroup

import (
	"os/exec"
	"syscall"
)

const (
	polite = syscall.SIGTERM
	hard   = syscall.SIGKILL
)

// prepare returns the mark of the command.
func prepare(cmd *exec.Cmd) string {
	m := newMark()
	cmd.SysProcAttr = attributes()
	cmd.Env = append(cmd.Env, m)
	return m
}

// signal reaches the group and, where the system tells, those that left it.
func (g *Group) signal(s syscall.Signal) {
	for _, pid := range strays(g.pid, g.mark) { // first: their parents still tell whose they are
		_ = syscall.Kill(pid, s)
	}
	_ = syscall.Kill(-g.pid, s)
}

// alive reports whether anything of the group is left.
func (g *Group) alive() bool {
	return syscall.Kill(-g.pid, 0) == nil || len(strays(g.pid, g.mark)) > 0
}
