package config

import "time"

// Settings are what files can set. The zero value of a field means that no file
// says anything about it.
type Settings struct {
	Model     string   // "provider/model"
	Fallbacks []string // models, in order
	Effort    string

	Mode    string   // permission mode
	Allow   []string // permission rules
	Ask     []string
	Deny    []string
	AddDirs []string // as they are written; relative ones are the caller's to resolve

	MaxTurns    int
	TokenBudget int64   // output tokens of a run
	MaxCost     float64 // US dollars a run
	MaxOutput   int64   // output tokens of a request

	FirstByteTimeout time.Duration // negative: no limit
	IdleTimeout      time.Duration // negative: no limit
	Early            string        // which calls may start while the reply streams

	Models map[string]Model // by "provider/model"

	AppendSystem string
}

// Model is what the user knows about a model. Zero means nothing.
type Model struct {
	Window    int64 // tokens
	MaxOutput int64 // tokens
	Price     Price
}

// Price is in US dollars per million tokens.
type Price struct {
	Input, Output, CacheRead, CacheWrite, CacheWrite1h float64
}

// Error is a mistake in the settings: one sentence, and what to do about it.
type Error struct {
	Text string
	Hint string
	Err  error // the cause below; may be nil
}

func (e *Error) Error() string { return e.Text }

// Unwrap gives the cause below.
func (e *Error) Unwrap() error { return e.Err }
