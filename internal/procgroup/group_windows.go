package procgroup

import "os/exec"

type signal int

const (
	polite signal = iota
	hard
)

func prepare(*exec.Cmd) string { return "" }

func (g *Group) signal(signal) { _ = g.cmd.Process.Kill() }

func (g *Group) alive() bool {
	select {
	case <-g.done:
		return false
	default:
		return true
	}
}

func watch(int)   {}
func unwatch(int) {}
