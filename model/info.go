package model

import (
	"strings"

	"github.com/daruma-dev/daruma/message"
)

// Info is what is known about a model without asking its server. The zero
// value of a field means unknown.
type Info struct {
	Provider  string
	ID        string
	Window    int64 // tokens, input and output together
	MaxOutput int64 // tokens
	Price     Price
}

// Price is in US dollars per million tokens. A zero Price is unknown, not free.
type Price struct {
	Input, Output, CacheRead, CacheWrite, CacheWrite1h float64
}

// Known reports whether there is a price at all.
func (p Price) Known() bool { return p.Input != 0 || p.Output != 0 }

// Cost is what a usage costs in US dollars. It is 0, false when the price is
// unknown.
func (p Price) Cost(u message.Usage) (float64, bool) {
	if !p.Known() {
		return 0, false
	}
	short := u.CacheWrite - u.CacheWrite1h
	sum := float64(u.Input)*p.Input + float64(u.Output)*p.Output + float64(u.CacheRead)*p.CacheRead +
		float64(short)*p.CacheWrite + float64(u.CacheWrite1h)*p.CacheWrite1h
	return sum / 1e6, true
}

// Split parts "provider/model" at its first slash. A name without one has no
// provider.
func Split(name string) (provider, id string) {
	if p, m, ok := strings.Cut(name, "/"); ok {
		return p, m
	}
	return "", name
}
