//go:build unix && !linux

package procgroup

import "syscall"

func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// strays are not known here: there is no process table to read without cgo.
func strays(int, string) []int { return nil }
