package message

// Usage is what one reply cost, in tokens, as its provider reported it.
// Total input is Input + CacheRead + CacheWrite.
type Usage struct {
	Input        int64 `json:"input"`       // not from and not to the cache
	Output       int64 `json:"output"`      // with thinking
	CacheRead    int64 `json:"cache_read"`  // served from the prompt cache
	CacheWrite   int64 `json:"cache_write"` // newly written to it, any lifetime
	CacheWrite1h int64 `json:"cache_write_1h,omitempty"`
	Thinking     int64 `json:"thinking,omitempty"` // share of Output spent thinking
}

// Add is the sum of two usages.
func (u Usage) Add(v Usage) Usage {
	return Usage{
		Input: u.Input + v.Input, Output: u.Output + v.Output,
		CacheRead: u.CacheRead + v.CacheRead, CacheWrite: u.CacheWrite + v.CacheWrite,
		CacheWrite1h: u.CacheWrite1h + v.CacheWrite1h, Thinking: u.Thinking + v.Thinking,
	}
}

// TotalInput is everything the model read.
func (u Usage) TotalInput() int64 { return u.Input + u.CacheRead + u.CacheWrite }

// Total is everything the model read and wrote: the size of the conversation
// right after the reply.
func (u Usage) Total() int64 { return u.TotalInput() + u.Output }
