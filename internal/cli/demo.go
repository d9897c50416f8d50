package cli

import (
	"context"
	"os"

	"github.com/spf13/cobra"

	"github.com/daruma-dev/daruma/internal/demo"
)

func (p *program) demoCommand() *cobra.Command {
	var fast bool
	cmd := &cobra.Command{Use: "demo", Short: "see the loop at work, without a key or a network", Args: noArgs}
	cmd.Flags().BoolVar(&fast, "fast", false, "without pauses for the eye")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		ctx, stop := watchSignals(cmd.Context(), os.Exit)
		defer stop()
		err := demo.Run(ctx, demo.Options{Fast: fast, Out: p.out})
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return err
	}
	return cmd
}
