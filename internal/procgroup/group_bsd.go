//go:build unix && !linux

package procgroup

import "syscall"

func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

func birth(int) uint64 { return 0 }

// members is the process group, as a negative number, as long as anything is in
// it: there is no process table to read without cgo. The number belongs to
// nobody else until then.
func (g *Group) members() []int {
	if syscall.Kill(-g.pid, 0) == syscall.ESRCH {
		return nil
	}
	return []int{-g.pid}
}
