package cli

import (
	"strings"

	"github.com/spf13/cobra"
)

// noArgs refuses arguments.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usage("leave it out", "%s takes no argument, but was given %q", cmd.CommandPath(), args[0])
	}
	return nil
}

// needs wants at least one argument, and at most so many; 0 means any number.
func needs(what string, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) == 0:
			return usage("write it as: "+cmd.UseLine(), "%s needs %s", cmd.CommandPath(), what)
		case most > 0 && len(args) > most:
			return usage("write it as: "+cmd.UseLine(), "%s takes one argument, but was given %s", cmd.CommandPath(), strings.Join(args, " "))
		}
		return nil
	}
}
