//go:build !unix

package procgroup

import "os/exec"

type signal int

const (
	polite signal = iota
	hard
)

func prepare(*exec.Cmd) string { return "" }

func birth(int) uint64 { return 0 }

func (g *Group) signal(signal) { _ = g.cmd.Process.Kill() }

// alive is false: of what the command started nothing is known.
func (g *Group) alive() bool { return false }

func watch(int)   {}
func unwatch(int) {}
