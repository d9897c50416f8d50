package modeltest

import (
	"crypto/sha256"
	"encoding/json"
	"time"

	"github.com/daruma-dev/daruma/message"
)

// lookBack is how many blocks before a mark the cache looks for an entry.
const lookBack = 20

// promptCache plays the service's prompt cache: a mark writes an entry for all
// that stands before it, and a later request with the same beginning reads it.
// Prompts below the service's minimum are cached too. It is not safe for
// concurrent use.
type promptCache struct{ entries map[hash]time.Time } // until when

// segment is a stretch of the prompt that ends at a tool or block.
type segment struct {
	until  hash
	tokens int64 // from the start
	ttl    time.Duration
}

// spend is what reading the request costs, and fills the cache. total is the
// request's tokens.
func (c *promptCache) spend(r *request, now time.Time) message.Usage {
	segments := r.segments
	last, read := int64(0), int64(0)
	hour := int64(0)
	for i, s := range segments {
		if s.ttl == 0 {
			continue
		}
		last = s.tokens
		if s.ttl == time.Hour {
			hour = s.tokens
		}
		for j := i; j >= 0 && j > i-lookBack; j-- {
			if until, ok := c.entries[segments[j].until]; ok && now.Before(until) {
				read = max(read, segments[j].tokens)
				c.entries[segments[j].until] = now.Add(s.ttl) // reading refreshes
				break
			}
		}
	}
	if c.entries == nil {
		c.entries = map[hash]time.Time{}
	}
	for _, s := range segments {
		if s.ttl > 0 {
			c.entries[s.until] = now.Add(s.ttl)
		}
	}
	return message.Usage{
		Input: r.tokens() - last, CacheRead: read, CacheWrite: last - read, CacheWrite1h: max(0, hour-read),
	}
}

// cut cuts the prompt into pieces in the order in which they are cached.
// What changes how a conversation is read is part of its beginning.
func (r *request) cut() []segment {
	var out []segment
	sum, tokens := sha256.Sum256([]byte(r.model)), int64(requestOverhead)
	add := func(b wireBlock, n int64, role string) {
		sum = sha256.Sum256(append(append(sum[:], role...), b.canon...))
		tokens += n
		out = append(out, segment{until: sum, tokens: tokens, ttl: lifetime(b.mark())})
	}
	for _, b := range r.tools {
		add(b, countTool(b), "")
	}
	for _, b := range r.system {
		add(b, b.tokens, "")
	}
	for _, name := range []string{"tool_choice", "thinking", "output_config"} {
		sum = sha256.Sum256(append(sum[:], r.top.get(name)...))
	}
	for _, m := range r.messages {
		tokens += messageOverhead
		for _, b := range m.blocks {
			add(b, b.tokens, m.role)
		}
	}
	if auto := lifetime(r.top.get("cache_control")); auto > 0 && len(out) > 0 {
		out[len(out)-1].ttl = auto
	}
	return out
}

// lifetime is how long what a mark writes is kept; 0 without a mark.
func lifetime(mark json.RawMessage) time.Duration {
	if mark == nil {
		return 0
	}
	if ttl, _ := checkMark(mark, ""); ttl == "1h" {
		return time.Hour
	}
	return 5 * time.Minute
}

func countTool(b wireBlock) int64 {
	return callOverhead + tokens(len(b.text("name"))+len(b.text("description"))+len(b.get("input_schema")))
}
