package cli

import (
	"fmt"
	"strings"

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
		lines := []session.TraceLine{} // a list, never null
		for e, err := range session.Read(path, &c) {
			if err != nil {
				return asUsage(err)
			}
			lines = append(lines, session.Trace(e))
		}
		p.damage(c)
		if asJSON {
			p.out.object(lines)
			return nil
		}
		p.trace(lines)
		return nil
	}
	return cmd
}

// trace prints a table, a line for each entry.
func (p *program) trace(lines []session.TraceLine) {
	for _, l := range lines {
		tokens := ""
		if l.Usage != nil {
			tokens = fmt.Sprintf("%d→%d", l.Usage.TotalInput(), l.Usage.Output)
		}
		p.out.text(strings.TrimRight(fmt.Sprintf("%4d  %s  %-11s %-12s %s",
			l.Seq, l.Time.Local().Format("15:04:05.000"), l.Kind, tokens, brief(what(l), 120)), " ") + "\n")
	}
}

// what is everything of a line that has words.
func what(l session.TraceLine) string {
	var parts []string
	if l.Transition != "" {
		t := fmt.Sprintf("→ %s (turn %d)", l.Transition, l.Turn)
		if l.Layer != "" {
			t += fmt.Sprintf(" by %s, attempt %d", l.Layer, l.Attempt)
		}
		parts = append(parts, t)
	}
	for _, s := range []string{l.Cause, string(l.End), l.Detail} {
		if s != "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, ": ")
}
