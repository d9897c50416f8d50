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

// noCommand refuses what is not the name of a command below cmd.
func noCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, c := range cmd.Commands() {
		names = append(names, c.Name())
	}
	return usage("there are: "+strings.Join(names, ", "), "there is no command %s %s", cmd.CommandPath(), args[0])
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
