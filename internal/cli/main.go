package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"time"
)

// Main runs daruma with the arguments after the program's name, and returns the
// exit code.
func Main(args []string) int {
	p := program{
		start: time.Now(), in: os.Stdin, stdout: os.Stdout, out: &output{w: os.Stdout},
		err: &shared{w: os.Stderr}, flags: &flags{},
	}
	return p.main(args)
}

// program is one run of the command line.
type program struct {
	start  time.Time
	in     *os.File
	stdout *os.File  // what out writes to
	out    *output   // everything that goes to stdout
	err    io.Writer // stderr, for several goroutines
	flags  *flags

	code int  // to exit with
	told bool // the object that machines read has been printed
}

func (p *program) main(args []string) (code int) {
	defer func() {
		if crash := recover(); crash != nil {
			code = p.crashed(args, crash)
		}
	}()
	if len(args) > 0 && args[0] == "--version" { // as every program has it
		args = append([]string{"version"}, args[1:]...)
	}
	root := p.root(args)
	root.SetArgs(args)
	if err := root.ExecuteContext(context.Background()); err != nil {
		p.failed(args, err)
	}
	return p.exitCode()
}

// exitCode is the code to exit with. An answer that could not be written is no
// success.
func (p *program) exitCode() int {
	if p.out.err == nil {
		return p.code
	}
	if !errors.Is(p.out.err, errReaderGone) {
		tell(p.err, p.out.err)
	}
	return cmp.Or(p.code, codeOf(p.out.err))
}

// failed tells an error that no run ended with: people on stderr, and machines
// with the object they wait for. A reader who has gone is told nothing.
func (p *program) failed(args []string, err error) {
	p.code = codeOf(err)
	if errors.Is(err, errReaderGone) {
		return
	}
	if !p.told && p.flags.outputFormat(args) != formatText {
		p.out.object((&outcome{err: err, took: time.Since(p.start)}).result())
	}
	var s signalError
	if !errors.As(err, &s) {
		tell(p.err, err)
	}
}

// crashed tells a fault of the program itself. Its code is not that of a panic
// in Go, which would be the one for a mistake on the command line.
func (p *program) crashed(args []string, crash any) int {
	err := &problem{
		Text: "this is a fault of daruma, not of yours",
		Hint: "please report it with the lines below; daruma -c goes on with the session",
	}
	if !p.told && p.flags.outputFormat(args) != formatText {
		p.out.object((&outcome{err: err, took: time.Since(p.start)}).result())
	}
	tell(p.err, err)
	stack, ok := crash.(error)
	if !ok {
		stack = fmt.Errorf("%v\n\n%s", crash, debug.Stack())
	}
	_, _ = fmt.Fprintln(p.err, stack)
	return exitFailure
}
