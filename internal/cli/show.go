package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/daruma-dev/daruma/loop"
	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/session"
)

func (p *program) showCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{Use: "show ID", Short: "what was said and done in a session", Args: needs("the ID of a session", 1)}
	cmd.Flags().BoolVar(&asJSON, "json", false, "as one JSON object, with every message in full")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		path, err := find(args[0])
		if err != nil {
			return err
		}
		info, err := session.Inspect(path)
		if err != nil {
			return asUsage(err)
		}
		s, err := p.folded(path)
		if err != nil {
			return err
		}
		if asJSON {
			p.out.object(object{{"session", info}, {"messages", append([]*message.Message{}, s.Messages...)}})
			return nil
		}
		p.out.text(transcript(info, s))
		return nil
	}
	return cmd
}

// folded is the state that a journal ends in. Damage is told.
func (p *program) folded(path string) (loop.State, error) {
	var c session.Contents
	s, err := session.Fold(path, &loop.Machine{}, &c)
	if err != nil {
		return loop.State{}, asUsage(err)
	}
	p.damage(&c)
	return s, nil
}

// damage tells what of a journal could not be read.
func (p *program) damage(c *session.Contents) {
	for _, text := range c.Notices() {
		tellText(p.err, text, "")
	}
}

// transcript is a session for people to read: what was said in full, and a line
// for each call and each result.
func transcript(info session.Info, s loop.State) string {
	var b strings.Builder
	fmt.Fprintf(&b, "session %s\n%s, begun %s\n", info.ID, shown(info.Dir), info.Created.Local().Format("2006-01-02 15:04"))
	for _, m := range s.Messages {
		said(&b, m)
	}
	if s.Partial != nil {
		said(&b, s.Partial)
	}
	for _, c := range s.Calls {
		if c.Result == nil {
			fmt.Fprintf(&b, "  … %s has no result yet\n", brief(c.Call.Name, lineWidth))
		}
	}
	if t := s.Terminal; t != nil {
		fmt.Fprintf(&b, "\n── %s\n", shown(t.String()))
	}
	return b.String()
}

// speaker says who a message is by.
func speaker(m *message.Message) string {
	switch {
	case m.Role == message.Assistant:
		return m.Model
	case m.Origin == message.FromUser || m.Origin == "":
		return "you"
	default:
		return string(m.Origin)
	}
}

func said(b *strings.Builder, m *message.Message) {
	if m.Origin != message.FromTools {
		fmt.Fprintf(b, "\n── %s\n", brief(speaker(m), lineWidth))
	}
	for _, p := range m.Parts {
		switch p := p.(type) {
		case message.Text:
			if text := strings.TrimSpace(shown(p.Text)); text != "" {
				fmt.Fprintln(b, text)
			}
		case message.Thinking:
		case message.Call:
			fmt.Fprintf(b, "  • %s\n", brief(callLine(p), lineWidth))
		case message.ToolResult:
			fmt.Fprintf(b, "  %s %s\n", sign(p), brief(resultLine(p), lineWidth))
		case message.Media:
			fmt.Fprintf(b, "  (%s %s)\n", brief(p.Kind, lineWidth), brief(p.Name, lineWidth))
		case message.Opaque:
			fmt.Fprintf(b, "  (%s)\n", brief(p.Type, lineWidth))
		default:
			panic(fmt.Sprintf("cli: unhandled part %T", p))
		}
	}
}
