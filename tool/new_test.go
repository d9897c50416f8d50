package tool_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/tool"
)

// change and input have a field of every kind that tools use.
type change struct {
	Line int    `json:"line" jsonschema:"line to change"`
	Text string `json:"text"`
	Note string `json:"note,omitempty"`
}

type input struct {
	Path    string            `json:"path" jsonschema:"file to change"`
	Changes []change          `json:"changes" jsonschema:"what to change"`
	Offset  int               `json:"offset,omitempty" jsonschema:"first line"`
	Limit   *uint64           `json:"limit,omitempty"`
	Ratio   float64           `json:"ratio,omitempty"`
	All     bool              `json:"all,omitempty"`
	Globs   []string          `json:"globs,omitempty"`
	Ports   []int             `json:"ports,omitempty"`
	Env     map[string]string `json:"env,omitempty"`
	One     struct {
		N int `json:"n,omitempty"`
	} `json:"one,omitzero"`
	Any any `json:"any,omitempty"`
}

// keep is a tool that keeps its last input.
func keep() (*tool.Func[input], *input) {
	var got input
	return tool.New("keep", "Keeps.", func(_ context.Context, _ tool.Call, in input) (tool.Result, error) {
		got = in
		return tool.Result{Text: "kept"}, nil
	}), &got
}

func TestSchema(t *testing.T) {
	k, _ := keep()
	want := `{"type":"object","properties":{` +
		`"path":{"type":"string","description":"file to change"},` +
		`"changes":{"type":"array","items":{"type":"object","properties":{` +
		`"line":{"type":"integer","description":"line to change"},"text":{"type":"string"},"note":{"type":"string"}},` +
		`"required":["line","text"]},"description":"what to change"},` +
		`"offset":{"type":"integer","description":"first line"},` +
		`"limit":{"type":"integer","minimum":0},` +
		`"ratio":{"type":"number"},` +
		`"all":{"type":"boolean"},` +
		`"globs":{"type":"array","items":{"type":"string"}},` +
		`"ports":{"type":"array","items":{"type":"integer"}},` +
		`"env":{"type":"object","additionalProperties":{"type":"string"}},` +
		`"one":{"type":"object","properties":{"n":{"type":"integer"}}},` +
		`"any":true},"required":["path","changes"]}`
	spec := k.Spec()
	if diff := cmp.Diff(tool.Spec{Name: "keep", Description: "Keeps.", Schema: json.RawMessage(want)}, spec); diff != "" {
		t.Errorf("spec (-want +got):\n%s\n%s", diff, spec.Schema)
	}
	for range 20 { // the prompt cache depends on these bytes
		again, _ := keep()
		if s := again.Spec().Schema; string(s) != want {
			t.Fatalf("another time the schema is\n%s", s)
		}
	}
}

func TestSchemaWithoutFields(t *testing.T) {
	f := tool.New("now", "", func(context.Context, tool.Call, struct{}) (tool.Result, error) { return tool.Result{Text: "ran"}, nil })
	if s := string(f.Spec().Schema); s != `{"type":"object","properties":{}}` {
		t.Errorf("schema %s", s)
	}
	for _, in := range []string{`{}`, ` {} `, `{"why": "because"}`} {
		if r, err := f.Run(t.Context(), tool.Call{Input: json.RawMessage(in)}); err != nil || r.Text != "ran" {
			t.Errorf("input %s: %+v, %v", in, r, err)
		}
	}
}

func TestInputThatHasNoSchema(t *testing.T) {
	for name, use := range map[string]func(){
		"a channel": func() { tool.New[struct{ C chan int }]("bad", "", nil).Spec() },
		"no struct": func() { tool.New[string]("bad", "", nil).Spec() },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if p, _ := recover().(string); !strings.HasPrefix(p, "tool: the input of bad ") {
					t.Errorf("panic %q", p)
				}
			}()
			use()
		})
	}
}

// TestMend gives a value as it should be beside one as models send it (B014
// and its kin).
func TestMend(t *testing.T) {
	for _, c := range []struct{ name, sent, want string }{
		{"nothing to mend", `"offset":2,"ratio":0.5,"all":true,"globs":["a"]`, `"offset":2,"ratio":0.5,"all":true,"globs":["a"]`},
		{"integers as text", `"offset":"2","limit":" 3 "`, `"offset":2,"limit":3`},
		{"an odd integer", `"offset":"007","limit":"+5"`, `"offset":7,"limit":5`},
		{"an integer with a fraction", `"offset":2.0,"limit":"3.0","ports":[1e3]`, `"offset":2,"limit":3,"ports":[1000]`},
		{"integers beyond float64", `"offset":"9007199254740993","limit":18446744073709551615`, `"offset":9007199254740993,"limit":18446744073709551615`},
		{"a number as text", `"ratio":"0.5"`, `"ratio":0.5`},
		{"an integer for a number", `"ratio":"2"`, `"ratio":2`},
		{"booleans as text", `"all":"true"`, `"all":true`},
		{"booleans as Python spells them", `"all":" True"`, `"all":true`},
		{"a list as its JSON text", `"globs":"[\"*.go\", \"*.md\"]"`, `"globs":["*.go","*.md"]`},
		{"a list of numbers as its JSON text", `"ports":"[80, \"443\"]"`, `"ports":[80,443]`},
		{"an object as its JSON text", `"one":"{\"n\": \"4\"}"`, `"one":{"n":4}`},
		{"a map as its JSON text", `"env":"{\"A\":1}"`, `"env":{"A":"1"}`},
		{"one thing for a list of it", `"globs":"*.go","ports":80`, `"globs":["*.go"],"ports":[80]`},
		{"one thing for a list, of the wrong type too", `"globs":5,"ports":"80"`, `"globs":["5"],"ports":[80]`},
		{"a text that happens to be JSON, for a list of texts", `"globs":"12"`, `"globs":["12"]`},
		{"numbers and booleans for texts", `"globs":[1,true,1.10],"env":{"PORT":8080,"ON":false}`, `"globs":["1","true","1.10"],"env":{"PORT":"8080","ON":"false"}`},
		{"null for what is left out", `"offset":null,"limit":null,"all":null,"globs":null,"env":null,"one":null,"any":null`, ``},
		{"an empty text for what is left out", `"offset":"","limit":" ","all":"","ratio":"","globs":"","one":""`, ``},
		{"null as text", `"offset":"null"`, ``},
		{"fields that do not exist", `"offset":"2","why":{"a":[1,null]}`, `"offset":2`},
		{"names in another case", `"Offset":"2","GLOBS":["a"]`, `"offset":2,"globs":["a"]`},
		{"a name in two cases: the exact one counts", `"Path":"/etc/passwd","PATH":"/","offset":"1"`, `"offset":1`},
		{"a text stays as it is, whatever it holds", `"globs":["[1]","true",""]`, `"globs":["[1]","true",""]`},
		{"any value goes where any may", `"any":{"n":"5"},"offset":"1"`, `"any":{"n":"5"},"offset":1`},
	} {
		t.Run(c.name, func(t *testing.T) {
			full := func(fields string) json.RawMessage {
				if fields != "" {
					fields = "," + fields
				}
				return json.RawMessage(`{"path":"a <b> & ü","changes":[]` + fields + `}`)
			}
			var want input
			if err := json.Unmarshal(full(c.want), &want); err != nil {
				t.Fatal(err)
			}
			k, got := keep()
			if r, err := k.Run(t.Context(), tool.Call{Input: full(c.sent)}); err != nil || r.Text != "kept" {
				t.Fatalf("%+v, %v", r, err)
			}
			if diff := cmp.Diff(want, *got); diff != "" {
				t.Errorf("input (-want +got):\n%s", diff)
			}
		})
	}
}

func TestMendRequired(t *testing.T) {
	want := input{Path: "12", Changes: []change{{Line: 3, Text: "true"}}}
	for _, in := range []string{
		`{"path":12,"changes":[{"line":"3","text":true}]}`,
		`{"path":12,"changes":{"line":"3","text":true,"note":null,"extra":1}}`,
		`{"path":"12","changes":"[{\"line\":\"3\",\"text\":\"true\"}]"}`,
		`{"path":"12","changes":"{\"line\":3.0,\"text\":\"true\"}"}`,
		`"{\"path\":\"12\",\"changes\":[{\"line\":3,\"text\":\"true\"}]}"`,
	} {
		k, got := keep()
		if _, err := k.Run(t.Context(), tool.Call{Input: json.RawMessage(in)}); err != nil {
			t.Errorf("%s: %v", in, err)
		} else if diff := cmp.Diff(want, *got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", in, diff)
		}
	}
}

func TestMalformed(t *testing.T) {
	const parts = ". If it was too long to be written in one go, send it in parts"
	for _, c := range []struct{ name, in, want string }{
		{"no JSON", `{"path":`, `its input is not valid JSON (unexpected EOF)`},
		{"nothing", ``, `its input is not valid JSON (EOF)`},
		{"two values", `{} {}`, `its input is not valid JSON (there is more after its end)`},
		{"no object", `[1]`, `its input is an array and must be an object`},
		{"null", `null`, `its input is null and must be an object`},
		{
			"what is required is missing (B046, B047)", `{"path":"a"}`,
			`its input lacks "changes", an array (what to change)` + parts,
		},
		{
			"all of it is missing, under other names", `{"file_path":"a","edits":[]}`,
			`its input lacks "path", a string (file to change) and "changes", an array (what to change) (it has "edits", "file_path", which means nothing here)` + parts,
		},
		{"required and null", `{"path":null,"changes":[]}`, `its input lacks "path", a string (file to change)` + parts},
		{
			"missing further down", `{"path":"a","changes":[{"line":1,"text":"x"},{"line":2}]}`,
			`item 1 of "changes" of its input lacks "text", a string` + parts,
		},
		{"a word for a number", `{"path":"a","changes":[],"offset":"ten"}`, `"offset" of its input is a string and must be an integer`},
		{"a fraction for an integer", `{"path":"a","changes":[],"offset":2.5}`, `"offset" of its input is a number and must be an integer`},
		{"no finite number", `{"path":"a","changes":[],"ratio":"NaN"}`, `"ratio" of its input is a string and must be a number`},
		{"a number no one can hold", `{"path":"a","changes":[],"offset":1e400}`, `"offset" of its input is a number and must be an integer`},
		{"an object for a text", `{"path":{"a":1},"changes":[]}`, `"path" of its input is an object and must be a string`},
		{"a list for a boolean", `{"path":"a","changes":[],"all":[true]}`, `"all" of its input is an array and must be a boolean`},
		{
			"out of bounds", `{"path":"a","changes":[],"limit":-1}`,
			`its input is not valid: validating root: validating /properties/limit: minimum: -1/1 is less than 0.000000`,
		},
		{
			"more than fits into the Go type", `{"path":"a","changes":[],"ratio":1e400}`,
			`json: cannot unmarshal number 1e400 into Go struct field input.ratio of type float64`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			k, _ := keep()
			_, err := k.Run(t.Context(), tool.Call{Input: json.RawMessage(c.in)})
			want := &tool.Error{
				Status: message.StatusMalformed,
				Text:   "keep was not run: " + c.want + ". Send the call again with a corrected input.",
			}
			var got *tool.Error
			if !errors.As(err, &got) {
				t.Fatalf("error %v", err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
		})
	}
}

func manyFields(n int) string {
	fields := make(map[string]int, n)
	for i := range n {
		fields[fmt.Sprintf("field_with_a_long_name_%d", i)] = i
	}
	b, _ := json.Marshal(fields)
	return string(b)
}

// An input may hold a whole file; what is wrong with it is told in a line.
func TestMalformedIsShort(t *testing.T) {
	k, _ := keep()
	big := strings.Repeat("x", 1<<20)
	for _, in := range []string{
		`{"path":"a","changes":[],"offset":"` + big + `"}`,
		`{"path":"a","changes":[],"limit":-1` + strings.Repeat("0", 1000) + `}`,
		`{"` + big + `":1}`,
		manyFields(1000),
	} {
		if _, err := k.Run(t.Context(), tool.Call{Input: json.RawMessage(in)}); err == nil || len(err.Error()) > 500 {
			t.Errorf("input %.40s: %d bytes of error", in, len(err.Error()))
		}
	}
}

func TestReadOnlyAndAccess(t *testing.T) {
	plain, _ := keep()
	if plain.ReadOnly(json.RawMessage(`{"path":"a","changes":[]}`)) {
		t.Error("a tool that does not say so is read-only")
	}
	if a, err := plain.Access(nil); err != nil || a.Action != tool.Other {
		t.Errorf("access %+v, %v", a, err)
	}

	k, _ := keep()
	k.ReadOnlyFunc = func(in input) bool { return in.Offset == 2 }
	k.AccessFunc = func(in input) (tool.Access, error) {
		return tool.Access{Action: tool.Write, Paths: []string{in.Path}}, nil
	}
	for in, want := range map[string]bool{
		`{"path":"a","changes":[],"offset":"2"}`: true,
		`{"path":"a","changes":[],"offset":3}`:   false,
		`{"path":`:                               true, // it will not run
	} {
		if got := k.ReadOnly(json.RawMessage(in)); got != want {
			t.Errorf("ReadOnly(%s) = %v", in, got)
		}
	}
	a, err := k.Access(json.RawMessage(`{"path":7,"changes":[]}`))
	if diff := cmp.Diff(tool.Access{Action: tool.Write, Paths: []string{"7"}}, a); diff != "" || err != nil {
		t.Errorf("access (-want +got):\n%s%v", diff, err)
	}
	var malformed *tool.Error
	if _, err := k.Access(json.RawMessage(`{}`)); !errors.As(err, &malformed) || malformed.Status != message.StatusMalformed {
		t.Errorf("access of a malformed input: %v", err)
	}
}

// FuzzInput looks for an input that panics, that makes a failure without a
// plain sentence, or that is mended differently the second time.
func FuzzInput(f *testing.F) {
	for _, s := range []string{
		`{"path":"a","changes":[{"line":"3","text":true}],"offset":"2"}`, `{"path":1e999,"changes":"[[]]"}`,
		`{"globs":{"a":null},"env":[1],"one":"[]","any":[{"x":"1"}]}`, `"{}"`, `[[[]]]`, ``, `{"changes":"null","path":"\ud800"}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		k, got := keep()
		_, err := k.Run(t.Context(), tool.Call{Input: in})
		if err != nil {
			var e *tool.Error
			if !errors.As(err, &e) || e.Status != message.StatusMalformed || len(e.Text) > 2000 || !utf8.ValidString(e.Text) {
				t.Fatalf("error %v", err)
			}
			return
		}
		first := *got
		again, err := json.Marshal(first)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := k.Run(t.Context(), tool.Call{Input: again}); err != nil {
			t.Fatalf("accepted, but its own form %s is not: %v", again, err)
		}
		if diff := cmp.Diff(first, *got); diff != "" {
			t.Errorf("the second time (-first +second):\n%s", diff)
		}
	})
}
