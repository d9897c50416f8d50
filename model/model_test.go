package model

import (
	"errors"
	"io"
	"testing"

	"github.com/daruma-dev/daruma/message"
)

func TestEveryKindIsTransientOrNot(t *testing.T) {
	transient := 0
	for _, k := range Kinds() {
		if k.Transient() { // panics for a kind it does not know
			transient++
		}
	}
	if transient != 9 {
		t.Errorf("%d kinds are transient, want 9", transient)
	}
}

func TestErrorIsOneLineForPeople(t *testing.T) {
	for _, tc := range []struct {
		err  Error
		want string
	}{
		{Error{Kind: Overloaded, Provider: "anthropic", Status: 529, Message: "Overloaded"}, "anthropic: overloaded (HTTP 529): Overloaded"},
		{Error{Kind: RateLimited, Status: 200}, "rate limited"},
		{Error{Kind: Network, Provider: "x", Err: io.ErrUnexpectedEOF}, "x: network: unexpected EOF"},
	} {
		if got := tc.err.Error(); got != tc.want {
			t.Errorf("got %q, want %q", got, tc.want)
		}
	}
	if !errors.Is(&Error{Kind: Cut, Err: io.EOF}, io.EOF) {
		t.Error("the cause is not unwrapped")
	}
}

func TestLookup(t *testing.T) {
	for _, tc := range []struct {
		name, id string
		window   int64
		priced   bool
	}{
		{"anthropic/claude-opus-5-5", "claude-opus-5-5", 1_000_000, true},
		{"anthropic/claude-opus-5", "claude-opus-5", 1_000_000, true},
		{"anthropic/claude-haiku-4-5-20251001", "claude-haiku-4-5-20251001", 200_000, true},
		{"anthropic/claude-haiku-5-5", "claude-haiku-5-5", 1_000_000, false},
		{"anthropic/claude-opus-50", "claude-opus-50", 0, false},
		{"local/llama", "llama", 0, false},
		{"bare", "bare", 0, false},
	} {
		in := Lookup(tc.name)
		if in.ID != tc.id || in.Window != tc.window || in.Price.Known() != tc.priced {
			t.Errorf("Lookup(%q) = %+v", tc.name, in)
		}
	}
	if a, b := Lookup("anthropic/claude-opus-5-5").Price.Input, Lookup("anthropic/claude-opus-5").Price.Input; a != 4 || b != 5 {
		t.Errorf("prices %v and %v: a longer name must win over its prefix", a, b)
	}
}

func TestCost(t *testing.T) {
	p := anthropicPrice(4, 20, 0.20)
	u := message.Usage{Input: 1_000_000, Output: 100_000, CacheRead: 1_000_000, CacheWrite: 1_000_000, CacheWrite1h: 500_000}
	if got, ok := p.Cost(u); !ok || got < 12.69999 || got > 12.70001 { // 4 + 2 + 0.2 + 2.5 + 4
		t.Errorf("Cost = %v, %t", got, ok)
	}
	if _, ok := (Price{}).Cost(u); ok {
		t.Error("an unknown price was taken for a known one")
	}
}
