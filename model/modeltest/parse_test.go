package modeltest

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/daruma-dev/daruma/message"
)

func TestParse(t *testing.T) {
	tests := []struct {
		name   string
		script string
		want   Replies
	}{
		{name: "nothing is no reply", script: "\n# only a comment\n", want: nil},
		{name: "a text ends by itself", script: `text "ok"`, want: Replies{Say("ok")}},
		{name: "empty is a reply", script: "empty", want: Replies{{}}},
		{
			name:   "a separator stands between replies",
			script: "text \"a\"\n---\n\n# second\ntext `b`\n",
			want:   Replies{Say("a"), Say("b")},
		},
		{
			name:   "a comment may follow words but not JSON",
			script: "text \"a # b\" # c\ncall t1 read {\"path\":\"a # b\"}",
			want:   Replies{Say("a # b").Call("t1", "read", `{"path":"a # b"}`)},
		},
		{
			name:   "parts keep their order",
			script: "thinking \"hm\" sig=abc\nthinking \"\"\ntext \"a\"\ncall\tt1  list\nend tool",
			want:   Replies{Think("hm", "abc").Thinking("", "").Text("a").Call("t1", "list", "").End(message.StopTool)},
		},
		{
			name:   "what was cut off may be no JSON",
			script: "truncate text \"half a sen\"\ntruncate call t1 write {\"path\":\"f\",\"con\nbadjson call t2 write {oops",
			want:   Replies{Reply{}.CutText("half a sen").CutCall("t1", "write", `{"path":"f","con`).Call("t2", "write", "{oops")},
		},
		{
			name:   "faults",
			script: "start\nping\nwait 3s\nraw \"x\\n\"\nblock {\"type\":\"x\"}\nstall\ncut\nerror api_error \"no\"\ncut after 3\nbytes 1",
			want: Replies{
				Reply{}.Start().Ping().Wait(3*time.Second).Raw("x\n").Block(`{"type":"x"}`).Stall().Cut().
					Error("api_error", "no").CutAfter(3).Bytes(1),
			},
		},
		{
			name:   "a status answer with all its words",
			script: `http 429 retry-after=2 type=rate_limit_error code=c header.x-should-retry=false header.a="b c" "Slow down"`,
			want: Replies{Failure{
				Status: 429, Type: "rate_limit_error", Code: "c", Message: "Slow down",
				Header: map[string]string{"Retry-After": "2", "X-Should-Retry": "false", "A": "b c"},
			}.Reply()},
		},
		{
			name:   "another body, after a while",
			script: "wait 1m\nbody 200 text/html \"<html>\"\n---\nbody 502 \"text/plain; charset=utf-8\" \"bad gateway\"",
			want: Replies{
				Reply{}.Wait(time.Minute).Then(Body(200, "text/html", "<html>")),
				Body(502, "text/plain; charset=utf-8", "bad gateway"),
			},
		},
		{
			name:   "usage, guard and number stand anywhere",
			script: "end refusal \"No.\"\nusage in=1 out=2 read=3 write=4 write1h=5 thinking=6\nwhen \"hi\"\nrepeat 50",
			want: Replies{
				Reply{}.Refuse("No.").When("hi").Repeat(50).
					Usage(message.Usage{Input: 1, Output: 2, CacheRead: 3, CacheWrite: 4, CacheWrite1h: 5, Thinking: 6}),
			},
		},
		{name: "no usage", script: "usage none", want: Replies{Reply{}.NoUsage()}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Parse(tt.script)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
			again, err := Parse(got.String())
			if err != nil || !reflect.DeepEqual(again, got) {
				t.Errorf("written and read again: %v\n%s", err, again)
			}
		})
	}
}

func TestParseGuard(t *testing.T) {
	rs, err := Parse(`when /"model":"[^"]*\/haiku/` + "\ntext \"ok\"")
	if err != nil {
		t.Fatal(err)
	}
	if !rs[0].guard.re.MatchString(`{"model":"x/haiku`) || rs[0].guard.re.MatchString(`{"model":"opus`) {
		t.Errorf("the guard is %v", rs[0].guard.re)
	}
}

func TestParseErrors(t *testing.T) {
	tests := []struct{ script, want string }{
		{"text \"a\"\ntekst \"b\"", `line 2: unknown word "tekst"`},
		{"text a", "line 1: text: it takes one quoted string"},
		{"text \"a", "line 1: the string \"a does not end"},
		{"text \"a\"b", "line 1: a space is missing"},
		{"---\ntext \"a\"", "line 1: a reply without any line"},
		{"text \"a\"\n---\n", "line 3: a reply without any line; write empty"},
		{"end tool\ntext \"a\"", "line 2: text stands after end"},
		{"end tool\ncall t r {}", "line 2: call stands after end"},
		{"end\n", "line 1: end: it takes stop, tool"},
		{"end done", "line 1: end: it takes stop, tool"},
		{"call t1", "line 1: a call needs an id and a name"},
		{"call t1 read {\"path\"", "is not a JSON object; write badjson call"},
		{"call t1 read [1]", "is not a JSON object"},
		{"badjson call t1 read {}", "is a good JSON object; write call"},
		{"badjson t1 read {", "a call has to follow"},
		{"block [1]", "line 1: a block is a JSON object with a type"},
		{"block {\"a\":1}", "line 1: a block is a JSON object with a type"},
		{"block {\"type\":\"x\"} x", "line 1: a block is a JSON object with a type"},
		{"truncate \"x\"", "line 1: truncate: it takes text"},
		{"wait soon", `line 1: wait: "soon" is not a duration`},
		{"wait -1s", `line 1: wait: "-1s" is not a duration`},
		{"cut after", "line 1: cut: it stands alone"},
		{"cut after -1", "line 1: cut: it stands alone"},
		{"http", "line 1: http: it takes a status"},
		{"http 99", `line 1: http: "99" is not a status`},
		{"http 529 later=1", "line 1: http: later=1 is none of"},
		{"http 529 header.a:b=1", "line 1: http: header.a:b is no header"},
		{"text \"a\"\nhttp 529", "line 2: only wait may stand before"},
		{"http 529\ncall t1 r {}", "line 2: nothing may follow"},
		{"body 200 text/html", "line 1: body: it takes a status, a media type"},
		{"usage in=-1", "line 1: usage: in=-1 is not a number of tokens"},
		{"usage tokens=1", "line 1: usage: tokens=1 is none of"},
		{"bytes 0", `line 1: bytes: "0" is not a number above 0`},
		{"repeat", "line 1: repeat: it takes one number"},
		{"when x", "line 1: when: x is neither quoted nor between slashes"},
		{"when /(/", "line 1: when: error parsing regexp"},
		{"when /a", "the regular expression /a has no closing slash"},
		{"thinking \"a\" id=1", "line 1: thinking: only sig=ID may follow"},
		{"error \"x\"", "line 1: error: it takes an error type"},
		{"ping 1", "line 1: ping: it takes no arguments"},
		{"text =x", `has nothing before the equals sign`},
	}
	for _, tt := range tests {
		t.Run(tt.script, func(t *testing.T) {
			_, err := Parse(tt.script)
			if err == nil || !strings.HasPrefix(err.Error(), "modeltest: line ") || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}
