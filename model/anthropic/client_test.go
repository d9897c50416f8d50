package anthropic_test

import (
	"testing"

	"github.com/daruma-dev/daruma/model"
	"github.com/daruma-dev/daruma/model/anthropic"
	"github.com/daruma-dev/daruma/model/modeltest/clienttest"
)

func TestContract(t *testing.T) {
	clienttest.TestClient(t, func(_ testing.TB, to clienttest.Target) model.Client {
		return anthropic.New(anthropic.Options{
			Key: to.Key, BaseURL: to.URL, Provider: to.Provider, Transport: to.Transport, IdleTimeout: to.IdleTimeout,
		})
	})
}
