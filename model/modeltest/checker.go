package modeltest

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/daruma-dev/daruma/model"
)

// checker refuses requests as the service does, in about its words, and knows
// what the cache holds. It remembers what was sent in replies, so that it can
// tell whether blocks come back as they went. It may be used by many
// goroutines.
type checker struct {
	options Options
	issued  ledger

	mu     sync.Mutex
	cache  promptCache
	before []remembered // the messages of the request before
}

// remembered is a message that passed the checks of its blocks. Conversations
// only grow, so nearly all of each request has been seen in the one before.
type remembered struct {
	raw     json.RawMessage
	version string
	message wireMessage
}

func newChecker(o Options) *checker {
	if o.MaxBody == 0 {
		o.MaxBody = maxBody
	}
	if o.MaxImageBytes == 0 {
		o.MaxImageBytes = maxImageBytes
	}
	return &checker{options: o}
}

// check refuses a body or takes it apart.
func (c *checker) check(body []byte, h http.Header, counting bool) (*request, error) {
	if err := checkJSON(body); err != nil {
		return nil, err
	}
	r, err := c.read(body, h.Get("Anthropic-Version"))
	if err != nil {
		return nil, err
	}
	r.betas, r.counting = h.Get("Anthropic-Beta"), counting
	for _, rule := range []func(*request) error{
		c.checkTop, checkSettings, checkTools, checkSystem, c.checkRoles, checkPairs, checkServerCalls, checkMarks,
		c.checkMedia, c.checkThinking,
	} {
		if err := rule(r); err != nil {
			return nil, err
		}
	}
	r.segments = r.cut()
	return r, nil
}

// read takes a request apart and checks each block for itself.
func (c *checker) read(body []byte, version string) (*request, error) {
	c.mu.Lock()
	before := c.before
	c.mu.Unlock()
	var now []remembered
	r, err := readRequest(body, func(i int, raw json.RawMessage) (wireMessage, error) {
		if i < len(before) && before[i].version == version && bytes.Equal(before[i].raw, raw) {
			now = append(now, before[i])
			return before[i].message, nil
		}
		raw = bytes.Clone(raw) // so that what is remembered does not keep the whole body
		m, err := readMessage(i, raw)
		if err == nil {
			err = c.checkBlocks(m, version)
		}
		now = append(now, remembered{raw, version, m})
		return m, err
	})
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	c.before = now
	c.mu.Unlock()
	r.version = version
	if c.options.AllowMerge {
		r.messages = merged(r.messages)
	}
	return r, nil
}

// checkWindow refuses a request with more tokens than fit.
func (c *checker) checkWindow(tokens int64) error {
	if c.options.Window > 0 && tokens > c.options.Window {
		return &refusal{Failure: tooLong(tokens, c.options.Window), limit: true}
	}
	return nil
}

// topFields are the members every request may have.
var topFields = []string{
	"model", "max_tokens", "messages", "system", "tools", "tool_choice", "stream", "stop_sequences", "metadata",
	"thinking", "output_config", "cache_control", "diagnostics", "service_tier", "speed", "inference_geo", "container",
}

// betaFields are the members that need a beta, named by the start of its name.
// Those with an empty one need any.
var betaFields = []struct{ name, beta string }{
	{"context_management", "context-management-"},
	{"context_management", "compact-"},
	{"compaction", "compact-"},
	{"thread", "message-threads-"},
	{"fallbacks", "server-side-fallback-"},
	{"fallback_credit_token", "server-side-fallback-"},
	{"mcp_servers", "mcp-client-"},
	{"billing_policy", ""},
}

// checkTop checks that the members of the request are there and known.
func (c *checker) checkTop(r *request) error {
	for _, f := range r.top {
		switch {
		case f.name == "temperature" || f.name == "top_p" || f.name == "top_k":
			return wrong("`%s` is not supported for this model.", f.name)
		case r.counting && (f.name == "max_tokens" || f.name == "stream"):
			return at(f.name, "Extra inputs are not permitted")
		case !slices.Contains(topFields, f.name) && !r.beta(f.name):
			return at(f.name, "Extra inputs are not permitted")
		}
	}
	if err := needText(r.top, "", "model"); err != nil || r.model == "" {
		return wrong("model: Field required")
	}
	if len(c.options.Models) > 0 && !slices.Contains(c.options.Models, r.model) {
		return unknownModel(r.model)
	}
	if !r.counting {
		return checkMaxTokens(r)
	}
	return nil
}

// beta reports whether a member is allowed by a beta the request asked for.
func (r *request) beta(name string) bool {
	for _, b := range strings.Split(r.betas, ",") {
		for _, f := range betaFields {
			if f.name == name && b != "" && strings.HasPrefix(strings.TrimSpace(b), f.beta) {
				return true
			}
		}
	}
	return false
}

func checkMaxTokens(r *request) error {
	v := r.top.get("max_tokens")
	if v == nil {
		return at("max_tokens", "Field required")
	}
	n, ok := integer(v)
	if !ok {
		return at("max_tokens", "Input should be a valid integer")
	}
	limit := model.Lookup("anthropic/" + r.model).MaxOutput
	switch {
	case n < 0:
		return at("max_tokens", "Input should be greater than or equal to 0")
	case limit > 0 && n > limit:
		return at("max_tokens", "%d > %d, which is the maximum allowed number of output tokens for %s", n, limit, r.model)
	}
	return nil
}
