package cli

import (
	"encoding/json"
	"testing"

	"github.com/daruma-dev/daruma/message"
)

func TestBlocks(t *testing.T) {
	for _, tc := range []struct {
		part message.Part
		want string
	}{
		{message.Text{Text: "a <b> & \u2028"}, `{"type":"text","text":"a <b> & \u2028"}`},
		{message.Thinking{Text: "hm", Signature: "s"}, `{"type":"thinking","thinking":"hm","signature":"s"}`},
		{message.Thinking{Redacted: "xyz"}, `{"type":"redacted_thinking","data":"xyz"}`},
		{message.Call{ID: "t", Name: "read", Input: json.RawMessage(`{"b":1.0,"a":"<"}`)}, `{"type":"tool_use","id":"t","name":"read","input":{"b":1.0,"a":"<"}}`},
		{message.Call{ID: "t", Name: "read", Input: json.RawMessage("{\"a\":")}, `{"type":"tool_use","id":"t","name":"read","input":"{\"a\":"}`},
		{message.Call{ID: "t", Name: "read"}, `{"type":"tool_use","id":"t","name":"read","input":{}}`},
		{message.ToolResult{CallID: "t", Status: message.StatusOK, Text: "x"}, `{"type":"tool_result","tool_use_id":"t","content":"x","is_error":false}`},
		{message.ToolResult{CallID: "t", Status: message.StatusDenied}, `{"type":"tool_result","tool_use_id":"t","content":"","is_error":true}`},
		{
			message.ToolResult{CallID: "t", Status: message.StatusOK, Text: "x", Media: []message.Media{{Kind: "image", MIME: "image/png", Data: []byte{1, 2}}}},
			`{"type":"tool_result","tool_use_id":"t","content":[{"type":"text","text":"x"},` +
				`{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AQI="}}],"is_error":false}`,
		},
		{message.Opaque{Type: "server_tool_use", Raw: json.RawMessage(`{"type":"server_tool_use","x":1}`)}, `{"type":"server_tool_use","x":1}`},
		{message.Opaque{Type: "odd", Raw: json.RawMessage(`{`)}, `{"type":"odd"}`},
	} {
		got, err := message.Marshal(block(tc.part))
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != tc.want {
			t.Errorf("%T:\ngot  %s\nwant %s", tc.part, got, tc.want)
		}
	}
}

func TestObject(t *testing.T) {
	for want, o := range map[string]object{
		`{}`:                       {},
		`{"b":1,"a":{"c":[]}}`:     {{"b", 1}, {"a", object{{"c", []any{}}}}},
		`{"a \"b\"":null,"x":"<"}`: {{`a "b"`, nil}, {"x", "<"}},
	} {
		got, err := message.Marshal(o)
		if err != nil || string(got) != want {
			t.Errorf("got %s, %v; want %s", got, err, want)
		}
	}
	if _, err := message.Marshal(object{{"f", func() {}}}); err == nil {
		t.Error("a function was encoded")
	}
}
