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

// signal reaches every member. One that is stopped has to go on in order to
// end politely.
func (g *Group) signal(s syscall.Signal) {
	for _, pid := range g.members() {
		_ = syscall.Kill(pid, s)
		if s == polite {
			_ = syscall.Kill(pid, syscall.SIGCONT)
		}
	}
}

// alive reports whether anything of the group is left.
func (g *Group) alive() bool { return len(g.members()) > 0 }
