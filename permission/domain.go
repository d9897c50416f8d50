package permission

import (
	"net/url"
	"strings"
)

// matchesDomain compares the host of a URL with a domain, which may begin with
// "*." for its subdomains. A strict match covers subdomains anyway.
func matchesDomain(domain, target string, strict bool) bool {
	u, err := url.Parse(target)
	if err != nil {
		return strict // what cannot be read is not let past a deny rule
	}
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	domain = strings.TrimSuffix(strings.ToLower(strings.TrimSpace(domain)), ".")
	if parent, ok := strings.CutPrefix(domain, "*."); ok {
		return strings.HasSuffix(host, "."+parent)
	}
	return domain == "*" || host == domain || strict && strings.HasSuffix(host, "."+domain)
}
