package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/daruma-dev/daruma/model/modeltest"
)

// run is one run of the binary, as the server and the system saw it.
type run struct {
	start    time.Time
	wall     time.Duration
	cpu      time.Duration
	rss      float64 // MiB
	requests []modeltest.Recorded
}

// run lets the binary work for so many turns: all but the last read a small
// file.
func (b bed) run(turns int) (run, error) {
	server := modeltest.New(modeltest.Func(func(n int, _ modeltest.Request) modeltest.Reply {
		if n < turns {
			return modeltest.Call(fmt.Sprintf("toolu_%d", n), "read", `{"path":"small.txt"}`)
		}
		return modeltest.Say("Done.")
	}), modeltest.Options{Lax: true, DropBodies: true})
	if err := server.Start(); err != nil {
		return run{}, err
	}
	defer func() { _ = server.Close() }()
	work := filepath.Join(b.dir, "work")
	if err := os.MkdirAll(work, 0o755); err != nil {
		return run{}, err
	}
	text := strings.Repeat("a line of a small file\n", 20)
	if err := os.WriteFile(filepath.Join(work, "small.txt"), []byte(text), 0o600); err != nil {
		return run{}, err
	}
	return b.measure(server, work)
}

func (b bed) measure(server *modeltest.Server, work string) (run, error) {
	cmd := exec.Command(b.binary, "-p", "--output-format", "json", "-m", "anthropic/claude-opus-5-5", "go on")
	cmd.Dir = work
	cmd.Env = append(os.Environ(), "ANTHROPIC_BASE_URL="+server.URL(), "ANTHROPIC_API_KEY=bench", "DARUMA_STATE_DIR="+filepath.Join(b.dir, "state"))
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	r := run{start: time.Now()}
	if err := cmd.Run(); err != nil {
		return run{}, fmt.Errorf("daruma: %w\n%s", err, out.Bytes())
	}
	r.wall = time.Since(r.start)
	r.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	r.rss = residentMiB(cmd.ProcessState)
	r.requests = server.Requests()
	if problems := server.Problems(); len(problems) > 0 {
		return run{}, fmt.Errorf("the server refused a request: %s", problems[0])
	}
	return r, nil
}

// overhead is the median time, in milliseconds, between the end of an answer
// and the end of the next request, over a few turns around turn k.
func (r run) overhead(k int) float64 {
	const around = 7
	var gaps []float64
	for i := max(0, k-around); i < k+around && i+1 < len(r.requests); i++ {
		gaps = append(gaps, ms(r.requests[i+1].Received.Sub(r.requests[i].Ended)))
	}
	return median(gaps)
}
