package cli

import (
	"context"
	"io"
	"strings"
)

// maxPrompt is the most that is read from stdin, in bytes. No model's window
// holds more.
const maxPrompt = 10 << 20

// source is where a prompt comes from.
type source struct {
	text  string
	stdin bool // what stdin says follows the text
}

// sourceOf reads the arguments: a prompt, "-" for stdin, or both.
func sourceOf(args []string) (source, error) {
	var s source
	for _, a := range args {
		switch {
		case a == "-":
			s.stdin = true
		case s.text != "":
			return source{}, usage("put the prompt in quotes", "there are several prompts: %q and %q", s.text, a)
		case strings.TrimSpace(a) == "":
			return source{}, usage("say what to do", "the prompt is empty")
		default:
			s.text = a
		}
	}
	return s, nil
}

// printed is where the prompt of print mode comes from. Stdin is read only when
// the arguments do not say it, or say "-": a pipe that nobody closes must not
// hold up a run that needs nothing from it (B102). Without a prompt, --continue
// goes on where the session stopped.
func (p *program) printed(args []string) (source, error) {
	s, err := sourceOf(args)
	if err != nil {
		return source{}, err
	}
	s.stdin = s.stdin || s.text == ""
	if s.stdin && isTerminal(p.in) {
		if len(args) == 0 && p.goesOn() {
			return source{}, nil
		}
		return source{}, usage(howToPrompt, "the prompt is to be read from stdin, which is a terminal")
	}
	return s, nil
}

const howToPrompt = `give it as an argument: daruma -p "…", or pipe it in`

func (p *program) goesOn() bool { return p.flags.goOn || p.flags.resume != "" }

// read is the prompt. It is empty only when there is a session to go on with.
func (p *program) read(ctx context.Context, s source) (string, error) {
	text := s.text
	if s.stdin {
		piped, err := readAll(ctx, p.in)
		if err != nil {
			return "", err
		}
		text = strings.Trim(text+"\n\n"+piped, "\r\n")
	}
	if strings.TrimSpace(text) == "" && !p.goesOn() {
		return "", usage(howToPrompt, "the prompt is empty")
	}
	return strings.ToValidUTF8(strings.TrimSpace(text), "\uFFFD"), nil
}

// readAll reads a prompt to its end. When ctx ends first the read goes on in
// its goroutine, because a file like stdin cannot be told to stop; the process
// is about to end.
func readAll(ctx context.Context, in io.Reader) (string, error) {
	type result struct {
		text []byte
		err  error
	}
	done := make(chan result, 1)
	go func() {
		b, err := io.ReadAll(io.LimitReader(in, maxPrompt+1))
		done <- result{b, err}
	}()
	select {
	case <-ctx.Done():
		return "", context.Cause(ctx)
	case r := <-done:
		switch {
		case r.err != nil:
			return "", usage(howToPrompt, "the prompt cannot be read from stdin: %v", below(r.err))
		case len(r.text) > maxPrompt:
			return "", usage("put it into a file and name the file in the prompt", "the prompt on stdin is longer than %d MiB", maxPrompt>>20)
		}
		return string(r.text), nil
	}
}
