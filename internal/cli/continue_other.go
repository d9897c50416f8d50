//go:build !unix

package cli

import "os"

// continues never tells anything: programs are not stopped here.
func continues() (signals <-chan os.Signal, stop func()) { return nil, func() {} }
