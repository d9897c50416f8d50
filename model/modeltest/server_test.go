package modeltest

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// start starts a server on the loopback address that is closed with the test.
func start(t *testing.T, script Script, o Options) *Server {
	t.Helper()
	s := New(script, o)
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// post sends a body with the headers of a good request, and more.
func post(t *testing.T, c *http.Client, url, body string, header ...string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Api-Key", "k")
	r.Header.Set("Anthropic-Version", "2023-06-01")
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(header); i += 2 {
		if r.Header.Del(header[i]); header[i+1] != "" {
			r.Header.Set(header[i], header[i+1])
		}
	}
	resp, err := c.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	return resp
}

// say sends a body and gives status, media type and what came.
func say(t *testing.T, s *Server, path, body string, header ...string) (status int, mime, text string) {
	t.Helper()
	resp := post(t, http.DefaultClient, s.URL()+path, body, header...)
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, resp.Header.Get("Content-Type"), string(b)
}

const streamed = `{"model":"m1","max_tokens":100,"stream":true,"messages":[` + hi + `]}`

func TestServerStream(t *testing.T) {
	s := start(t, MustParse("thinking \"hm\" sig=abc\ntext \"Hello there, this is more than one piece.\"\nping\ncall t1 read {\"path\":\"a\"}\ncall t2 list"), Options{})
	status, mime, got := say(t, s, "/v1/messages", streamed)
	const want = `event: message_start
data: {"type":"message_start","message":{"id":"msg_000001","type":"message","role":"assistant","model":"m1","content":[],"stop_reason":null,"stop_sequence":null,"stop_details":null,"usage":{"input_tokens":13,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"cache_creation":{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_tokens":0},"output_tokens":1,"output_tokens_details":{"thinking_tokens":0},"service_tier":"standard"}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"abc"}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: content_block_start
data: {"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"Hello there, this is mor"}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"e than one piece."}}

event: content_block_stop
data: {"type":"content_block_stop","index":1}

event: ping
data: {"type":"ping"}

event: content_block_start
data: {"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"t1","name":"read","input":{}}}

event: content_block_delta
data: {"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\"path\":\"a\"}"}}

event: content_block_stop
data: {"type":"content_block_stop","index":2}

event: content_block_start
data: {"type":"content_block_start","index":3,"content_block":{"type":"tool_use","id":"t2","name":"list","input":{}}}

event: content_block_stop
data: {"type":"content_block_stop","index":3}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null,"stop_details":null},"usage":{"input_tokens":13,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"cache_creation":{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_tokens":0},"output_tokens":33,"output_tokens_details":{"thinking_tokens":0},"service_tier":"standard"}}

event: message_stop
data: {"type":"message_stop"}

`
	if diff := cmp.Diff(want, got); status != 200 || mime != "text/event-stream; charset=utf-8" || diff != "" {
		t.Errorf("%d %s\n%s", status, mime, diff)
	}
}

func TestServerAnswers(t *testing.T) {
	invalid := func(id, words string) string {
		return `{"type":"error","error":{"type":"invalid_request_error","message":"` + words + `"},"request_id":"` + id + `"}`
	}
	tests := []struct {
		name    string
		script  string
		options Options
		path    string // empty: /v1/messages
		body    string // empty: streamed
		header  []string

		status   int
		mime     string
		text     string // all of it, or the start if it ends with …
		problems []string
	}{
		{
			name: "a status with its details", script: `http 429 retry-after=2 code=ramp_limit_exceeded "Slow down"`, status: 429, mime: "application/json",
			text: `{"type":"error","error":{"details":{"error_code":"ramp_limit_exceeded"},"type":"rate_limit_error","message":"Slow down"},"request_id":"req_000001"}`,
		},
		{name: "another body", script: `body 200 text/html "<html>login</html>"`, status: 200, mime: "text/html", text: "<html>login</html>"},
		{
			name: "an error event ends the stream", script: "start\nerror overloaded_error \"Overloaded\"\ntext \"never\"\n", status: 200, mime: "text/event-stream; charset=utf-8",
			text: "event: message_start\n…event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"},\"request_id\":\"req_000001\"}\n\n",
		},
		{
			name: "a block whose input is streamed", script: `block {"type":"server_tool_use","id":"s1","name":"web_search","input":{"query":"go"}}`, status: 200, mime: "text/event-stream; charset=utf-8",
			text: `…"content_block":{"type":"server_tool_use","id":"s1","name":"web_search","input":{}}}…"partial_json":"{\"query\":\"go\"}"}…`,
		},
		{
			name: "a refusal says why", script: `end refusal "No."`, status: 200, mime: "text/event-stream; charset=utf-8",
			text: `…"delta":{"stop_reason":"refusal","stop_sequence":null,"stop_details":{"type":"refusal","category":null,"explanation":"No."}}…`,
		},
		{name: "no usage", script: "text \"a\"\nusage none", status: 200, mime: "text/event-stream; charset=utf-8", text: `…"delta":{"stop_reason":"end_turn","stop_sequence":null,"stop_details":null}}…`},
		{
			name: "without a stream the reply is a document", script: "thinking \"hm\" sig=s\ntext \"a\"\ncall t1 read {\"a\":1}\nusage in=1 out=2", body: messagesBody(hi), status: 200, mime: "application/json",
			text: `{"id":"msg_000001","type":"message","role":"assistant","model":"m1","content":[{"type":"thinking","thinking":"hm","signature":"s"},{"type":"text","text":"a"},{"type":"tool_use","id":"t1","name":"read","input":{"a":1}}],"stop_reason":"tool_use",…`,
		},
		{
			name: "without a stream an error event is a status", script: `error overloaded_error "Overloaded"`, body: messagesBody(hi), status: 529, mime: "application/json",
			text: `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"req_000001"}`,
		},
		{
			name: "a script that is too short", status: 400, mime: "application/json", text: invalid("req_000001", "modeltest: the script has no reply for request 1"),
			problems: []string{"POST /v1/messages: modeltest: the script has no reply for request 1"},
		},
		{
			name: "a wrong request", script: `text "left"`, body: messagesBody(ok), status: 400, mime: "application/json",
			text:     invalid("req_000001", `messages: first message must use the \"user\" role`),
			problems: []string{`POST /v1/messages: messages: first message must use the "user" role`},
		},
		{
			name: "a prompt over the window is refused, but not wrong", script: `text "left"`, options: Options{Window: 12}, status: 400, mime: "application/json",
			text: invalid("req_000001", "prompt is too long: 13 tokens > 12 maximum"),
		},
		{name: "a prompt that fits", script: `body 200 text/plain "fits"`, options: Options{Window: 13}, status: 200, mime: "text/plain", text: "fits"},
		{
			name: "a body over the limit is refused by a proxy", script: `text "left"`, options: Options{MaxBody: 50}, status: 413, mime: "text/html", text: "<html>\r\n<head><title>413 Request Entity Too Large…",
		},
		{
			name: "no key", header: []string{"X-Api-Key", ""}, status: 401, mime: "application/json",
			text:     `{"type":"error","error":{"type":"authentication_error","message":"x-api-key header is required"},"request_id":"req_000001"}`,
			problems: []string{"POST /v1/messages: x-api-key header is required"},
		},
		{
			name: "another key", options: Options{Key: "K"}, status: 401, mime: "application/json",
			text:     `{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"},"request_id":"req_000001"}`,
			problems: []string{"POST /v1/messages: invalid x-api-key"},
		},
		{
			name: "the key as a bearer", script: `body 200 text/plain "in"`, options: Options{Key: "K"}, header: []string{"X-Api-Key", "", "Authorization", "Bearer K"},
			status: 200, mime: "text/plain", text: "in",
		},
		{
			name: "no version", header: []string{"Anthropic-Version", ""}, status: 400, mime: "application/json",
			text: invalid("req_000001", "anthropic-version: header is required"), problems: []string{"POST /v1/messages: anthropic-version: header is required"},
		},
		{
			name: "an unknown version", header: []string{"Anthropic-Version", "1"}, status: 400, mime: "application/json",
			text: invalid("req_000001", `anthropic-version: \"1\" is not a valid version`), problems: []string{`POST /v1/messages: anthropic-version: "1" is not a valid version`},
		},
		{
			name: "another media type", header: []string{"Content-Type", "text/plain"}, status: 400, mime: "application/json",
			text: invalid("req_000001", `content-type: \"text/plain\" must be application/json`), problems: []string{`POST /v1/messages: content-type: "text/plain" must be application/json`},
		},
		{
			name: "another path", path: "/v1/complete", status: 404, mime: "application/json",
			text:     `{"type":"error","error":{"type":"not_found_error","message":"Not Found: POST /v1/complete"},"request_id":"req_000001"}`,
			problems: []string{"POST /v1/complete: Not Found: POST /v1/complete"},
		},
		{
			name: "counting", path: "/v1/messages/count_tokens", body: `{"model":"m1","messages":[` + hi + `]}`, status: 200, mime: "application/json", text: `{"input_tokens":13}`,
		},
		{
			name: "counting what is wrong", path: "/v1/messages/count_tokens", body: messagesBody(hi), status: 400, mime: "application/json",
			text: invalid("req_000001", "max_tokens: Extra inputs are not permitted"), problems: []string{"POST /v1/messages/count_tokens: max_tokens: Extra inputs are not permitted"},
		},
		{name: "a lax server takes anything", script: `body 200 text/plain "in"`, options: Options{Lax: true}, body: messagesBody(ok), status: 200, mime: "text/plain", text: "in"},
		{
			name: "a lax server counts bytes", script: `text "a"`, options: Options{Lax: true}, body: `{"messages":[],"model":"m9"}`, status: 200, mime: "text/event-stream; charset=utf-8",
			text: `…"model":"m9","content":[]…"usage":{"input_tokens":7,…`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			script := MustParse(tt.script)
			s := start(t, script, tt.options)
			path, body := "/v1/messages", streamed
			if tt.path != "" {
				path = tt.path
			}
			if tt.body != "" {
				body = tt.body
			}
			status, mime, text := say(t, s, path, body, tt.header...)
			if status != tt.status || mime != tt.mime || !matches(text, tt.text) {
				t.Errorf("got %d %s\n%s\nwant %d %s\n%s", status, mime, text, tt.status, tt.mime, tt.text)
			}
			if diff := cmp.Diff(tt.problems, s.Problems()); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
			refused := len(tt.problems) > 0 || status == 413 || strings.Contains(text, "prompt is too long")
			if left := s.Remaining(); refused && left != len(script) || !refused && path == "/v1/messages" && left != 0 {
				t.Errorf("%d replies are left", left)
			}
		})
	}
}

// matches compares a text with a pattern in which … stands for anything.
func matches(text, pattern string) bool {
	parts := strings.Split(pattern, "…")
	if !strings.HasPrefix(text, parts[0]) || !strings.HasSuffix(text, parts[len(parts)-1]) {
		return false
	}
	for _, p := range parts {
		i := strings.Index(text, p)
		if i < 0 {
			return false
		}
		text = text[i+len(p):]
	}
	return text == "" || strings.HasSuffix(pattern, "…")
}

func TestServerModels(t *testing.T) {
	get := func(s *Server, path string) (int, string) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL()+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("X-Api-Key", "k")
		r.Header.Set("Anthropic-Version", "2023-06-01")
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		b, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(b)
	}
	s := start(t, Replies(nil), Options{Models: []string{"claude-opus-5-5", "local"}, Window: 8000})
	tests := []struct {
		path   string
		status int
		want   string
	}{
		{"/v1/models", 200, `{"data":[{"type":"model","id":"claude-opus-5-5",…{"type":"model","id":"local",…],"has_more":false,"first_id":"claude-opus-5-5","last_id":"local"}`},
		{"/v1/models/claude-opus-5-5", 200, `{"type":"model","id":"claude-opus-5-5",…"max_input_tokens":8000,"max_tokens":128000,"lifecycle":"active"}`},
		{"/v1/models/gpt", 404, `…"type":"not_found_error","message":"model: gpt"…`},
	}
	for _, tt := range tests {
		if status, text := get(s, tt.path); status != tt.status || !matches(text, tt.want) {
			t.Errorf("%s: got %d %s", tt.path, status, text)
		}
	}
	all := start(t, nil, Options{})
	if status, text := get(all, "/v1/models"); status != 200 || !strings.Contains(text, `"id":"claude-sonnet-5-5"`) {
		t.Errorf("the default list is %d %s", status, text)
	}
}

func TestServerRecords(t *testing.T) {
	s := start(t, Replies{Say("a"), Say("b")}, Options{})
	say(t, s, "/v1/messages?beta=true", streamed, "X-Mine", "yes")
	say(t, s, "/v1/messages", messagesBody(ok))
	rs := s.Requests()
	if len(rs) != 2 {
		t.Fatalf("%d requests", len(rs))
	}
	r := rs[0]
	if r.Method != "POST" || r.Path != "/v1/messages?beta=true" || r.Header.Get("X-Mine") != "yes" || string(r.Body) != streamed ||
		r.Size != len(streamed) || r.Status != 200 || r.Refused != "" || r.Left || r.Request().Messages[0].Text() != "hi" {
		t.Errorf("recorded %+v", r)
	}
	if r.Began.After(r.Received) || r.Received.After(r.Answered) || r.Answered.After(r.Ended) || r.Began.IsZero() {
		t.Errorf("the times are %v %v %v %v", r.Began, r.Received, r.Answered, r.Ended)
	}
	if rs[1].Status != 400 || rs[1].Refused != `messages: first message must use the "user" role` {
		t.Errorf("recorded %+v", rs[1])
	}
}

func TestServerDropsBodies(t *testing.T) {
	s := start(t, Replies{Say("a")}, Options{DropBodies: true})
	say(t, s, "/v1/messages", streamed)
	if r := s.Requests()[0]; r.Body != nil || r.Size != len(streamed) {
		t.Errorf("recorded %+v", r)
	}
}

// TestServerReadsLongBodies sees that a client gets to know that its body was
// too long, instead of a broken connection.
func TestServerReadsLongBodies(t *testing.T) {
	s := start(t, Replies{Say("left")}, Options{MaxBody: 1 << 20})
	body := strings.Replace(streamed, "hi", strings.Repeat("long ", 4<<20), 1)
	status, mime, _ := say(t, s, "/v1/messages", body)
	if r := s.Requests()[0]; status != 413 || mime != "text/html" || r.Size != len(body) || len(r.Body) != 1<<20+1 || r.Refused == "" {
		t.Errorf("%d %s, recorded %d of %d bytes, %q", status, mime, len(r.Body), r.Size, r.Refused)
	}
	if len(s.Problems()) != 0 || s.Remaining() != 1 {
		t.Errorf("problems %v, %d replies left", s.Problems(), s.Remaining())
	}
}

func TestServerCuts(t *testing.T) {
	for script, want := range map[string]struct {
		status int // 0: no answer at all
		events int
	}{
		"cut":                     {0, 0},
		"wait 1ms\ncut":           {0, 0},
		"start\ncut":              {200, 1},
		"text \"a\"\ncut":         {200, 4},
		"text \"a\"\ncut after 0": {200, 0},
		"cut after 2\ntext \"a\"": {200, 2},
		"text \"a\"\ncut after 5": {200, 5},
		// The connection is closed hard, whatever the number of bytes.
		"text \"a\"\nbytes 3\ncut after 3": {200, 3},
	} {
		t.Run(script, func(t *testing.T) {
			s := start(t, MustParse(script), Options{})
			conn, err := net.Dial("tcp", s.listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			if _, err := io.WriteString(conn, "POST /v1/messages HTTP/1.1\r\nHost: x\r\nX-Api-Key: k\r\nAnthropic-Version: 2023-06-01\r\n"+
				"Content-Type: application/json\r\nContent-Length: "+strconv.Itoa(len(streamed))+"\r\n\r\n"+streamed); err != nil {
				t.Fatal(err)
			}
			resp, err := http.ReadResponse(bufio.NewReader(conn), nil) //nolint:bodyclose // conn is closed
			if want.status == 0 {
				if err == nil {
					t.Fatalf("there is an answer: %s", resp.Status)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			b, err := io.ReadAll(resp.Body)
			if !errors.Is(err, io.ErrUnexpectedEOF) || bytes.Count(b, []byte("event: ")) != want.events || !bytes.HasSuffix(append([]byte("\n\n"), b...), []byte("\n\n")) {
				t.Errorf("%v after\n%s", err, b)
			}
		})
	}
}

// TestServerInFakeTime is what Pipe is for: a real HTTP client with an idle
// timeout against a stream that stalls, without waiting.
func TestServerInFakeTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, dial := Pipe()
		s := start(t, MustParse("text \"a\"\nwait 10s\nping\nwait 10s\nstall"), Options{Listener: l})
		transport := &http.Transport{DialContext: dial}
		defer transport.CloseIdleConnections()
		began := time.Now()

		resp := post(t, &http.Client{Transport: transport}, s.URL()+"/v1/messages", streamed)
		const idle = 30 * time.Second
		timer := time.AfterFunc(idle, func() { resp.Body.Close() })
		defer timer.Stop()
		text, buf := "", make([]byte, 4096)
		for {
			n, err := resp.Body.Read(buf)
			text += string(buf[:n])
			if err != nil {
				break
			}
			timer.Reset(idle)
		}
		if d := time.Since(began); d != 10*time.Second+idle {
			t.Errorf("it took %s", d)
		}
		if !strings.HasSuffix(text, "event: ping\ndata: {\"type\":\"ping\"}\n\n") {
			t.Errorf("what came was\n%s", text)
		}
		synctest.Wait()
		if r := s.Requests()[0]; !r.Left || !r.Ended.Equal(began.Add(10*time.Second+idle)) {
			t.Errorf("recorded %+v", r)
		}
	})
}

func TestServerPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, dial := Pipe()
		s := start(t, Replies{Say("two pieces need more than 24 bytes")}, Options{Listener: l, Pace: time.Second})
		transport := &http.Transport{DialContext: dial}
		defer transport.CloseIdleConnections()
		began := time.Now()
		resp := post(t, &http.Client{Transport: transport}, s.URL()+"/v1/messages", streamed)
		defer resp.Body.Close()
		if _, err := io.ReadAll(resp.Body); err != nil || time.Since(began) != 2*time.Second {
			t.Errorf("it took %s, error %v", time.Since(began), err)
		}
	})
}

// TestServerClose sees that closing ends what is stalled and refuses what comes
// after.
func TestServerClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, dial := Pipe()
		s := start(t, Replies{Reply{}.Start().Stall()}, Options{Listener: l})
		transport := &http.Transport{DialContext: dial}
		defer transport.CloseIdleConnections()
		resp := post(t, &http.Client{Transport: transport}, s.URL()+"/v1/messages", streamed)
		defer resp.Body.Close()
		if err := errors.Join(s.Close(), s.Close()); err != nil {
			t.Error(err)
		}
		if b, err := io.ReadAll(resp.Body); err == nil {
			t.Errorf("the stream ended well: %s", b)
		}
		if _, err := dial(context.Background(), "pipe", ""); !errors.Is(err, net.ErrClosed) {
			t.Errorf("dialling a closed server gives %v", err)
		}
	})
}

// TestScriptsHaveNoState plays one script on two servers.
func TestScriptsHaveNoState(t *testing.T) {
	script := Replies{Say("a").Repeat(2), Say("b")}
	for range 2 {
		s := start(t, script, Options{})
		for _, want := range []string{"a", "a", "b"} {
			if _, _, text := say(t, s, "/v1/messages", streamed); !strings.Contains(text, `"text_delta","text":"`+want+`"`) {
				t.Errorf("got %s instead of %s", text, want)
			}
		}
	}
	if !reflect.DeepEqual(script, Replies{Say("a").Repeat(2), Say("b")}) {
		t.Errorf("the script became\n%s", script)
	}
}

func TestGuards(t *testing.T) {
	script := MustParse("when \"compact\"\ntext \"summary\"\n---\nwhen /\"model\":\"m[23]\"/\ntext \"other\"\n---\ntext \"first\"\n---\ntext \"second\"")
	s := start(t, script, Options{})
	for _, tt := range []struct{ body, want string }{
		{streamed, "first"},
		{strings.Replace(streamed, "m1", "m2", 1), "other"},
		{strings.Replace(streamed, `"hi"`, `"please compact"`, 1), "summary"},
		{strings.Replace(streamed, `"hi"`, `"please compact"`, 1), "second"},
	} {
		if _, _, text := say(t, s, "/v1/messages", tt.body); !strings.Contains(text, `"text_delta","text":"`+tt.want+`"`) {
			t.Errorf("%s got %s instead of %s", tt.body, text, tt.want)
		}
	}
	if n := s.Remaining(); n != 0 {
		t.Errorf("%d replies are left", n)
	}
}
