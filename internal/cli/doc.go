// Package cli is daruma's command line: flags, exit codes, print mode with its
// output formats, the conversation in a terminal, and the commands that look at
// sessions. What it promises to scripts is written down in docs/cli.md.
package cli
