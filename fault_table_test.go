package daruma_test

import (
	"strings"
	"testing"
	"time"

	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/model/modeltest"
)

// fault is one line of the matrix.
type fault struct {
	name  string
	reply modeltest.Reply
	want  outcomes
	// early is what comes of it where calls that change something may start
	// while their reply is still streaming; zero means the same as want.
	early outcomes
	last  string // the answer of a run that completes; empty means "done"
	later string // why the outcome is not the last word; empty means that it is
}

// outcomes are what comes of a fault that happens once, three times in a row,
// and always: "end requests runs", which is how the first prompt's run ends,
// after how many requests, and how often the tool that changes something ran.
type outcomes [3]string

// variants are the ways to run calls that may matter to the fault.
func (f fault) variants() []variant {
	if testing.Short() {
		return variants[:1]
	}
	if strings.Contains(f.reply.String(), "call ") {
		return variants
	}
	return []variant{variants[0], variants[len(variants)-1]}
}

func (f fault) outcome(v variant, i int) string {
	if f.early != (outcomes{}) && v.name == variants[0].name {
		return f.early[i]
	}
	return f.want[i]
}

func (f fault) answer() string {
	switch f.last {
	case "":
		return "done"
	case nothing:
		return ""
	default:
		return f.last
	}
}

const nothing = "(nothing)"

// What comes of most faults.
var (
	passes   = outcomes{"completed 3 1", "completed 5 1", "model_error 11 0"}  // ten retries
	odd      = outcomes{"completed 3 1", "model_error 3 0", "model_error 3 0"} // two
	silent   = outcomes{"completed 3 1", "model_error 2 0", "model_error 2 0"} // one
	stays    = outcomes{"model_error 1 0", "model_error 1 0", "model_error 1 0"}
	tooLong  = outcomes{"prompt_too_long 1 0", "prompt_too_long 1 0", "prompt_too_long 1 0"}
	cutShort = outcomes{"completed 3 1", "completed 5 1", "output_limit 5 0"} // more room once, then three resumes
	refused  = outcomes{"completed 3 1", "completed 5 1", "max_turns 15 0"}   // calls are answered, and the model repeats them
	wanted   = outcomes{"completed 3 2", "completed 5 4", "max_turns 15 15"}  // no fault at all: it calls again and again
	fine     = outcomes{"completed 1 0", "completed 1 0", "completed 1 0"}

	// The same, where a call that ran keeps each of these replies.
	passesKept = outcomes{"completed 3 2", "completed 5 4", "model_error 11 11"}
	staysKept  = outcomes{"model_error 1 1", "model_error 1 1", "model_error 1 1"}
	cutKept    = outcomes{"completed 3 2", "completed 5 4", "output_limit 5 5"}
	bothKept   = outcomes{"completed 3 3", "completed 5 7", "model_error 11 22"}
)

// Why some outcomes are not the last word.
const (
	noCompaction = "nothing shortens the conversation yet"
	noStripping  = "nothing strips media yet"
	noRefresh    = "credentials are not renewed yet"
	noNudge      = "an empty answer is not asked for again yet"
	noPause      = "a pause is not continued yet"
	noGuard      = "a model that repeats itself is not stopped yet (B013)"
)

// More follows the calls of these replies, so they may start early. The tools
// take a second.
var (
	changed  = modeltest.Say("I count.").Call("t1", "count", `{}`).Text("so").Wait(5 * time.Second)
	changing = modeltest.Say("I count.").Call("t1", "count", `{}`).Text("so")
	looking  = modeltest.Say("I look.").Call("t1", "look", `{}`).Call("t2", "count", `{}`).Text("so")
	words    = modeltest.Say("partial words")
)

// long is an input that is sent in several pieces.
const long = `{"a":"0123456789012345678901234567890123456789"}`

var faults = []fault{
	// An answer with a status.
	{name: "http 408", reply: modeltest.HTTP(408), want: passes},
	{name: "http 409", reply: modeltest.HTTP(409), want: passes},
	{name: "http 429", reply: modeltest.HTTP(429), want: passes},
	{name: "http 429, retry after 7s", reply: modeltest.Failure{Status: 429}.RetryAfter(7).Reply(), want: passes},
	{name: "http 429, retry after an hour", reply: modeltest.Failure{Status: 429}.RetryAfter(3600).Reply(), want: stays},
	{name: "http 429, spend limit", reply: modeltest.Failure{Status: 429, Code: "enforced_spend_limit_reached"}.Reply(), want: stays},
	{name: "http 500", reply: modeltest.HTTP(500), want: passes},
	{name: "http 502, html", reply: modeltest.Body(502, "text/html", "<html>bad gateway</html>"), want: passes},
	{name: "http 503", reply: modeltest.HTTP(503), want: passes},
	{name: "http 504", reply: modeltest.HTTP(504), want: passes},
	{name: "http 529", reply: modeltest.HTTP(529), want: passes},
	{name: "http 529, do not retry", reply: modeltest.Failure{Status: 529, Header: map[string]string{"X-Should-Retry": "false"}}.Reply(), want: stays},
	{name: "http 400", reply: modeltest.HTTP(400), want: stays},
	{name: "http 401", reply: modeltest.HTTP(401), want: stays, later: noRefresh},
	{name: "http 402", reply: modeltest.HTTP(402), want: stays},
	{name: "http 403", reply: modeltest.HTTP(403), want: stays},
	{name: "http 404", reply: modeltest.HTTP(404), want: stays},
	{name: "http 413", reply: modeltest.HTTP(413), want: tooLong, later: noCompaction},
	{name: "redirect", reply: modeltest.Body(302, "text/html", "moved"), want: stays},
	{
		name:  "prompt too long",
		reply: modeltest.Failure{Status: 400, Message: "prompt is too long: 1100000 tokens > 1000000 maximum"}.Reply(),
		want:  tooLong, later: noCompaction,
	},
	{
		name:  "image too large",
		reply: modeltest.Failure{Status: 400, Message: "messages.0.content.0.image.source.base64: image exceeds 10 MB maximum"}.Reply(),
		want:  outcomes{"media_error 1 0", "media_error 1 0", "media_error 1 0"}, later: noStripping,
	},

	// Something else than a stream, with status 200.
	{name: "html", reply: modeltest.Body(200, "text/html", "<html>login</html>"), want: odd},
	{name: "json", reply: modeltest.Body(200, "application/json", `{"id":"msg_1","type":"message","role":"assistant","content":[]}`), want: odd},
	{name: "error object", reply: modeltest.Body(200, "application/json", `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`), want: passes},
	{name: "nothing at all", reply: modeltest.Body(200, "text/event-stream", ""), want: passes},

	// An error event inside the stream.
	{name: "error at the start", reply: modeltest.Reply{}.Start().Error("overloaded_error", "Overloaded"), want: passes},
	{name: "error behind the text", reply: words.Error("overloaded_error", "Overloaded"), want: passes},
	{name: "api error behind the text", reply: words.Error("api_error", "Internal server error"), want: passes},
	{name: "error that stays", reply: words.Error("authentication_error", "expired"), want: stays, later: noRefresh},
	{name: "error behind a call", reply: modeltest.Call("t1", "count", `{}`).Error("overloaded_error", "Overloaded"), want: passes},
	{name: "error while looking", reply: looking.Error("overloaded_error", "Overloaded"), want: passes},
	{name: "error during a change", reply: changing.Error("overloaded_error", "Overloaded"), want: passes, early: passesKept},
	{name: "error after a change", reply: changed.Error("overloaded_error", "Overloaded"), want: passes, early: passesKept},
	{name: "error that stays, during a change", reply: changing.Error("invalid_request_error", "no"), want: stays, early: staysKept},
	{name: "error that stays, after a change", reply: changed.Error("invalid_request_error", "no"), want: stays, early: staysKept},

	// The connection goes.
	{name: "cut before the answer", reply: modeltest.Reply{}.Cut(), want: passes},
	{name: "cut behind the header", reply: modeltest.Reply{}.CutAfter(0), want: passes},
	{name: "cut at the start", reply: modeltest.Reply{}.Start().Cut(), want: passes},
	{name: "cut behind a text's start", reply: words.CutAfter(2), want: passes},
	{name: "cut in the text", reply: words.CutAfter(3), want: passes},
	{name: "cut behind the text", reply: words.Cut(), want: passes},
	{name: "cut before the last event", reply: words.CutAfter(5), want: passes},
	{name: "cut behind a call's start", reply: modeltest.Call("t1", "count", `{}`).CutAfter(2), want: passes},
	{name: "cut in a call's input", reply: modeltest.Call("t1", "count", long).CutAfter(4), want: passes},
	{name: "cut behind a call", reply: modeltest.Call("t1", "count", `{}`).Cut(), want: passes},
	{name: "cut while looking", reply: looking.Cut(), want: passes},
	{name: "cut during a change", reply: changing.Cut(), want: passes, early: passesKept},
	{name: "cut after a change", reply: changed.Cut(), want: passes, early: passesKept},
	{name: "cut in the call after a change", reply: changed.Call("t2", "count", long).CutAfter(14), want: passes, early: passesKept},
	{name: "cut behind the call after a change", reply: changed.Call("t2", "count", long).Cut(), want: passes, early: bothKept},

	// Silence.
	{name: "stall before the answer", reply: modeltest.Reply{}.Stall(), want: silent},
	{name: "stall at the start", reply: modeltest.Reply{}.Start().Stall(), want: silent},
	{name: "stall behind the text", reply: words.Stall(), want: silent},
	{name: "stall after a change", reply: changed.Stall(), want: silent, early: outcomes{"completed 3 2", "model_error 2 2", "model_error 2 2"}},
	{name: "late answer", reply: modeltest.Reply{}.Wait(9 * time.Minute).Text("late"), want: fine, last: "late"},
	{name: "long pause", reply: words.Wait(110 * time.Second), want: fine, last: "partial words"},
	{name: "slow with pings", reply: pinged(10), want: fine, last: "pinged"},

	// Replies that come whole and are not good.
	{name: "text cut off", reply: modeltest.Reply{}.CutText("partial words"), want: cutShort},
	{name: "call cut off", reply: modeltest.Say("I count.").CutCall("t1", "count", `{"a":`), want: cutShort},
	{name: "whole call at the limit", reply: modeltest.Call("t1", "count", `{}`).End(message.StopLength), want: cutShort},
	{name: "thinking cut off", reply: modeltest.Think("hm", "").End(message.StopLength), want: cutShort},
	{name: "nothing at the limit", reply: modeltest.Reply{}.End(message.StopLength), want: outcomes{"completed 3 1", "output_limit 2 0", "output_limit 2 0"}},
	{name: "cut off while looking", reply: looking.CutText("partial words"), want: outcomes{"completed 3 1", "completed 5 3", "output_limit 5 3"}},
	{name: "cut off after a change", reply: changed.CutText("partial words"), want: outcomes{"completed 3 1", "completed 5 3", "output_limit 5 3"}, early: cutKept},
	{name: "call cut off after a change", reply: changed.CutCall("t2", "count", `{"a":`), want: outcomes{"completed 3 1", "completed 5 3", "output_limit 5 3"}, early: cutKept},
	{name: "window full", reply: words.End(message.StopWindow), want: outcomes{"completed 3 1", "completed 5 1", "output_limit 4 0"}, later: noCompaction},
	{name: "input that is no json", reply: modeltest.Call("t1", "count", `{"a": oops`), want: refused, later: noGuard},
	{name: "input that is no object", reply: modeltest.Call("t1", "count", `[1]`), want: refused, later: noGuard},
	{name: "input that does not fit", reply: modeltest.Call("t1", "count", `{"a":{}}`), want: refused, later: noGuard},
	{name: "unknown tool", reply: modeltest.Call("t1", "fly", `{}`), want: refused, later: noGuard},
	{name: "call without a name", reply: modeltest.Call("t1", "", `{}`), want: refused, later: noGuard},
	{name: "empty", reply: modeltest.Reply{}, want: fine, last: nothing, later: noNudge},
	{name: "blank text", reply: modeltest.Say(" \n"), want: fine, last: nothing, later: noNudge},
	{name: "thinking only", reply: modeltest.Think("hm", ""), want: fine, last: nothing, later: noNudge},
	{name: "refusal", reply: words.Refuse("not that"), want: stays},
	{name: "refusal after a change", reply: changed.Refuse("not that"), want: stays, early: staysKept},
	{name: "pause", reply: words.End(message.StopPause), want: stays, later: noPause},
	{name: "pause after a change", reply: changed.End(message.StopPause), want: stays, early: staysKept, later: noPause},

	// What only looks like a fault.
	{name: "blank text beside a call", reply: modeltest.Say("").Call("t1", "count", `{}`).Text("\n"), want: wanted},
	{name: "calls, and the stop says end", reply: modeltest.Call("t1", "count", `{}`).End(message.StopEnd), want: wanted},
	{name: "one id twice", reply: modeltest.Call("t1", "count", `{}`).Call("t1", "count", `{}`), want: outcomes{"completed 3 3", "completed 5 7", "max_turns 15 30"}},
	{name: "no usage", reply: words.NoUsage(), want: fine, last: "partial words"},

	// The wire.
	{name: "one byte at a time", reply: modeltest.Say("北京 café").Call("t1", "count", `{"a":"北京 café"}`).Bytes(1), want: wanted},
	{name: "one byte at a time, then cut", reply: modeltest.Say("北京 café").Bytes(1).Cut(), want: passes},
	{name: "unknown events", reply: words.Raw("event: news\ndata: {\"type\":\"news\"}\n\n: comment\n\n"), want: fine, last: "partial words"},
	{name: "event that is no json", reply: words.Raw("event: content_block_delta\ndata: {oops\n\n"), want: odd},
	{name: "event that is no json, after a change", reply: changed.Raw("data: {oops\n\n"), want: odd, early: outcomes{"completed 3 2", "model_error 3 3", "model_error 3 3"}},
}

// pinged is a reply with a sign of life each minute.
func pinged(minutes int) modeltest.Reply {
	r := modeltest.Reply{}.Start()
	for range minutes {
		r = r.Wait(time.Minute).Ping()
	}
	return r.Text("pinged")
}
