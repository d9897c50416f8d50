package cli

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/daruma-dev/daruma/session"
	"github.com/daruma-dev/daruma/tool"
)

func (p *program) sessionsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "sessions", Short: "list, show or remove sessions", Args: noCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(p.listCommand(), p.showCommand(), p.removeCommand())
	return cmd
}

func (p *program) listCommand() *cobra.Command {
	var all, asJSON bool
	var dir string
	cmd := &cobra.Command{Use: "list", Short: "the sessions of this directory, the newest first", Args: noArgs}
	cmd.Flags().BoolVar(&all, "all", false, "those of every directory")
	cmd.Flags().BoolVar(&asJSON, "json", false, "as a JSON array")
	cmd.Flags().StringVarP(&dir, "cwd", "C", ".", "those of `DIR`")
	cmd.RunE = func(*cobra.Command, []string) error {
		state, err := session.StateDir(os.Getenv)
		if err != nil {
			return asUsage(err)
		}
		work := ""
		if !all {
			ws, err := tool.NewWorkspace(dir)
			if err != nil {
				return usage("check the path", "the directory %s cannot be used: %v", dir, err)
			}
			work = ws.Root()
		}
		infos, err := session.List(state, work)
		switch {
		case err != nil:
			return err
		case asJSON:
			p.out.object(append([]session.Info{}, infos...)) // a list, never null
		default:
			p.list(infos, all)
		}
		return nil
	}
	return cmd
}

// list prints a table. What stands in it was typed by somebody, but perhaps not
// by who reads it.
func (p *program) list(infos []session.Info, dirs bool) {
	if len(infos) == 0 {
		fmt.Fprintln(p.err, "daruma: there are no sessions")
		return
	}
	w := tabwriter.NewWriter(p.out, 0, 0, 2, ' ', 0)
	for _, in := range infos {
		end := string(in.End)
		if end == "" {
			end = "open"
		}
		row := []string{in.ID, in.Updated.Local().Format("2006-01-02 15:04"), end}
		if dirs {
			row = append(row, brief(in.Dir, lineWidth))
		}
		fmt.Fprintln(w, strings.Join(append(row, brief(in.Prompt, 60)), "\t"))
	}
	_ = w.Flush() // kept in p.out
}

func (p *program) removeCommand() *cobra.Command {
	return &cobra.Command{
		Use: "rm ID …", Short: "remove sessions", Args: needs("the ID of a session", 0),
		RunE: func(_ *cobra.Command, args []string) error {
			var paths []string
			for _, id := range args { // all or none
				path, err := find(id)
				if err != nil {
					return err
				}
				paths = append(paths, path)
			}
			for _, path := range paths {
				if err := session.Remove(path); err != nil {
					return asUsage(err)
				}
			}
			return nil
		},
	}
}

// find is the path of the journal of a session.
func find(id string) (string, error) {
	state, err := session.StateDir(os.Getenv)
	if err != nil {
		return "", asUsage(err)
	}
	path, err := session.Find(state, id)
	return path, asUsage(err)
}

// asUsage marks trouble with a session that the user can do something about.
func asUsage(err error) error {
	var e *session.Error
	if errors.As(err, &e) {
		return &problem{Text: e.Text, Hint: e.Hint(), Err: err, usage: true}
	}
	return err
}
