package tool_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/daruma-dev/daruma/tool"
)

func TestSet(t *testing.T) {
	named := func(name string) tool.Tool {
		return tool.New(name, "", func(context.Context, tool.Call, struct{}) (tool.Result, error) { return tool.Result{}, nil })
	}
	b, a := named("b"), named("a")
	s, err := tool.NewSet(b, a)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"b", "a"}, s.Names()); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	if all := s.All(); len(all) != 2 || all[0] != b || all[1] != a {
		t.Errorf("all: %v", all)
	}
	if s.Find("a") != a || s.Find("b") != b || s.Find("c") != nil || s.Find("") != nil {
		t.Error("Find does not find what is there, or finds what is not")
	}
	if _, err := tool.NewSet(a, b, named("a")); err == nil || err.Error() != `tool: two tools are named "a"` {
		t.Errorf("two of one name: %v", err)
	}
	var none tool.Set
	if len(none.All()) != 0 || len(none.Names()) != 0 || none.Find("a") != nil {
		t.Error("the zero set is not empty")
	}
}
