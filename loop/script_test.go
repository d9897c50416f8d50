package loop_test

import (
	"testing"

	"github.com/daruma-dev/daruma/loop/looptest"
)

func TestScripts(t *testing.T) { looptest.Run(t, "testdata/*.txtar") }
