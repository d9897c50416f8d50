package looptest

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"golang.org/x/tools/txtar"
)

// script is a parsed test.
type script struct {
	model string
	world world
	trace string
	file  *txtar.Archive
}

// world is what the section "world" says.
type world struct {
	runs    []runSpec
	tools   []toolSpec
	vets    map[string]vetSpec // by tool
	answers map[string]answerSpec
	hooks   []hookSpec
	set     map[string]string
}

// runSpec is one run and what happens during it.
type runSpec struct {
	prompt    string
	resumes   bool
	interrupt time.Duration // 0 means never
	on        []trigger
	crashAt   int // entry number; 0 means never
}

// trigger is what happens when a call starts to run.
type trigger struct {
	call string
	does string // "interrupt", "type" or "crash"
	text string
}

type toolSpec struct {
	name          string
	safe, cancels bool
	text          string
	fails, panics bool
	takes         time.Duration
}

type vetSpec struct{ decision, reason string }

type answerSpec struct {
	allow  bool
	reason string
}

type hookSpec struct{ verb, text string }

// parse reads a script.
func parse(data []byte) (script, error) {
	s := script{file: txtar.Parse(data)}
	var worldText string
	for _, f := range s.file.Files {
		switch f.Name {
		case "model":
			s.model = string(f.Data)
		case "world":
			worldText = string(f.Data)
		case "trace":
			s.trace = string(f.Data)
		default:
			return script{}, fmt.Errorf("looptest: unknown section %q; the sections are model, world and trace", f.Name)
		}
	}
	var err error
	s.world, err = parseWorld(worldText)
	return s, err
}

func parseWorld(text string) (world, error) {
	w := world{vets: map[string]vetSpec{}, answers: map[string]answerSpec{}, set: map[string]string{}}
	for i, line := range strings.Split(text, "\n") {
		words, err := split(line)
		if err == nil && len(words) > 0 {
			err = w.line(words)
		}
		if err != nil {
			return world{}, fmt.Errorf("looptest: world line %d: %q: %w", i+1, line, err)
		}
	}
	return w, nil
}

// line takes in one line of the world.
func (w *world) line(words []string) error {
	verb, args := words[0], words[1:]
	switch {
	case verb == "user" && len(args) == 1:
		w.runs = append(w.runs, runSpec{prompt: args[0]})
	case verb == "continue":
		w.runs = append(w.runs, runSpec{resumes: true})
	case verb == "tool" && len(args) > 0:
		return w.tool(args)
	case verb == "vet" && len(args) >= 2:
		w.vets[args[0]] = vetSpec{args[1], strings.Join(args[2:], " ")}
	case verb == "answer" && len(args) >= 2:
		w.answers[args[0]] = answerSpec{args[1] == "yes", strings.Join(args[2:], " ")}
	case verb == "hook" && len(args) == 2:
		w.hooks = append(w.hooks, hookSpec{args[0], args[1]})
	case verb == "set":
		for _, a := range args {
			k, v, _ := strings.Cut(a, "=")
			w.set[k] = v
		}
	case len(w.runs) > 0:
		return w.happening(&w.runs[len(w.runs)-1], verb, args)
	default:
		return fmt.Errorf("not understood, or a happening before any run")
	}
	return nil
}

// happening takes in what happens during a run.
func (w *world) happening(r *runSpec, verb string, args []string) error {
	switch {
	case verb == "interrupt" && len(args) == 2 && args[0] == "after":
		d, err := time.ParseDuration(args[1])
		r.interrupt = d
		return err
	case verb == "crash" && len(args) == 2 && args[0] == "recording":
		n, err := strconv.Atoi(args[1])
		r.crashAt = n
		return err
	case (verb == "interrupt" || verb == "crash") && len(args) == 2 && args[0] == "executing":
		r.on = append(r.on, trigger{call: args[1], does: verb})
	case verb == "type" && len(args) == 3 && args[1] == "executing":
		r.on = append(r.on, trigger{call: args[2], does: verb, text: args[0]})
	default:
		return fmt.Errorf("not understood")
	}
	return nil
}

func (w *world) tool(args []string) error {
	t := toolSpec{name: args[0], text: "ok", takes: time.Second}
	for i := 1; i < len(args); i++ {
		next := func() string {
			i++
			if i < len(args) {
				return args[i]
			}
			return ""
		}
		switch args[i] {
		case "safe":
			t.safe = true
		case "cancels":
			t.cancels = true
		case "returns":
			t.text = next()
		case "fails":
			t.fails, t.text = true, next()
		case "panics":
			t.panics, t.text = true, next()
		case "takes":
			d, err := time.ParseDuration(next())
			if err != nil {
				return err
			}
			t.takes = d
		default:
			return fmt.Errorf("a tool has no %q", args[i])
		}
	}
	w.tools = append(w.tools, t)
	return nil
}

// split cuts a line at blanks; Go-quoted strings are one word. A "#" starts a
// comment.
func split(line string) ([]string, error) {
	var words []string
	for {
		line = strings.TrimLeft(line, " \t")
		switch {
		case line == "" || line[0] == '#':
			return words, nil
		case line[0] == '"':
			q, err := strconv.QuotedPrefix(line)
			if err != nil {
				return nil, fmt.Errorf("a string is not closed")
			}
			word, _ := strconv.Unquote(q)
			words, line = append(words, word), line[len(q):]
		default:
			end := strings.IndexAny(line, " \t")
			if end < 0 {
				end = len(line)
			}
			words, line = append(words, line[:end]), line[end:]
		}
	}
}
