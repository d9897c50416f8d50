package cli

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/daruma-dev/daruma"
	"github.com/daruma-dev/daruma/loop"
)

const longHelp = `daruma works on the repository in the current directory: it reads, edits and runs
commands, asking before it changes anything.

With -p it runs to the end, prints the answer and exits. Without a PROMPT, or
with "-", -p reads it from a pipe. What scripts can rely on is in docs/cli.md.`

// root makes the command for some arguments. Only the first of them can be the
// name of a command: behind a flag, "demo" is a prompt like any other.
func (p *program) root(args []string) *cobra.Command {
	root := &cobra.Command{
		Use:           "daruma [PROMPT]",
		Short:         "A coding agent for the terminal",
		Long:          longHelp,
		Args:          cobra.ArbitraryArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.talk(cmd.Context(), args)
		},
	}
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetHelpCommand(&cobra.Command{Use: "help", Short: "print this", RunE: func(*cobra.Command, []string) error { return root.Help() }})
	root.SetIn(p.in)
	root.SetOut(p.out)
	root.SetErr(p.err)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usage(cmd.CommandPath()+" --help lists the flags", "%v", err)
	})
	p.flags.define(root.Flags())
	commands := []*cobra.Command{p.demoCommand(), p.sessionsCommand(), p.traceCommand(), p.versionCommand()}
	named := func(c *cobra.Command) bool { return c.Name() == args[0] }
	if len(args) > 0 && (wantsHelp(args[0]) || slices.ContainsFunc(commands, named)) {
		root.AddCommand(commands...)
	}
	return root
}

func wantsHelp(arg string) bool { return arg == "help" || arg == "-h" || arg == "--help" }

// talk is daruma without a command: a conversation, or with -p one run.
func (p *program) talk(ctx context.Context, args []string) error {
	if err := p.flags.check(); err != nil {
		return err
	}
	if p.flags.print {
		return p.print(ctx, args)
	}
	return p.converse(ctx, args)
}

// question is how an agent asks its user.
type question = func(context.Context, []loop.Question) ([]loop.Answer, error)

// agent makes the agent that flags and settings describe, and tells what the
// user should know about it.
func (p *program) agent(ask question) (*daruma.Agent, error) {
	o, warnings, err := options(p.flags)
	if err != nil {
		return nil, err
	}
	o.Question = ask
	a, err := daruma.New(o)
	if err != nil {
		return nil, err
	}
	for _, text := range append(warnings, a.Notices()...) {
		tellText(p.err, text, "")
	}
	return a, nil
}
