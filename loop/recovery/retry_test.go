package recovery

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/daruma-dev/daruma/loop"
	"github.com/daruma-dev/daruma/model"
)

var update = flag.Bool("update", false, "write the golden table anew")

func TestBackoff(t *testing.T) {
	for n, want := range map[int]time.Duration{
		-1: 0, 0: 0, 1: time.Second, 2: 2 * time.Second, 3: 4 * time.Second, 5: 16 * time.Second, 6: 30 * time.Second,
		7: 30 * time.Second, 1000: 30 * time.Second,
	} {
		if got := Backoff(n, time.Second, 30*time.Second); got != want {
			t.Errorf("Backoff(%d) = %v, want %v", n, got, want)
		}
	}
}

func TestRetry(t *testing.T) {
	no, yes := false, true
	r := DefaultRetry()
	for _, tc := range []struct {
		name  string
		spent int
		err   model.Error
		ok    bool
		want  loop.Delay
	}{
		{"first overload", 0, model.Error{Kind: model.Overloaded}, true, loop.Delay{For: time.Second, Jitter: true, Attempt: 1, Why: "overloaded"}},
		{"third", 2, model.Error{Kind: model.Overloaded}, true, loop.Delay{For: 4 * time.Second, Jitter: true, Attempt: 3, Why: "overloaded"}},
		{"the budget of a turn is spent", 10, model.Error{Kind: model.Overloaded}, false, loop.Delay{}},
		{
			"the server's wish is obeyed without jitter", 0,
			model.Error{Kind: model.RateLimited, RetryAfter: 7 * time.Second},
			true,
			loop.Delay{For: 7 * time.Second, Attempt: 1, Why: "rate limited; the server asks to wait 7s"},
		},
		{"a wish beyond patience ends it", 0, model.Error{Kind: model.RateLimited, RetryAfter: time.Hour}, false, loop.Delay{}},
		{"the server says no", 0, model.Error{Kind: model.Unavailable, ShouldRetry: &no}, false, loop.Delay{}},
		{"the server's yes does not make a bad request good", 0, model.Error{Kind: model.BadRequest, ShouldRetry: &yes}, false, loop.Delay{}},
		{"a silent stream is tried once more", 0, model.Error{Kind: model.Stalled}, true, loop.Delay{For: time.Second, Jitter: true, Attempt: 1, Why: "stalled"}},
		{"but not twice", 1, model.Error{Kind: model.Stalled}, false, loop.Delay{}},
		{"a server that gave up waiting is tried again and again", 1, model.Error{Kind: model.Timeout, Status: 504}, true, loop.Delay{For: 2 * time.Second, Jitter: true, Attempt: 2, Why: "timeout (HTTP 504)"}},
		{"one that never answered is not", 1, model.Error{Kind: model.Timeout}, false, loop.Delay{}},
		{"billing", 0, model.Error{Kind: model.Billing}, false, loop.Delay{}},
		{"quota", 0, model.Error{Kind: model.Quota}, false, loop.Delay{}},
	} {
		s := loop.State{Spent: map[string]int{"retry": tc.spent}}
		plan, ok := r.Plan(s, loop.Fault{Kind: loop.FaultKind(tc.err.Kind), Err: &tc.err})
		if ok != tc.ok || plan.Delay != tc.want {
			t.Errorf("%s: got %+v, %t, want %+v, %t", tc.name, plan.Delay, ok, tc.want, tc.ok)
		}
	}
}

// The whole policy as a table: for each fault, which layer acts how often in
// one turn, and what it does.
func TestPolicyTable(t *testing.T) {
	var b bytes.Buffer
	for _, k := range loop.FaultKinds() {
		fmt.Fprintf(&b, "%s\n", k)
		s := loop.State{}
		for range 100 {
			line, next, ok := act(s, loop.Fault{Kind: k})
			if !ok {
				break
			}
			b.WriteString(line)
			s = next
		}
		fmt.Fprintf(&b, "  end\n")
	}
	const golden = "testdata/policy.golden"
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(golden, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(b.Bytes(), want) {
		t.Errorf("the policy has changed; run with -update and explain the difference:\n%s", b.Bytes())
	}
}

// act asks the layers in order and says what the first one with a plan does.
func act(s loop.State, f loop.Fault) (string, loop.State, bool) {
	for _, l := range Default("p/second", "p/third") {
		p, ok := l.Plan(s, f)
		if !ok {
			continue
		}
		spent := map[string]int{}
		for k, v := range s.Spent {
			spent[k] = v
		}
		budget := p.Spend
		if budget == "" {
			budget = l.Name()
		}
		spent[budget]++
		s.Spent = spent
		line := fmt.Sprintf("  %s %d: %s", l.Name(), spent[budget], p.Step)
		if p.Delay.For > 0 {
			line += fmt.Sprintf(" up to %v", p.Delay.For)
		}
		if p.Model != "" {
			line += " on " + p.Model
			s.Model = p.Model
		}
		if p.MaxOutput > 0 {
			line += fmt.Sprintf(" with %d output tokens", p.MaxOutput)
			s.MaxOutput = p.MaxOutput
		}
		if p.Reason != "" {
			line += fmt.Sprintf(" → %s", p.Reason)
		}
		return line + "\n", s, true
	}
	return "", s, false
}
