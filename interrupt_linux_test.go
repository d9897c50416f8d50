package daruma_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/daruma-dev/daruma/loop"
)

// A command whose processes all ignore the polite signals is ended with all of
// them, by its time limit and by an interrupt, and the next command works
// (B054).
func TestStubbornProcessesAreEnded(t *testing.T) {
	const stubborn = `trap '' TERM INT HUP; sh -c 'trap \"\" TERM INT HUP; echo $$ >> pids; while :; do sleep 1; done' & echo $$ >> pids; while :; do sleep 1; done`
	for _, interrupt := range []bool{false, true} {
		t.Run(fmt.Sprintf("interrupt=%t", interrupt), func(t *testing.T) {
			t.Parallel()
			limit := 2 // seconds
			if interrupt {
				limit = 60
			}
			s := newStage(t, fmt.Sprintf("call t1 shell {\"command\":\"%s\",\"timeout\":%d}\n---\n", stubborn, limit)+
				"call t2 shell {\"command\":\"echo fine\"}\n---\ntext \"done\"")
			a := s.agent(s.options())
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if interrupt {
				go func() {
					for len(s.pids()) < 2 {
						time.Sleep(10 * time.Millisecond)
					}
					cancel()
				}()
			}
			began := time.Now()
			end := run(ctx, t, a, "start")
			if interrupt {
				if end.Reason != loop.AbortedTools {
					t.Errorf("ended as %v", end)
				}
				end = run(t.Context(), t, a, "next")
			}
			if took := time.Since(began); !end.OK() || took > 8*time.Second {
				t.Errorf("ended as %v after %v", end, took)
			}
			ms := lastRequest(s.server).Messages
			if rs := ms[len(ms)-1].Results(); len(rs) != 1 || !strings.HasPrefix(rs[0].Text, "fine\n") {
				t.Errorf("the next command gave %+v", rs)
			}
			if pids := s.pids(); len(pids) != 2 {
				t.Errorf("there were the processes %q, not two", pids)
			}
			for _, pid := range s.pids() {
				if stat, err := os.ReadFile("/proc/" + pid + "/stat"); err == nil && !bytes.Contains(stat, []byte(") Z ")) {
					t.Errorf("process %s is left", pid)
				}
			}
		})
	}
}

// pids lists the processes that the command has noted.
func (s stage) pids() []string {
	b, _ := os.ReadFile(s.dir + "/pids")
	return strings.Fields(string(b))
}
