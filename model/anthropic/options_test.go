package anthropic

import (
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/daruma-dev/daruma/model"
)

func env(m map[string]string) func(string) string { return func(k string) string { return m[k] } }

func TestFromEnv(t *testing.T) {
	for _, tt := range []struct {
		name string
		env  map[string]string
		want Options
		err  string
	}{
		{name: "key", env: map[string]string{"ANTHROPIC_API_KEY": " sk-1\n"}, want: Options{Key: "sk-1"}},
		{name: "token and base", env: map[string]string{"ANTHROPIC_AUTH_TOKEN": "tok", "ANTHROPIC_BASE_URL": "http://localhost:11434/"}, want: Options{Token: "tok", BaseURL: "http://localhost:11434/"}},
		{name: "empty is unset", env: map[string]string{"ANTHROPIC_API_KEY": "", "ANTHROPIC_AUTH_TOKEN": " ", "ANTHROPIC_BASE_URL": ""}, err: "no API key for anthropic"},
		{name: "nothing", err: "no API key for anthropic"},
		{name: "headers", env: map[string]string{"ANTHROPIC_API_KEY": "k", "ANTHROPIC_CUSTOM_HEADERS": "X-A: 1\r\n\n x-b :2: 3\nX-A:4"}, want: Options{Key: "k", Headers: http.Header{"X-A": {"1", "4"}, "X-B": {"2: 3"}}}},
		{name: "a header can be the credential", env: map[string]string{"ANTHROPIC_CUSTOM_HEADERS": "authorization: Basic eA=="}, want: Options{Headers: http.Header{"Authorization": {"Basic eA=="}}}},
		{name: "a bad header", env: map[string]string{"ANTHROPIC_API_KEY": "k", "ANTHROPIC_CUSTOM_HEADERS": "X-A: 1\nsecret words"}, want: Options{Key: "k"}, err: "ANTHROPIC_CUSTOM_HEADERS: line 2 is not of the form Name: value"},
		{name: "a bad header name", env: map[string]string{"ANTHROPIC_API_KEY": "k", "ANTHROPIC_CUSTOM_HEADERS": "X A: 1"}, want: Options{Key: "k"}, err: "ANTHROPIC_CUSTOM_HEADERS: line 1 is not of the form Name: value"},
		{name: "a base without a scheme", env: map[string]string{"ANTHROPIC_API_KEY": "k", "ANTHROPIC_BASE_URL": "user:pass@host"}, want: Options{Key: "k", BaseURL: "user:pass@host"}, err: "ANTHROPIC_BASE_URL: the base URL must look like https://api.anthropic.com"},
		{name: "certificates", env: map[string]string{"ANTHROPIC_API_KEY": "k", "NODE_EXTRA_CA_CERTS": "/no/such/file"}, want: Options{Key: "k", CAFile: "/no/such/file"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := FromEnv(env(tt.env))
			if d := cmp.Diff(tt.want, got, cmpopts.EquateEmpty()); d != "" {
				t.Errorf("options (-want +got):\n%s", d)
			}
			if msg := strings.TrimPrefix(fmt.Sprint(err), "<nil>"); msg != tt.err {
				t.Errorf("error = %q, want %q", msg, tt.err)
			}
		})
	}
}

func TestErrNoKeyHasAHint(t *testing.T) {
	_, err := FromEnv(env(nil))
	var h interface{ Hint() string }
	if !errors.Is(err, ErrNoKey) || !errors.As(err, &h) || !strings.Contains(h.Hint(), "ANTHROPIC_API_KEY") {
		t.Errorf("error = %v", err)
	}
}

// request is what a server sees of a request.
type request struct {
	Method, URL, Host string
	Header            map[string]string
	Length            int64
	Encoding          []string
}

func TestRequest(t *testing.T) {
	var got request
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = request{r.Method, r.URL.String(), r.Host, map[string]string{}, r.ContentLength, r.TransferEncoding}
		for k, v := range r.Header {
			got.Header[k] = strings.Join(v, " | ")
		}
		io.Copy(io.Discard, r.Body)
		w.WriteHeader(500)
	}))
	defer s.Close()
	size := New(Options{}).streamBody(hello()).size
	usual := func(more ...string) map[string]string {
		h := map[string]string{
			"Accept": "text/event-stream, application/json", "Anthropic-Version": "2023-06-01", "Content-Length": fmt.Sprint(size),
			"Content-Type": "application/json", "User-Agent": "daruma",
		}
		for i := 0; i < len(more); i += 2 {
			h[more[i]] = more[i+1]
		}
		return h
	}
	host := strings.TrimPrefix(s.URL, "http://")
	for _, tt := range []struct {
		name string
		opts Options
		want request
	}{
		{"key", Options{Key: "k", BaseURL: s.URL}, request{"POST", "/v1/messages", host, usual("X-Api-Key", "k"), size, nil}},
		{"token, trailing slash", Options{Token: "t", BaseURL: s.URL + "/"}, request{"POST", "/v1/messages", host, usual("Authorization", "Bearer t"), size, nil}},
		{"below a path", Options{BaseURL: s.URL + "/a%20b/anthropic//"}, request{"POST", "/a%20b/anthropic/v1/messages", host, usual(), size, nil}},
		{"v1 in the base, a query", Options{BaseURL: s.URL + "/v1/?api-version=3"}, request{"POST", "/v1/messages?api-version=3", host, usual(), size, nil}},
		{
			"headers of one's own come last",
			Options{Key: "k", BaseURL: s.URL, Headers: http.Header{"x-api-key": {"mine"}, "anthropic-beta": {"a", "b"}, "Host": {"other"}}},
			request{"POST", "/v1/messages", "other", usual("X-Api-Key", "mine", "Anthropic-Beta", "a | b"), size, nil},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			run(New(tt.opts), hello())
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("request (-want +got):\n%s", d)
			}
		})
	}
}

const secret = "sk-ant-0123456789"

// No way of printing shows a credential.
func TestNothingPrintsSecrets(t *testing.T) {
	o := Options{
		Key: secret, Token: "tok-" + secret, BaseURL: "https://user:pw-" + secret + "@host/x?key=" + secret,
		Headers: http.Header{"Authorization": {"Bearer " + secret}, "X-Note": {secret}},
	}
	c := New(o)
	held := struct {
		o any
		c *Client
	}{c: c}
	var logged strings.Builder
	slog.New(slog.NewTextHandler(&logged, nil)).Info("x", "options", o, "client", c)
	slog.New(slog.NewJSONHandler(&logged, nil)).Info("x", "options", o, "client", c)
	all := []string{logged.String(), fmt.Sprint(o, c), fmt.Sprintln(&o)}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d", "%T"} {
		all = append(all, fmt.Sprintf(verb, o), fmt.Sprintf(verb, &o), fmt.Sprintf(verb, c), fmt.Sprintf(verb, held))
	}
	j, err := json.Marshal(map[string]any{"o": o, "c": c})
	if err != nil {
		t.Error(err)
	}
	for _, s := range append(all, string(j)) {
		if strings.Contains(s, secret) || strings.Contains(s, fmt.Sprintf("%x", secret)) {
			t.Errorf("a secret is printed: %s", s)
		}
	}
	want := "anthropic.Options{base: https://host/x, key: true, token: true, headers: Authorization,X-Note}"
	if got := fmt.Sprint(o); got != want {
		t.Errorf("options print as %q, want %q", got, want)
	}
}

// Servers and proxies repeat what they were sent; errors do not.
func TestErrorsShowNoSecrets(t *testing.T) {
	echo := func(status int, kind string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", kind)
			w.WriteHeader(status)
			fmt.Fprintf(w, "event: error\ndata: {\"error\":{\"message\":\"invalid %s %s\"}}\n\n", r.Header.Get("X-Api-Key"), r.Header.Get("Authorization"))
		}
	}
	for _, h := range []http.HandlerFunc{echo(401, "application/json"), echo(200, "text/event-stream"), echo(200, "text/html")} {
		s := httptest.NewServer(h)
		base := strings.Replace(s.URL, "http://", "http://user:pw-"+secret+"@", 1)
		_, err := run(New(Options{Key: secret, Token: "tok-" + secret, BaseURL: base}), hello())
		s.Close()
		_, refused := run(New(Options{Key: secret, BaseURL: base}), hello())
		for _, e := range []*model.Error{err, refused} {
			if all := fmt.Sprintf("%v %+v %v", e, *e, e.Err); strings.Contains(all, secret) || e == nil {
				t.Errorf("the error shows a secret: %s", all)
			}
		}
	}
}

// The key must not follow a redirect to another host.
func TestKeyDoesNotFollowRedirects(t *testing.T) {
	asked := false
	evil := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
	defer evil.Close()
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, evil.URL, http.StatusTemporaryRedirect)
	})
	if _, err := run(c, hello()); err == nil || err.Kind != model.NotFound || asked {
		t.Errorf("error %v; the other host was asked: %t", err, asked)
	}
}

func TestExtraCertificates(t *testing.T) {
	proto := 0
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		proto = r.ProtoMajor
		stream(events(evStart, evStop))(w, r)
	}))
	s.EnableHTTP2 = true
	s.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
	s.StartTLS()
	defer s.Close()
	dir := t.TempDir()
	file := func(name string, content []byte) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	good := file("ca.pem", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}))
	if _, err := run(New(Options{BaseURL: s.URL, CAFile: good}), hello()); err != nil {
		t.Errorf("with the certificate: %v", err)
	}
	if proto != 2 {
		t.Errorf("the connection spoke HTTP/%d, want 2", proto)
	}
	for caFile, hint := range map[string]string{
		"":                              "NODE_EXTRA_CA_CERTS",
		filepath.Join(dir, "no"):        "no such file",
		file("empty.pem", []byte("\n")): "no certificate in",
	} {
		_, err := run(New(Options{BaseURL: s.URL, CAFile: caFile}), hello())
		var unknown x509.UnknownAuthorityError
		if err == nil || err.Kind != model.Network || !errors.As(err, &unknown) || !strings.Contains(err.Message, hint) {
			t.Errorf("certificates %q: %v", caFile, err)
		}
	}
}

func TestTransport(t *testing.T) {
	c, err := newHTTP(&Options{})
	if err != nil {
		t.Fatal(err)
	}
	if tr := c.Transport.(*http.Transport); tr.Proxy == nil || tr.WriteBufferSize != 64<<10 || !tr.ForceAttemptHTTP2 || c.Timeout != 0 {
		t.Errorf("transport: %+v", tr)
	}
}

func TestCountTokens(t *testing.T) {
	for _, tt := range []struct {
		name, answer string
		status       int
		want         int64
		kind         model.Kind
	}{
		{name: "a number", status: 200, answer: `{"input_tokens":2095,"more":{}}`, want: 2095},
		{name: "no number", status: 200, answer: `{}`, kind: model.BadReply},
		{name: "not JSON", status: 200, answer: `<html>`, kind: model.BadReply},
		{name: "an error", status: 404, answer: `404 page not found`, kind: model.NotFound},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/v1/messages/count_tokens" {
					t.Errorf("path %s", r.URL.Path)
				}
				w.WriteHeader(tt.status)
				io.WriteString(w, tt.answer)
			})
			got, err := c.CountTokens(t.Context(), hello())
			var e *model.Error
			if errors.As(err, &e); got != tt.want || e == nil && tt.kind != "" || e != nil && e.Kind != tt.kind {
				t.Errorf("%d, %v", got, err)
			}
		})
	}
}

func TestSecretHeader(t *testing.T) {
	for name, want := range map[string]bool{
		"Authorization": true, "X-Api-Key": true, "Cf-Access-Token": true, "Client-Secret": true, "COOKIE": true, "X-Password": true,
		"Anthropic-Beta": false, "X-Team": false,
	} {
		if secretHeader(name) != want {
			t.Errorf("secretHeader(%q) = %t", name, !want)
		}
	}
}
