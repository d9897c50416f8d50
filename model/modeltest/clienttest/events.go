package clienttest

import (
	"encoding/json"

	"github.com/daruma-dev/daruma/model/modeltest"
)

// The events of a plain reply, for those that have to be put together by hand.
var (
	startEvent = event(`{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"` + modelName +
		`","content":[],"stop_reason":null,"usage":{"input_tokens":11,"cache_read_input_tokens":5,"output_tokens":1}}}`)
	textEvents = event(`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`) +
		event(`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"hel"}}`) +
		event(`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"lo"}}`) +
		event(`{"type":"content_block_stop","index":0}`)
	endEvent  = event(`{"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":9}}`)
	stopEvent = event(`{"type":"message_stop"}`)
)

// event is a server-sent event named for the type in its data.
func event(data string) string {
	var d struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal([]byte(data), &d); err != nil {
		panic(err)
	}
	return "event: " + d.Type + "\ndata: " + data + "\n\n"
}

// streamBody is an answer that is an event stream and ends in good order.
func streamBody(events string) modeltest.Reply {
	return modeltest.Body(200, "text/event-stream; charset=utf-8", events)
}
