// Package modeltest plays scripted models: a [Client] that yields a script as
// events without a network, and a strict [Server] that speaks the Anthropic
// Messages wire as the service does and refuses what the service refuses. Both
// play the same [Script], with the same faults at the same places. The suite
// that every [model.Client] passes is in package clienttest.
//
// A script is made in Go, as in
//
//	modeltest.Replies{
//		modeltest.Call("t1", "read", `{"path":"a"}`),
//		modeltest.HTTP(529),
//		modeltest.Say("done"),
//	}
//
// or it is a [Func] that looks at each request, or it is text.
//
// # The server
//
// Make a [Server] with [New], Start it, and give its URL to whatever speaks the
// wire. It answers requests that are valid with the next reply, counts tokens,
// lists models, plays the prompt cache, and keeps a record of everything.
// Afterwards [Server.Problems] should be empty and [Server.Remaining] zero. It
// is strict: a request that the service would refuse is refused with about the
// service's words, and uses up no reply. Thinking in particular has to come
// back as it was sent, to the model that wrote it, behind the conversation it
// followed; the newest models demand that, and here all do. With [Pipe], client
// and server can meet within a bubble of testing/synctest, where stalls and
// waits take no time.
//
// # The script language
//
// [Parse] reads it and [Replies.String] writes it. A line is a step of a reply
// or says something about it; a line "---" stands between two replies. Blank
// lines and lines that start with # are comments, and so is the rest of a line
// after " #", but not where JSON runs to the end of the line. Strings are
// quoted as in Go, with double quotes or backquotes.
//
// The parts, in the order they are sent:
//
//	text "Hello "
//	thinking "let me see" sig=abc        without sig= the signature is made up, and unique
//	call t1 read {"path":"a"}            id, name, input; the input is sent to the byte
//	call t2 list                         no input comes at all, which means {}
//	block {"type":"web_search_tool_result","tool_use_id":"s1","content":[]}
//	truncate text "half a sen"           the output limit cut it: the part ends, stop reason length
//	truncate call t1 write {"path":"a    the same within a call
//	badjson call t1 write {"path": oops  an input that is no JSON, in a reply that ends well
//	empty                                no parts
//
// How the reply ends and what it costs:
//
//	end tool                             stop, tool, length, sequence, pause, refusal, window or compaction
//	end refusal "I will not do that."    with the provider's explanation
//	usage in=100 out=20 read=0 write=0   also write1h= and thinking=; what is missing is 0
//	usage none                           no figures are reported
//
// Without end, a reply with a truncated part ends with length, one with calls
// with tool, and all others with stop. Without usage, the tokens are counted,
// see [CountTokens].
//
// Faults, anywhere in a reply:
//
//	start                                open the stream now, for a fault right after it
//	ping                                 a sign of life
//	wait 3s                              pause, then go on
//	stall                                stay open and silent until the other side goes
//	cut                                  close the connection
//	cut after 3                          close it after 3 events in all, counted on the wire
//	error overloaded_error "Overloaded"  an error event, then the end
//	raw "event: x\ndata: {}\n\n"         bytes of the stream
//	bytes 1                              write one byte at a time
//
// The stream opens with the first step that belongs into it. So a wait, stall
// or cut that stands first happens before the answer has begun. An answer can
// also be no stream at all, and then only wait may stand before it:
//
//	http 529 retry-after=2 "Overloaded"
//	http 429 type=rate_limit_error code=enforced_spend_limit_reached header.x-should-retry=false
//	body 200 text/html "<html>login</html>"
//
// And for the script:
//
//	when "list the files"                only for a request whose body contains it
//	when /"model":"[^"]*haiku/           or matches the regular expression
//	repeat 50                            stands for 50 equal replies
//
// A request takes the first reply that is left and admits it. A request for
// which there is none fails.
package modeltest
