package loop

import (
	"slices"

	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/model"
)

// The causes of requests. A recovery layer may add its own.
const (
	CauseTurn   = "turn"
	CauseRetry  = "retry"
	CauseHook   = "hook"
	CauseBudget = "budget"
)

// Tally is what requests have cost, one line for each cause and model. It is
// replaced, never written in place.
type Tally []Charge

// Charge is one line of a Tally.
type Charge struct {
	Cause    string        `json:"cause"`
	Model    string        `json:"model"`
	Requests int           `json:"requests"`
	Usage    message.Usage `json:"usage"`
	// Waste is the part of Usage.Output that was thrown away.
	Waste int64 `json:"waste,omitempty"`
	// Unreported counts the requests whose usage the provider did not tell.
	Unreported int `json:"unreported,omitempty"`
}

// Charge is t with one more request. A nil usage is counted as unreported.
func (t Tally) Charge(cause, mdl string, u *message.Usage, wasted bool) Tally {
	t = slices.Clone(t)
	i := slices.IndexFunc(t, func(c Charge) bool { return c.Cause == cause && c.Model == mdl })
	if i < 0 {
		t = append(t, Charge{Cause: cause, Model: mdl})
		i = len(t) - 1
	}
	t[i].Requests++
	if u == nil {
		t[i].Unreported++
		return t
	}
	t[i].Usage = t[i].Usage.Add(*u)
	if wasted {
		t[i].Waste += u.Output
	}
	return t
}

// Since is what was added to t after base.
func (t Tally) Since(base Tally) Tally {
	var out Tally
	for _, c := range t {
		i := slices.IndexFunc(base, func(b Charge) bool { return b.Cause == c.Cause && b.Model == c.Model })
		if i >= 0 {
			b := base[i]
			c.Requests -= b.Requests
			c.Usage = c.Usage.Add(negative(b.Usage))
			c.Waste -= b.Waste
			c.Unreported -= b.Unreported
		}
		if c.Requests > 0 {
			out = append(out, c)
		}
	}
	return out
}

func negative(u message.Usage) message.Usage {
	return message.Usage{
		Input: -u.Input, Output: -u.Output, CacheRead: -u.CacheRead, CacheWrite: -u.CacheWrite,
		CacheWrite1h: -u.CacheWrite1h, Thinking: -u.Thinking,
	}
}

// Usage is the sum over all lines.
func (t Tally) Usage() message.Usage {
	var u message.Usage
	for _, c := range t {
		u = u.Add(c.Usage)
	}
	return u
}

// Cost is the sum in US dollars. It is false when a price or a usage is not
// known; the sum then holds what is.
func (t Tally) Cost(info func(string) model.Info) (usd float64, known bool) {
	known = true
	for _, c := range t {
		cost, ok := info(c.Model).Price.Cost(c.Usage)
		usd += cost
		known = known && ok && c.Unreported == 0
	}
	return usd, known
}
