// Daruma is a coding agent for the terminal; see docs/cli.md.
package main

import (
	"os"

	"github.com/daruma-dev/daruma/internal/cli"
)

func main() { os.Exit(cli.Main(os.Args[1:])) }
