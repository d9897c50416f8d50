package modeltest

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/daruma-dev/daruma/message"
)

// reader finds what reads the arguments of a word and adds to the reply. The
// words with raw JSON are in parser.word.
func reader(word string) func(r *Reply, args []arg) error {
	switch word {
	case "start":
		return noArgs(Reply.Start)
	case "empty":
		return noArgs(func(r Reply) Reply { return r })
	case "ping":
		return noArgs(Reply.Ping)
	case "stall":
		return noArgs(Reply.Stall)
	case "text":
		return oneString(Reply.Text)
	case "raw":
		return oneString(Reply.Raw)
	case "thinking":
		return readThinking
	case "truncate":
		return readTruncate
	case "wait":
		return readWait
	case "cut":
		return readCut
	case "error":
		return readError
	case "http":
		return readHTTP
	case "body":
		return readBody
	case "usage":
		return readUsage
	case "end":
		return readEnd
	case "bytes":
		return positive(Reply.Bytes)
	case "repeat":
		return positive(Reply.Repeat)
	case "when":
		return readWhen
	default:
		return nil
	}
}

// vocabulary lists the words for those who mistook one.
const vocabulary = "text, thinking, call, block, end, usage, empty, start, ping, wait, stall, cut, error, http, body, " +
	"truncate, badjson, raw, bytes, when and repeat"

// property reports whether a word says something about the whole reply, so that
// its place does not matter.
func property(word string, args []arg) bool {
	switch word {
	case "usage", "bytes", "repeat", "when":
		return true
	case "cut":
		return len(args) > 0
	default:
		return false
	}
}

func noArgs(add func(Reply) Reply) func(*Reply, []arg) error {
	return func(r *Reply, args []arg) error {
		if len(args) != 0 {
			return fmt.Errorf("it takes no arguments")
		}
		*r = add(*r)
		return nil
	}
}

func oneString(add func(Reply, string) Reply) func(*Reply, []arg) error {
	return func(r *Reply, args []arg) error {
		if len(args) != 1 || !args[0].quoted {
			return fmt.Errorf("it takes one quoted string")
		}
		*r = add(*r, args[0].text)
		return nil
	}
}

func positive(set func(Reply, int) Reply) func(*Reply, []arg) error {
	return func(r *Reply, args []arg) error {
		if len(args) != 1 {
			return fmt.Errorf("it takes one number")
		}
		n, err := strconv.Atoi(args[0].text)
		if err != nil || n < 1 {
			return fmt.Errorf("%q is not a number above 0", args[0].text)
		}
		*r = set(*r, n)
		return nil
	}
}

func readThinking(r *Reply, args []arg) error {
	if len(args) == 0 || !args[0].quoted || len(args) > 2 {
		return fmt.Errorf("it takes a quoted string and perhaps sig=ID")
	}
	sig := ""
	if len(args) == 2 {
		if args[1].key != "sig" || args[1].text == "" {
			return fmt.Errorf("only sig=ID may follow the string")
		}
		sig = args[1].text
	}
	*r = r.Thinking(args[0].text, sig)
	return nil
}

func readTruncate(r *Reply, args []arg) error {
	if len(args) != 2 || args[0].text != "text" || !args[1].quoted {
		return fmt.Errorf("it takes text and a quoted string, or call and a call")
	}
	*r = r.CutText(args[1].text)
	return nil
}

func readWait(r *Reply, args []arg) error {
	if len(args) != 1 {
		return fmt.Errorf("it takes a duration such as 3s")
	}
	d, err := time.ParseDuration(args[0].text)
	if err != nil || d < 0 {
		return fmt.Errorf("%q is not a duration; write 300ms, 3s or 2m", args[0].text)
	}
	*r = r.Wait(d)
	return nil
}

func readCut(r *Reply, args []arg) error {
	switch {
	case len(args) == 0:
		*r = r.Cut()
		return nil
	case len(args) == 2 && args[0].text == "after":
		n, err := strconv.Atoi(args[1].text)
		if err == nil && n >= 0 && n < 1<<30 {
			*r = r.CutAfter(n)
			return nil
		}
	}
	return fmt.Errorf("it stands alone, or with after and a number of events")
}

func readError(r *Reply, args []arg) error {
	if len(args) != 2 || args[0].quoted || args[0].key != "" || !args[1].quoted {
		return fmt.Errorf("it takes an error type and a quoted string")
	}
	*r = r.Error(args[0].text, args[1].text)
	return nil
}

// readHTTP reads: STATUS [retry-after=S] [type=T] [code=C] [header.NAME=V]
// ["message"].
func readHTTP(r *Reply, args []arg) error {
	if len(args) == 0 {
		return fmt.Errorf("it takes a status")
	}
	status, err := readStatus(args[0].text)
	if err != nil {
		return err
	}
	f := Failure{Status: status}
	for _, a := range args[1:] {
		switch {
		case a.text == "":
			return fmt.Errorf("%s says nothing; leave it out", a)
		case a.quoted && a.key == "":
			f.Message = a.text
		case a.key == "type":
			f.Type = a.text
		case a.key == "code":
			f.Code = a.text
		case a.key == "retry-after":
			f = f.header("Retry-After", a.text)
		case strings.HasPrefix(a.key, "header."):
			name := strings.TrimPrefix(a.key, "header.")
			if !isHeaderName(name) || strings.ContainsAny(a.text, "\r\n\x00") {
				return fmt.Errorf("%s is no header", a.key)
			}
			f = f.header(name, a.text)
		default:
			return fmt.Errorf("%s is none of retry-after=, type=, code=, header.NAME= and a quoted message", a)
		}
	}
	*r = r.Then(f.Reply())
	return nil
}

func isHeaderName(s string) bool {
	return s != "" && strings.Trim(s, "-0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

func readStatus(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 200 || n > 599 {
		return 0, fmt.Errorf("%q is not a status from 200 to 599", text)
	}
	return n, nil
}

func readBody(r *Reply, args []arg) error {
	if len(args) != 3 || args[1].key != "" || !args[2].quoted {
		return fmt.Errorf("it takes a status, a media type and a quoted string")
	}
	status, err := readStatus(args[0].text)
	if err != nil {
		return err
	}
	if strings.ContainsAny(args[1].text, "\r\n\x00") {
		return fmt.Errorf("%q is no media type", args[1].text)
	}
	*r = r.Then(Body(status, args[1].text, args[2].text))
	return nil
}

func readUsage(r *Reply, args []arg) error {
	if len(args) == 1 && args[0].key == "" && args[0].text == "none" {
		*r = r.NoUsage()
		return nil
	}
	var u message.Usage
	figures := map[string]*int64{
		"in": &u.Input, "out": &u.Output, "read": &u.CacheRead, "write": &u.CacheWrite,
		"write1h": &u.CacheWrite1h, "thinking": &u.Thinking,
	}
	for _, a := range args {
		figure, ok := figures[a.key]
		if !ok {
			return fmt.Errorf("%s is none of in=, out=, read=, write=, write1h=, thinking= and none", a)
		}
		n, err := strconv.ParseInt(a.text, 10, 64)
		if err != nil || n < 0 {
			return fmt.Errorf("%s is not a number of tokens", a)
		}
		*figure = n
	}
	*r = r.Usage(u)
	return nil
}

// stops are the words for stop reasons, in the order they are explained.
var stops = []struct {
	word string
	stop message.StopReason
}{
	{"stop", message.StopEnd},
	{"tool", message.StopTool},
	{"length", message.StopLength},
	{"sequence", message.StopSequence},
	{"pause", message.StopPause},
	{"refusal", message.StopRefusal},
	{"window", message.StopWindow},
	{"compaction", message.StopCompact},
}

func readEnd(r *Reply, args []arg) error {
	if r.stop != "" {
		return fmt.Errorf("the reply has ended already")
	}
	if len(args) == 2 && args[0].text == "refusal" && args[1].quoted {
		*r = r.Refuse(args[1].text)
		return nil
	}
	for _, s := range stops {
		if len(args) == 1 && args[0].text == s.word {
			*r = r.End(s.stop)
			return nil
		}
	}
	return fmt.Errorf("it takes stop, tool, length, sequence, pause, refusal, window or compaction")
}

func readWhen(r *Reply, args []arg) error {
	if len(args) != 1 || args[0].key != "" {
		return fmt.Errorf("it takes a quoted string, or a regular expression between slashes")
	}
	text := args[0].text
	if args[0].quoted {
		if text == "" {
			return fmt.Errorf("an empty text is in every request")
		}
		*r = r.When(text)
		return nil
	}
	if len(text) < 3 || text[0] != '/' || text[len(text)-1] != '/' {
		return fmt.Errorf("%s is neither quoted nor between slashes", text)
	}
	re, err := regexp.Compile(text[1 : len(text)-1])
	if err != nil {
		return err
	}
	*r = r.WhenMatch(re)
	return nil
}
