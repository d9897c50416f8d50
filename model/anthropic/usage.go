package anthropic

import "github.com/daruma-dev/daruma/message"

// wireUsage is a usage report. A figure that is absent says nothing, so the
// fields are pointers.
type wireUsage struct {
	Input      *int64 `json:"input_tokens"`
	Output     *int64 `json:"output_tokens"`
	CacheRead  *int64 `json:"cache_read_input_tokens"`
	CacheWrite *int64 `json:"cache_creation_input_tokens"`
	Creation   struct {
		Hour *int64 `json:"ephemeral_1h_input_tokens"`
	} `json:"cache_creation"`
	Details struct {
		Thinking *int64 `json:"thinking_tokens"`
	} `json:"output_tokens_details"`
}

// usage is what is known of a reply's usage.
type usage struct{ tokens message.Usage }

// add takes in a report. Figures are totals of the whole reply, so a later one
// replaces an earlier one.
func (u *usage) add(w wireUsage) {
	for _, f := range []struct {
		to   *int64
		from *int64
	}{
		{&u.tokens.Input, w.Input},
		{&u.tokens.Output, w.Output},
		{&u.tokens.CacheRead, w.CacheRead},
		{&u.tokens.CacheWrite, w.CacheWrite},
		{&u.tokens.CacheWrite1h, w.Creation.Hour},
		{&u.tokens.Thinking, w.Details.Thinking},
	} {
		if f.from != nil {
			*f.to = *f.from
		}
	}
}

// whole is the usage at the end of the reply, or nil when the server did not
// tell: a reply without a single token does not exist.
func (u *usage) whole() *message.Usage {
	if u.tokens.Total() == 0 {
		return nil
	}
	t := u.tokens
	return &t
}
