package loop

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/daruma-dev/daruma/message"
)

// entryJSON is an Entry as it is stored. Kind names the result's type; the
// names are part of the journal's format and never change.
type entryJSON struct {
	Seq        int64              `json:"seq"`
	Time       time.Time          `json:"time"`
	Kind       string             `json:"kind"`
	Result     json.RawMessage    `json:"result,omitempty"`
	Made       []*message.Message `json:"made,omitempty"`
	Transition *Transition        `json:"transition,omitempty"`
}

// kinds maps each stored name to a decoder. kindOf is its inverse.
var kinds = map[string]func([]byte) (Result, error){
	"received":    decode[Received],
	"began":       decode[Began],
	"finished":    decode[Finished],
	"sampled":     decode[Sampled],
	"vetted":      decode[Vetted],
	"answered":    decode[Answered],
	"executed":    decode[Executed],
	"attached":    decode[Attached],
	"consulted":   decode[Consulted],
	"waited":      decode[Waited],
	"refreshed":   decode[Refreshed],
	"compacted":   decode[Compacted],
	"interrupted": decode[Interrupted],
	"resumed":     decode[Resumed],
	"ended":       decode[Ended],
}

func decode[R Result](b []byte) (Result, error) {
	var r R
	if len(b) == 0 {
		return r, nil
	}
	err := json.Unmarshal(b, &r)
	return r, err
}

// Kind is the name a result has in the journal and in traces.
func Kind(r Result) string {
	switch r.(type) {
	case Received:
		return "received"
	case Began:
		return "began"
	case Finished:
		return "finished"
	case Sampled:
		return "sampled"
	case Vetted:
		return "vetted"
	case Answered:
		return "answered"
	case Executed:
		return "executed"
	case Attached:
		return "attached"
	case Consulted:
		return "consulted"
	case Waited:
		return "waited"
	case Refreshed:
		return "refreshed"
	case Compacted:
		return "compacted"
	case Interrupted:
		return "interrupted"
	case Resumed:
		return "resumed"
	case Ended:
		return "ended"
	default:
		panic(fmt.Sprintf("loop: unhandled result %T", r))
	}
}

// MarshalJSON encodes the entry as one line of a journal. Bytes that a model
// sent come out as they went in.
func (e Entry) MarshalJSON() ([]byte, error) {
	r, err := message.Marshal(e.Result)
	if err != nil {
		return nil, fmt.Errorf("loop: encode %s: %w", Kind(e.Result), err)
	}
	if string(r) == "{}" {
		r = nil
	}
	return message.Marshal(entryJSON{
		Seq: e.Seq, Time: e.Time, Kind: Kind(e.Result), Result: r, Made: e.Made, Transition: e.Transition,
	})
}

// UnmarshalJSON decodes what MarshalJSON wrote. A kind it does not know is an
// error: a newer daruma wrote it, and leaving it out would change the session.
func (e *Entry) UnmarshalJSON(b []byte) error {
	var in entryJSON
	if err := json.Unmarshal(b, &in); err != nil {
		return fmt.Errorf("loop: decode entry: %w", err)
	}
	dec, ok := kinds[in.Kind]
	if !ok {
		return fmt.Errorf("loop: entry %d is of the unknown kind %q; a newer version of daruma may have written it", in.Seq, in.Kind)
	}
	r, err := dec(in.Result)
	if err != nil {
		return fmt.Errorf("loop: decode entry %d (%s): %w", in.Seq, in.Kind, err)
	}
	*e = Entry{Seq: in.Seq, Time: in.Time, Result: r, Made: in.Made, Transition: in.Transition}
	return nil
}
