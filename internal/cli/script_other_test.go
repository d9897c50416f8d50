//go:build !unix

package cli

import "os"

var signalNames = map[string]os.Signal{}
