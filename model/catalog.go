package model

import "strings"

// anthropicPrice derives the cache prices from the input price: a write costs
// 1.25 times the input for five minutes and twice for an hour.
func anthropicPrice(in, out, read float64) Price {
	return Price{Input: in, Output: out, CacheRead: read, CacheWrite: in * 1.25, CacheWrite1h: in * 2}
}

// catalog lists the models whose limits and prices we know, as of November
// 2026. The first match by prefix wins, so longer names stand first and dated
// snapshots share their line. Servers know better: what they report overrides
// this table.
var catalog = []Info{
	{"anthropic", "claude-fable-5-2", 1_000_000, 128_000, anthropicPrice(8, 40, 0.80)},
	{"anthropic", "claude-fable-5-1", 1_000_000, 128_000, anthropicPrice(10, 50, 1.00)},
	{"anthropic", "claude-opus-5-5", 1_000_000, 128_000, anthropicPrice(4, 20, 0.20)},
	{"anthropic", "claude-sonnet-5-5", 1_000_000, 128_000, anthropicPrice(2, 10, 0.20)},
	{"anthropic", "claude-haiku-5-5", 1_000_000, 128_000, Price{}}, // priced in tiers we do not know
	{"anthropic", "claude-opus-5", 1_000_000, 128_000, anthropicPrice(5, 25, 0.50)},
	{"anthropic", "claude-sonnet-5", 1_000_000, 128_000, anthropicPrice(2, 10, 0.20)},
	{"anthropic", "claude-opus-4-8", 1_000_000, 128_000, anthropicPrice(5, 25, 0.50)},
	{"anthropic", "claude-opus-4-7", 1_000_000, 128_000, anthropicPrice(5, 25, 0.50)},
	{"anthropic", "claude-opus-4-6", 1_000_000, 128_000, anthropicPrice(5, 25, 0.50)},
	{"anthropic", "claude-sonnet-4-6", 1_000_000, 128_000, anthropicPrice(3, 15, 0.30)},
	{"anthropic", "claude-haiku-4-5", 200_000, 64_000, anthropicPrice(1, 5, 0.10)},
	{"anthropic", "claude-opus-4-5", 200_000, 64_000, anthropicPrice(5, 25, 0.50)},
	{"anthropic", "claude-sonnet-4-5", 200_000, 64_000, anthropicPrice(3, 15, 0.30)},
}

// Lookup finds what is known about "provider/model". A model we have no line
// for gets its provider and id alone, so its window and price are unknown.
func Lookup(name string) Info {
	provider, id := Split(name)
	for _, in := range catalog {
		if in.Provider == provider && (id == in.ID || strings.HasPrefix(id, in.ID+"-2")) {
			in.ID = id
			return in
		}
	}
	return Info{Provider: provider, ID: id}
}

// Known lists the catalogue's models as "provider/model", in its order.
func Known() []string {
	names := make([]string, len(catalog))
	for i, in := range catalog {
		names[i] = in.Provider + "/" + in.ID
	}
	return names
}
