package anthropic

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"
)

// newHTTP is the HTTP client for o. It follows no redirects: Go would carry
// x-api-key along to whatever host the answer names. The error says why CAFile
// is not in use; the client works without.
func newHTTP(o *Options) (*http.Client, error) {
	c := &http.Client{
		Transport:     o.Transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	if c.Transport != nil {
		return c, nil
	}
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.WriteBufferSize = 64 << 10 // bodies have hundreds of kilobytes
	t.MaxIdleConnsPerHost = 16   // subagents run side by side
	t.DisableCompression = true  // a compressing proxy holds events back
	// A dead link shows itself by a missing pong long before the idle limit.
	t.HTTP2 = &http.HTTP2Config{SendPingTimeout: 30 * time.Second, PingTimeout: 20 * time.Second}
	c.Transport = t
	// Reading certificates takes longer than all the rest of the start.
	if o.CAFile == "" || strings.HasPrefix(o.BaseURL, "http:") {
		return c, nil
	}
	pool, err := trust(o.CAFile)
	if err != nil {
		return c, err
	}
	t.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	return c, nil
}

// trust is the system's certificates and those of a PEM file.
func trust(file string) (*x509.CertPool, error) {
	pem, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("anthropic: read certificates: %w", err)
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("anthropic: no certificate in %s", file)
	}
	return pool, nil
}
