package anthropic

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/model"
)

var update = flag.Bool("update", false, "rewrite the golden files")

const errorsFile = "testdata/errors.txt"

// TestClassify prints what every known answer becomes and compares with the
// golden file.
func TestClassify(t *testing.T) {
	raw, err := os.ReadFile(errorsFile)
	if err != nil {
		t.Fatal(err)
	}
	cases := strings.Split(string(raw), "\n== ")
	got := cases[0]
	for _, c := range cases[1:] {
		in, _, _ := strings.Cut(c, "\n=> ")
		e := classifyText(t, strings.TrimSpace(in))
		printed, err := message.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		got += fmt.Sprintf("\n== %s\n\n=> %s\n%s\n", strings.TrimSpace(in), printed, e)
	}
	if *update {
		if err := os.WriteFile(errorsFile, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if got != string(raw) {
		t.Errorf("%s is out of date; run with -update and look at the difference. Got:\n%s", errorsFile, got)
	}
}

// classifyText classifies a case of the golden file: its name, and an HTTP
// answer.
func classifyText(t *testing.T, c string) *model.Error {
	t.Helper()
	name, answerText, _ := strings.Cut(c, "\n")
	head, body, _ := strings.Cut(answerText, "\n\n")
	resp, err := http.ReadResponse(bufio.NewReader(strings.NewReader(head+"\n\n")), nil)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	defer resp.Body.Close()
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	return classify(answer{status: resp.StatusCode, header: resp.Header, body: []byte(body), now: now})
}

// Every type of error that the API documents must have a kind of its own
// meaning inside a stream, where no status helps.
func TestClassifyKnowsEveryType(t *testing.T) {
	for _, tk := range typeKinds {
		body, _ := json.Marshal(map[string]any{"error": map[string]string{"type": tk.name, "message": "x"}})
		if e := classify(answer{status: 200, body: body}); e.Kind != tk.kind {
			t.Errorf("%s became %s, want %s", tk.name, e.Kind, tk.kind)
		}
	}
}

func FuzzClassify(f *testing.F) {
	f.Add(400, []byte(`{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 3 tokens > 2 maximum"}}`), "3")
	f.Add(413, []byte("<html><title>413 İ</title>"), "Mon, 30 Nov 2026 12:01:30 GMT")
	f.Add(200, []byte(`{"error":"x","detail":[1]}`), "1e999")
	f.Fuzz(func(t *testing.T, status int, body []byte, after string) {
		e := classify(answer{status: status, header: http.Header{"Retry-After": {after}}, body: body})
		e.Kind.Transient() // panics on a kind that does not exist
		if e.RetryAfter < 0 || e.RetryAfter > maxRetryAfter {
			t.Errorf("RetryAfter = %v", e.RetryAfter)
		}
		if strings.ContainsAny(e.Error(), "\n\r\x1b\x00") {
			t.Errorf("the error is not one plain line: %q", e.Error())
		}
	})
}
