package cli

import (
	"github.com/spf13/cobra"

	"github.com/daruma-dev/daruma/session"
)

func (p *program) traceCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{Use: "trace ID", Short: "why the loop did what it did in a session", Args: needs("the ID of a session", 1)}
	cmd.Flags().BoolVar(&asJSON, "json", false, "as a JSON array")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		path, err := find(args[0])
		if err != nil {
			return err
		}
		var c session.Contents
		lines, err := session.Traces(session.Read(path, &c))
		if err != nil {
			return asUsage(err)
		}
		p.damage(&c)
		if asJSON {
			p.out.object(append([]session.TraceLine{}, lines...)) // a list, never null
			return nil
		}
		return session.WriteTable(p.out, lines)
	}
	return cmd
}
