package session

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/daruma-dev/daruma/message"
)

// WriteTable writes lines of a trace as a table for people, times in the local
// zone:
//
//	#  TIME      TURN  STEP      WHY                                IN  CACHED  OUT  DETAIL
//	1  16:00:01  1     received                                                      fix the test
//	2  16:00:04  1     sampled   max_output_tokens_escalate (1): …  12k    11k  800  …
func WriteTable(w io.Writer, ls []TraceLine) error {
	var b bytes.Buffer
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	row(t, "#", "TIME", "TURN", "STEP", "WHY", "IN", "CACHED", "OUT", "DETAIL")
	for _, l := range ls {
		in, cached, out := tokens(l.Usage)
		row(t, fmt.Sprint(l.Seq), l.Time.Local().Format(time.TimeOnly), fmt.Sprint(l.Turn), l.Kind, l.why(), in, cached, out, l.Detail)
	}
	_ = t.Flush() // into memory
	for line := range bytes.Lines(b.Bytes()) {
		if _, err := w.Write(append(bytes.TrimRight(line, " \n"), '\n')); err != nil {
			return fmt.Errorf("session: write a trace: %w", err)
		}
	}
	return nil
}

// row writes the cells of one line.
func row(t *tabwriter.Writer, cells ...string) {
	_, _ = io.WriteString(t, strings.Join(cells, "\t")+"\n")
}

// why is what made the loop go on, or stop.
func (l TraceLine) why() string {
	why := string(l.Transition) + string(l.End)
	if l.Attempt > 0 {
		why += fmt.Sprintf(" (%s %d)", l.Layer, l.Attempt)
	}
	if l.Cause != "" {
		why += ": " + l.Cause
	}
	return why
}

// tokens is what a reply read, how much of that came from the cache, and what
// it wrote.
func tokens(u *message.Usage) (in, cached, out string) {
	if u == nil {
		return "", "", ""
	}
	return fmt.Sprint(u.TotalInput()), fmt.Sprint(u.CacheRead), fmt.Sprint(u.Output)
}
