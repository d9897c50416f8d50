package loop

import "github.com/daruma-dev/daruma/model"

// Machine holds what the loop decides by. It has no memory and touches nothing:
// its methods are pure, so one Machine may serve many sessions at once. It is
// not changed after its first use.
type Machine struct {
	Model  string // "provider/model"
	Tools  []model.Tool
	Stages []Stage // prepare.Default
	Layers []Layer // recovery.Default
	Limits Limits
	Effort string // see model.Request
	// Info tells what is known about a model; nil means model.Lookup.
	Info func(name string) model.Info
}

// Limits bound a run. The zero value of a field means no limit or the default
// that is named.
type Limits struct {
	MaxTurns int // model replies of a run
	// MaxOutput is the output limit of a request in tokens; 0 means
	// model.DefaultMaxTokens.
	MaxOutput int64
	// TokenBudget is how many output tokens a run is meant to use: the model
	// is nudged to go on below 90 % of it, and the run ends at 100 %.
	TokenBudget int64
	MaxCost     float64 // US dollars a run; it ends when they are reached
	// Objections is how many times in a row a stop hook may object; 0 means
	// DefaultObjections.
	Objections int
}

// DefaultObjections ends a stop hook that always objects. Eight is more than a
// hook with a reason has needed, and few enough to notice.
const DefaultObjections = 8

// Note is what a stage did to the view, for the trace.
type Note struct {
	Stage string `json:"stage"`
	Text  string `json:"text"`
	Freed int64  `json:"freed,omitempty"` // tokens
}

// info is what is known about a model, with what servers told since.
func (m *Machine) info(s State, name string) model.Info {
	in := m.lookup()(name)
	if w := s.Windows[name]; w > 0 {
		in.Window = w
	}
	return in
}

func (m *Machine) lookup() func(string) model.Info {
	if m.Info != nil {
		return m.Info
	}
	return model.Lookup
}

// model is the model of the turn.
func (m *Machine) model(s State) string {
	if s.Model != "" {
		return s.Model
	}
	return m.Model
}

// maxOutput is the output limit of the next request.
func (m *Machine) maxOutput(s State, in model.Info) int64 {
	n := m.Limits.MaxOutput
	if n == 0 {
		n = model.DefaultMaxTokens
	}
	if s.MaxOutput > 0 {
		n = s.MaxOutput
	}
	if in.MaxOutput > 0 {
		n = min(n, in.MaxOutput)
	}
	return n
}

func (m *Machine) objections() int {
	if m.Limits.Objections > 0 {
		return m.Limits.Objections
	}
	return DefaultObjections
}
