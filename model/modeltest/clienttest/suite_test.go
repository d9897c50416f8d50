package clienttest_test

import (
	"testing"

	"github.com/daruma-dev/daruma/model"
	"github.com/daruma-dev/daruma/model/anthropic"
	"github.com/daruma-dev/daruma/model/modeltest/clienttest"
)

func TestAnthropic(t *testing.T) {
	clienttest.TestClient(t, func(_ testing.TB, to clienttest.Target) model.Client {
		return anthropic.New(anthropic.Options{
			BaseURL: to.URL, Key: to.Key, Transport: to.Transport, IdleTimeout: to.IdleTimeout, Provider: to.Provider,
		})
	})
}
