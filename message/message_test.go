package message

import (
	"encoding/json"
	"reflect"
	"strings"
	"sync"
	"testing"
)

func TestPartsSurviveARoundTripToTheByte(t *testing.T) {
	in := Parts{
		Text{Text: "<b> & \u2028 \x00 é"},
		Text{Text: "raw", Raw: json.RawMessage(`{"type":"text","citations":[ 1 ]}`)},
		Thinking{Text: "t", Signature: "s", Redacted: "r"},
		Call{ID: "1", Name: "compact", Input: json.RawMessage(`{"b":1.0,"a":1e5,"c":"\u00e9<>&"}`)},
		Call{ID: "2", Name: "spaced", Input: json.RawMessage("{ \"b\" : 1,\n\t\"a\": [ ] }")},
		Call{ID: "3", Name: "broken", Input: json.RawMessage(`{"a": oops`)},
		Call{ID: "4", Name: "empty"},
		ToolResult{CallID: "1", Name: "x", Status: StatusError, Text: "no", Media: []Media{{Kind: "image", MIME: "image/png", Data: []byte{0, 255}}}},
		Media{Kind: "document", MIME: "application/pdf", Data: []byte("%PDF"), Name: "a.pdf"},
		Opaque{Type: "server_tool_use", Raw: json.RawMessage(`{ "type":"server_tool_use" }`)},
	}
	b, err := Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(string(b), "\n") {
		t.Errorf("the encoding has a line end, so it cannot be a journal line: %s", b)
	}
	var out Parts
	if err := json.Unmarshal(b, &out); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(in, out) {
		t.Errorf("got  %#v\nwant %#v", out, in)
	}
}

func TestUnknownPartIsAnError(t *testing.T) {
	for _, text := range []string{`[{"type":"hologram"}]`, `[{"type":"result"}]`, `[{"type":"media"}]`, `{}`} {
		var p Parts
		if err := json.Unmarshal([]byte(text), &p); err == nil {
			t.Errorf("%s was accepted as %v", text, p)
		}
	}
}

func TestMalformed(t *testing.T) {
	for input, want := range map[string]bool{
		`{}`: false, ` {"a":1} `: false, ``: true, `null`: true, `[1]`: true, `"x"`: true, `{"a":`: true, `{} {}`: true,
	} {
		if got := (Call{Input: json.RawMessage(input)}).Malformed(); got != want {
			t.Errorf("Malformed(%q) = %t, want %t", input, got, want)
		}
	}
}

func TestMemoIsMadeOnceForEachKey(t *testing.T) {
	m := NewUser("1", "hi")
	made := 0
	make := func() any { made++; return made }
	got := []any{m.Memo("a", make), m.Memo("b", make), m.Memo("a", make), m.Memo("b", make)}
	if want := []any{1, 2, 1, 2}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if m.With(m.Parts).Memo("a", make) != 3 {
		t.Error("a copy shares the memo of its original")
	}
}

func TestMemoMayBeAskedByMany(t *testing.T) {
	m := NewUser("1", "hi")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if m.Memo("a", func() any { return "v" }) != "v" {
				t.Error("a wrong value")
			}
		})
	}
	wg.Wait()
}

func TestEqualIgnoresMemos(t *testing.T) {
	a, b := NewUser("1", "hi"), NewUser("1", "hi")
	a.Memo("k", func() any { return 1 })
	if !Equal(a, b) || Equal(a, NewUser("1", "ho")) || Equal(a, nil) || !Equal(nil, nil) {
		t.Error("Equal is wrong")
	}
}

func TestViewsOfAMessage(t *testing.T) {
	m := &Message{Parts: Parts{Text{Text: "a"}, Call{ID: "1"}, Thinking{Text: "x"}, Text{Text: "b"}, ToolResult{CallID: "0"}}}
	if m.Text() != "ab" || len(m.Calls()) != 1 || len(m.Results()) != 1 {
		t.Errorf("Text %q, Calls %v, Results %v", m.Text(), m.Calls(), m.Results())
	}
}

func TestUsageAdds(t *testing.T) {
	u := Usage{Input: 1, Output: 2, CacheRead: 3, CacheWrite: 4, CacheWrite1h: 5, Thinking: 6}
	if got, want := u.Add(u), (Usage{2, 4, 6, 8, 10, 12}); got != want {
		t.Errorf("Add = %+v, want %+v", got, want)
	}
	if u.TotalInput() != 8 || u.Total() != 10 {
		t.Errorf("TotalInput = %d, Total = %d", u.TotalInput(), u.Total())
	}
}

func FuzzParts(f *testing.F) {
	f.Add([]byte(`[{"type":"text","text":"a"},{"type":"call","id":"1","name":"x","input":{"text":"{ }"}}]`))
	f.Fuzz(func(t *testing.T, b []byte) {
		var p Parts
		if json.Unmarshal(b, &p) != nil {
			return
		}
		once, err := Marshal(p)
		if err != nil {
			t.Fatalf("parts that were read cannot be written: %v", err)
		}
		var again Parts
		if err := json.Unmarshal(once, &again); err != nil {
			t.Fatalf("parts that were written cannot be read: %v", err)
		}
		if twice, _ := Marshal(again); string(twice) != string(once) {
			t.Fatalf("not stable:\n%s\n%s", once, twice)
		}
	})
}
