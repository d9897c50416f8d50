package modeltest

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/daruma-dev/daruma/message"
)

// cacheBody is a request with a marked system prompt of 100 tokens and a
// conversation of so many messages, 14 tokens each, that is marked at its end.
func cacheBody(messages int, more string) string {
	var ms []string
	for i := range messages {
		role := "user"
		if i%2 == 1 {
			role = "assistant"
		}
		ms = append(ms, fmt.Sprintf(`{"role":%q,"content":"%s"}`, role, fmt.Sprintf("%-40d", i)))
	}
	return `{"model":"m","max_tokens":1,"system":[{"type":"text","text":"` + strings.Repeat("s", 400) +
		`","cache_control":{"type":"ephemeral"}}],"messages":[` + strings.Join(ms, ",") + `]` + more + `}`
}

func TestCache(t *testing.T) {
	const auto = `,"cache_control":{"type":"ephemeral"}`
	type ask struct {
		after time.Duration
		body  string
		want  message.Usage
	}
	tests := []struct {
		name string
		asks []ask
	}{
		{name: "without a mark at the end only the system prompt is written", asks: []ask{
			{body: cacheBody(1, ""), want: message.Usage{Input: 14, CacheWrite: 108}},
			{body: cacheBody(3, ""), want: message.Usage{Input: 42, CacheRead: 108}},
		}},
		{name: "a longer conversation reads the shorter one", asks: []ask{
			{body: cacheBody(1, auto), want: message.Usage{CacheWrite: 122}},
			{body: cacheBody(3, auto), want: message.Usage{CacheRead: 122, CacheWrite: 28}},
			{body: cacheBody(3, auto), want: message.Usage{CacheRead: 150}},
		}},
		{name: "another effort loses the conversation and keeps the system prompt", asks: []ask{
			{body: cacheBody(1, auto), want: message.Usage{CacheWrite: 122}},
			{body: cacheBody(1, auto+`,"output_config":{"effort":"low"}`), want: message.Usage{CacheRead: 108, CacheWrite: 14}},
		}},
		{name: "an entry lives for five minutes after it was read", asks: []ask{
			{body: cacheBody(1, auto), want: message.Usage{CacheWrite: 122}},
			{after: 4 * time.Minute, body: cacheBody(3, auto), want: message.Usage{CacheRead: 122, CacheWrite: 28}},
			{after: 4 * time.Minute, body: cacheBody(1, auto), want: message.Usage{CacheRead: 122}},
			{after: 6 * time.Minute, body: cacheBody(1, auto), want: message.Usage{CacheWrite: 122}},
		}},
		{name: "an hour costs more and lives longer", asks: []ask{
			{
				body: strings.ReplaceAll(cacheBody(1, auto), `"ephemeral"`, `"ephemeral","ttl":"1h"`),
				want: message.Usage{CacheWrite: 122, CacheWrite1h: 122},
			},
			{after: 50 * time.Minute, body: cacheBody(1, auto), want: message.Usage{CacheRead: 122}},
		}},
		{name: "an entry more than 20 blocks back is not found", asks: []ask{
			{body: cacheBody(1, auto), want: message.Usage{CacheWrite: 122}},
			{body: cacheBody(23, auto), want: message.Usage{CacheRead: 108, CacheWrite: 23 * 14}},
			{body: cacheBody(41, auto), want: message.Usage{CacheRead: 108 + 23*14, CacheWrite: 18 * 14}},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, now := newChecker(Options{}), time.Unix(0, 0)
			for i, a := range tt.asks {
				r, err := c.check([]byte(a.body), http.Header{}, false)
				if err != nil {
					t.Fatal(err)
				}
				now = now.Add(a.after)
				got := c.cache.spend(r, now)
				if got != a.want {
					t.Errorf("request %d: got %+v\nwant %+v", i+1, got, a.want)
				}
			}
		})
	}
}
