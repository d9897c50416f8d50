package daruma

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/daruma-dev/daruma/model"
	"github.com/daruma-dev/daruma/model/anthropic"
)

// FromEnvironment finds clients by what the environment says: keys, base URLs,
// proxies. A client is made at its first use and kept. The function may be
// called by many goroutines.
func FromEnvironment(getenv func(string) string, t Timeouts) func(name string) (model.Client, error) {
	var mu sync.Mutex
	clients := map[string]model.Client{}
	return func(name string) (model.Client, error) {
		provider, _ := model.Split(name)
		mu.Lock()
		defer mu.Unlock()
		if c, ok := clients[provider]; ok {
			return c, nil
		}
		c, err := newClient(provider, getenv, t)
		if err == nil {
			clients[provider] = c
		}
		return c, err
	}
}

// providers lists those that newClient knows.
var providers = []string{"anthropic"}

func newClient(provider string, getenv func(string) string, t Timeouts) (model.Client, error) {
	switch provider {
	case "anthropic":
		o, err := anthropic.FromEnv(getenv)
		if err != nil {
			return nil, usage(err)
		}
		o.FirstByte, o.IdleTimeout = t.FirstByte, t.Idle
		return anthropic.New(o), nil
	default:
		return nil, &UsageError{
			Text: fmt.Sprintf("there is no provider %q", provider),
			Hint: "the providers are: " + strings.Join(providers, ", "),
		}
	}
}

// usage turns an error with a hint into a UsageError.
func usage(err error) *UsageError {
	var u *UsageError
	if errors.As(err, &u) {
		return u
	}
	e := &UsageError{Text: err.Error(), Err: err}
	var hinted interface{ Hint() string }
	if errors.As(err, &hinted) {
		e.Hint = hinted.Hint()
	}
	return e
}

// modelName completes and checks the name of a model. One that the catalogue
// does not know is taken where it could exist: models are newer than programs.
func (o Options) modelName(name string) (string, error) {
	if name == "" {
		name = o.getenv("ANTHROPIC_MODEL")
	}
	if name == "" {
		name = DefaultModel
	}
	if !strings.Contains(name, "/") {
		name = "anthropic/" + name
	}
	provider, id := model.Split(name)
	_, declared := o.Models[name]
	switch {
	case id == "":
		return "", &UsageError{Text: fmt.Sprintf("%q names a provider but no model", name), Hint: "models are named PROVIDER/MODEL, such as " + DefaultModel}
	case o.Client != nil || declared || o.getenv("ANTHROPIC_BASE_URL") != "" && provider == "anthropic":
		return name, nil
	case !slices.Contains(providers, provider):
		return "", &UsageError{
			Text: fmt.Sprintf("there is no provider %q", provider),
			Hint: "models are named PROVIDER/MODEL; the providers are: " + strings.Join(providers, ", "),
		}
	case !strings.HasPrefix(id, "claude-"):
		return "", &UsageError{
			Text: fmt.Sprintf("anthropic has no model %q", id),
			Hint: "known models: " + strings.Join(model.Known()[:5], ", ") + ", …",
		}
	}
	return name, nil
}

// fallbackNames completes and checks the names of the fallback models.
func (o Options) fallbackNames() ([]string, error) {
	var names []string
	for _, f := range o.Fallbacks {
		if strings.TrimSpace(f) == "" {
			return nil, &UsageError{Text: "a fallback model has no name", Hint: "name them as PROVIDER/MODEL, such as " + DefaultModel}
		}
		name, err := o.modelName(strings.TrimSpace(f))
		if err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, nil
}

// info is what is known about a model, with the user's own words first.
func (o Options) info(name string) model.Info {
	in := model.Lookup(name)
	own, ok := o.Models[name]
	if !ok {
		return in
	}
	if own.Window > 0 {
		in.Window = own.Window
	}
	if own.MaxOutput > 0 {
		in.MaxOutput = own.MaxOutput
	}
	if own.Price.Known() {
		in.Price = own.Price
	}
	return in
}
