//go:build unix

package cli

import (
	"os"
	"os/signal"
	"syscall"
)

// continues tells when the program goes on after it was stopped by ctrl-Z. The
// shell has used the screen meanwhile. stop gives the signal back.
func continues() (signals <-chan os.Signal, stop func()) {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGCONT)
	return c, func() { signal.Stop(c) }
}
