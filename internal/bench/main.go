// Bench measures the whole program from outside: it builds the real binary,
// lets it talk to the scripted server on loopback, and prints what it cost.
//
//	cold start   process start to first request on the wire
//	memory       largest resident set of a run with one answer
//	overhead     last byte of answer k to last byte of request k+1, with one
//	             small file read between, at several k of one session
//	CPU          of a session of so many turns, user and system
//
// Machines are shared and noisy, so each figure is the median of several and
// stands beside an empty Go program that was measured in the same run. Nothing
// is asserted.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"
)

func main() {
	turns := flag.Int("turns", 1000, "turns of the long session")
	runs := flag.Int("runs", 20, "runs of the short ones")
	flag.Parse()
	if err := bench(*turns, *runs); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func bench(turns, runs int) error {
	dir, err := os.MkdirTemp("", "daruma-bench-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	b := bed{dir: dir, binary: filepath.Join(dir, "daruma"), empty: filepath.Join(dir, "empty")}
	if err := b.build(); err != nil {
		return err
	}
	if err := b.short(runs); err != nil {
		return err
	}
	return b.long(turns)
}

// bed is where the measurements take place.
type bed struct{ dir, binary, empty string }

// build makes the binary as it is released, and the empty program beside it.
func (b bed) build() error {
	src := filepath.Join(b.dir, "empty.go")
	if err := os.WriteFile(src, []byte("package main\n\nfunc main() {}\n"), 0o600); err != nil {
		return err
	}
	for out, pkg := range map[string]string{b.binary: "./cmd/daruma", b.empty: src} {
		cmd := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", out, pkg)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if text, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("build %s: %w\n%s", pkg, err, text)
		}
	}
	if info, err := os.Stat(b.binary); err == nil {
		fmt.Printf("binary            %6.1f MB\n", float64(info.Size())/1e6)
	}
	return nil
}

// short measures runs of one answer.
func (b bed) short(runs int) error {
	var cold, whole, empty, rss []float64
	for range runs {
		start := time.Now()
		if err := exec.Command(b.empty).Run(); err != nil {
			return err
		}
		empty = append(empty, ms(time.Since(start)))
		r, err := b.run(1)
		if err != nil {
			return err
		}
		cold = append(cold, ms(r.requests[0].Began.Sub(r.start)))
		whole = append(whole, ms(r.wall))
		rss = append(rss, r.rss)
	}
	fmt.Printf("empty program     %6.1f ms  start to end\n", median(empty))
	fmt.Printf("cold start        %6.1f ms  start to first request (%.1f times the empty program; best %.1f)\n", median(cold), median(cold)/median(empty), slices.Min(cold))
	fmt.Printf("one answer        %6.1f ms  start to end\n", median(whole))
	fmt.Printf("memory            %6.1f MiB largest resident set of one answer\n", median(rss))
	return nil
}

// long measures one session of many turns.
func (b bed) long(turns int) error {
	r, err := b.run(turns)
	if err != nil {
		return err
	}
	for _, k := range []int{10, 100, 300, 1000, 3000} {
		if k < turns {
			fmt.Printf("overhead          %6.2f ms  at turn %d (body %d kB)\n", r.overhead(k), k, r.requests[k].Size/1000)
		}
	}
	if turns <= 1000 {
		fmt.Printf("overhead          %6.2f ms  at turn %d (body %d kB)\n", r.overhead(turns-1), turns, r.requests[turns-1].Size/1000)
	}
	fmt.Printf("CPU               %6.2f s   for %d turns (%.1f s wall, %.0f MiB)\n", r.cpu.Seconds(), turns, r.wall.Seconds(), r.rss)
	return nil
}

func median(xs []float64) float64 {
	xs = slices.Sorted(slices.Values(xs))
	return xs[len(xs)/2]
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
