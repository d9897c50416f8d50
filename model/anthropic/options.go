package anthropic

import (
	"encoding"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// The defaults of [Options].
const (
	DefaultBaseURL = "https://api.anthropic.com"
	// DefaultIdleTimeout is how long an open reply may be silent. The API
	// promises no period for its pings; minutes of silence mean a dead link.
	DefaultIdleTimeout = 2 * time.Minute
	// DefaultFirstByte is how long the answer may take to begin. Local servers
	// load the model first.
	DefaultFirstByte = 10 * time.Minute
)

// Options say how to reach the server. The zero value reaches
// api.anthropic.com without a key, which answers 401. Printing Options shows
// no secret.
type Options struct {
	Key      string      // sent as x-api-key
	Token    string      // sent as Authorization: Bearer; may be given beside Key
	BaseURL  string      // the server, with or without "/v1" and a trailing slash; empty means DefaultBaseURL
	Headers  http.Header // sent with each request, in place of our own header of that name
	Provider string      // the server's name in errors and in message.Message.Model; empty means "anthropic"
	CAFile   string      // PEM file of certificates to trust beside the system's; read at the first request

	IdleTimeout time.Duration // longest silence inside a reply; 0 means DefaultIdleTimeout, negative no limit
	FirstByte   time.Duration // longest wait for the response header; 0 means DefaultFirstByte, negative no limit

	// Transport carries the requests; nil means one of our own, which follows
	// HTTPS_PROXY and its kin as Go programs do.
	Transport http.RoundTripper
}

// ErrNoKey says that the environment names no credential. It has a method
// Hint() string, which says what to do.
var ErrNoKey error = noKey{}

type noKey struct{}

func (noKey) Error() string { return "no API key for anthropic" }
func (noKey) Hint() string {
	return "set ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN; daruma demo needs none"
}

// FromEnv reads the variables that people already export for this API:
// ANTHROPIC_API_KEY, ANTHROPIC_AUTH_TOKEN, ANTHROPIC_BASE_URL,
// ANTHROPIC_CUSTOM_HEADERS (lines "Name: value") and NODE_EXTRA_CA_CERTS. An
// empty variable counts as unset. Without any credential the error is
// [ErrNoKey] and the other options are good. No error shows a value.
func FromEnv(getenv func(string) string) (Options, error) {
	o := Options{
		Key:     strings.TrimSpace(getenv("ANTHROPIC_API_KEY")),
		Token:   strings.TrimSpace(getenv("ANTHROPIC_AUTH_TOKEN")),
		BaseURL: strings.TrimSpace(getenv("ANTHROPIC_BASE_URL")),
		CAFile:  strings.TrimSpace(getenv("NODE_EXTRA_CA_CERTS")),
	}
	if o.CAFile == getenv("SSL_CERT_FILE") {
		o.CAFile = "" // Go reads that one itself
	}
	if _, err := endpoint(o.BaseURL); err != nil {
		return o, fmt.Errorf("ANTHROPIC_BASE_URL: %w", err)
	}
	var err error
	if o.Headers, err = parseHeaders(getenv("ANTHROPIC_CUSTOM_HEADERS")); err != nil {
		return o, fmt.Errorf("ANTHROPIC_CUSTOM_HEADERS: %w", err)
	}
	if o.Key == "" && o.Token == "" && o.Headers.Get("Authorization") == "" && o.Headers.Get("X-Api-Key") == "" {
		return o, ErrNoKey
	}
	return o, nil
}

// endpoint is the URL below which the API's paths lie.
func endpoint(base string) (*url.URL, error) {
	if base == "" {
		base = DefaultBaseURL
	}
	u, err := url.Parse(base)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return nil, fmt.Errorf("the base URL must look like %s", DefaultBaseURL)
	}
	u.Path = strings.TrimSuffix(strings.TrimRight(u.Path, "/"), "/v1")
	u.RawPath = ""
	return u, nil
}

// parseHeaders reads lines "Name: value".
func parseHeaders(text string) (http.Header, error) {
	var h http.Header
	n := 0
	for line := range strings.Lines(text) {
		n++
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		name, value, ok := strings.Cut(line, ":")
		if name = strings.TrimSpace(name); !ok || !isToken(name) {
			return nil, fmt.Errorf("line %d is not of the form Name: value", n)
		}
		if h == nil {
			h = http.Header{}
		}
		h.Add(name, strings.TrimSpace(value))
	}
	return h, nil
}

// isToken reports whether s may be the name of a header (RFC 9110 §5.6.2).
func isToken(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return r <= ' ' || r >= 0x7f || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, r)
	})
}

var (
	_ fmt.Formatter          = Options{}
	_ encoding.TextMarshaler = Options{}
)

// Format writes the options without secrets, whatever the verb.
func (o Options) Format(s fmt.State, _ rune) { io.WriteString(s, o.describe()) }

// MarshalText is what JSON and structured logs show of the options.
func (o Options) MarshalText() ([]byte, error) { return []byte(o.describe()), nil }

func (o Options) describe() string {
	base := DefaultBaseURL
	if u, err := endpoint(o.BaseURL); err == nil {
		u.User, u.RawQuery, u.Fragment = nil, "", ""
		base = u.String()
	}
	names := make([]string, 0, len(o.Headers))
	for name := range o.Headers {
		names = append(names, name)
	}
	slices.Sort(names)
	return fmt.Sprintf("anthropic.Options{base: %s, key: %t, token: %t, headers: %s}", base, o.Key != "", o.Token != "", strings.Join(names, ","))
}

// secrets are the strings that must not appear in any error.
func (o Options) secrets() []string {
	all := []string{o.Key, o.Token}
	for name, values := range o.Headers {
		if secretHeader(name) {
			for _, v := range values {
				_, bare, _ := strings.Cut(v, " ") // without "Bearer "
				all = append(all, v, bare)
			}
		}
	}
	if u, err := endpoint(o.BaseURL); err == nil && u.User != nil {
		if pw, ok := u.User.Password(); ok {
			all = append(all, pw, u.User.String())
		}
	}
	// Longest first, so that a part is not cut out of a longer one. A string
	// of a few letters is no secret but would tear holes into every message.
	all = slices.DeleteFunc(all, func(s string) bool { return len(s) < 6 })
	slices.SortFunc(all, func(a, b string) int { return len(b) - len(a) })
	return all
}

// secretHeader reports whether a header of this name carries a credential.
func secretHeader(name string) bool {
	name = strings.ToLower(name)
	for _, part := range []string{"auth", "key", "token", "secret", "cookie", "password"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}
