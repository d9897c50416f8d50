package main

import (
	"os"
	"syscall"
)

// residentMiB is the largest resident set of an ended process.
func residentMiB(p *os.ProcessState) float64 {
	if u, ok := p.SysUsage().(*syscall.Rusage); ok {
		return float64(u.Maxrss) / 1024 // Linux counts in KiB
	}
	return 0
}
