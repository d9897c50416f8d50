package modeltest

import (
	"bytes"
	"encoding/json"
	"net/http"
	"reflect"
	"strings"
	"testing"
)

// FuzzParse sees that no text breaks the parser, that errors name a line, and
// that what was read is written so that it is read again as the same.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"text \"a\"\n---\nthinking \"b\" sig=\"c d\"\ncall t1 read {\"a\": 1}\nend tool # done",
		"truncate text \"half\"\ntruncate call t1 write {\"a\nbadjson call t2 x [1]\nblock {\"type\":\"x\"}",
		"start\nping\nwait 1m3s\nstall\ncut\ncut after 0\nerror x \"y\"\nraw `z`\nbytes 1\nrepeat 2",
		"http 429 retry-after=2 type=\"a b\" code=c header.x-y=z \"m\"\n---\nbody 200 \"text/html; a=b\" \"<html>\"",
		"usage in=1 out=2 read=3 write=4 write1h=5 thinking=6\nwhen \"x\"\nend refusal \"no\"\n---\nwhen /a\\/b[/]/\nusage none\nempty",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, script string) {
		rs, err := Parse(script)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "modeltest: line ") || strings.Contains(err.Error(), "\n") {
				t.Errorf("the error is %q", err)
			}
			return
		}
		again, err := Parse(rs.String())
		if err != nil {
			t.Fatalf("%v in\n%s", err, rs)
		}
		if !reflect.DeepEqual(again, rs) {
			t.Errorf("read\n%s\nand again\n%s", rs, again)
		}
	})
}

// FuzzCheck sees that no body breaks the checks, and that what they accept can
// be counted and kept.
func FuzzCheck(f *testing.F) {
	f.Add([]byte(streamed))
	f.Add([]byte(messagesBody(hi + "," + callT12 + "," + doneT1)))
	f.Add([]byte(topBody(`"system":[{"type":"text","text":"a","cache_control":{"type":"ephemeral","ttl":"1h"}}],"tools":[{"name":"a","input_schema":{"type":"object"}}],"tool_choice":{"type":"auto"},"thinking":{"type":"adaptive"}`)))
	f.Add([]byte(userBlock(imageBlock("image/png", pngOf(1, 1)))))
	f.Add([]byte(messagesBody(hi + `,{"role":"assistant","content":[{"type":"thinking","thinking":"x\ud83d\ude00","signature":"s"},{"type":"text","text":"a"}]},` + hi)))
	f.Fuzz(func(t *testing.T, body []byte) {
		c := newChecker(Options{})
		r, err := c.check(body, http.Header{}, false)
		if err != nil {
			if err.Error() == "" || !json.Valid(errorBody(asRefusal(err).filled(), "id")) {
				t.Errorf("the refusal is %q", err)
			}
			return
		}
		n := CountTokens(decode(body))
		a, err := c.admit(r)
		if err != nil || a.usage.TotalInput() != n || a.usage.Input < 0 {
			t.Errorf("admitted %d tokens as %+v, %v", n, a.usage, err)
		}
		if _, err := c.check(body, http.Header{}, false); err != nil {
			t.Errorf("refused the second time: %v", err)
		}
	})
}

// FuzzSplit compares the splitters with encoding/json, and sees that objects are
// put together as they were taken apart.
func FuzzSplit(f *testing.F) {
	f.Add([]byte(`{"a":1,"b" : {"c":[1, 2]},"\u0063b":"x\\\"{"} `))
	f.Add([]byte(`{"a":1,"a":2}`))
	f.Add([]byte(` [ 1,"a,]\"", {"b":[]},null , -1e3,[]]`))
	f.Add([]byte(`[]`))
	f.Add([]byte("{\n}"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		fs, errF := fieldsOf(raw)
		list, errL := listOf(raw)
		if !json.Valid(raw) {
			return // it is enough not to panic
		}
		var wantList []json.RawMessage
		if err := json.Unmarshal(raw, &wantList); err == nil && string(bytes.TrimSpace(raw)) != "null" {
			if errL != nil || !reflect.DeepEqual(append([]json.RawMessage{}, list...), wantList) {
				t.Errorf("the list %s became %s, %v", raw, list, errL)
			}
		} else if errL == nil {
			t.Errorf("%s became the list %s", raw, list)
		}
		var wantFields map[string]json.RawMessage
		err := json.Unmarshal(raw, &wantFields)
		if isObject := err == nil && wantFields != nil; !isObject {
			if errF == nil {
				t.Errorf("%s became the object %s", raw, fs.encode())
			}
			return
		}
		if errF != nil {
			if !strings.Contains(errF.Error(), "occurs twice") {
				t.Errorf("%s: %v", raw, errF)
			}
			return
		}
		for _, f := range fs {
			if string(wantFields[f.name]) != string(f.value) {
				t.Errorf("%s: member %q is %s", raw, f.name, f.value)
			}
		}
		again, err := fieldsOf(fs.encode())
		if len(fs) != len(wantFields) || err != nil || !reflect.DeepEqual(again, fs) {
			t.Errorf("%s became %s: %v", raw, again.encode(), err)
		}
	})
}
