//go:build unix

package cli

import (
	"os"
	"syscall"
)

var signalNames = map[string]os.Signal{"INT": syscall.SIGINT, "TERM": syscall.SIGTERM, "HUP": syscall.SIGHUP, "KILL": syscall.SIGKILL}
