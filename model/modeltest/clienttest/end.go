package clienttest

import (
	"errors"
	"fmt"

	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/model"
	"github.com/daruma-dev/daruma/model/modeltest"
)

// endRules are about how a reply ends.
func endRules() []rule {
	return []rule{
		{
			name:  "a reply that is cut off",
			says:  "a reply that ends without the protocol's end is a failure of kind Cut, wherever it ends; parts that were done before are whole",
			check: checkCuts,
		},
		{
			name: "no answer",
			says: "a connection that closes before the answer is a failure of kind Network or Cut, and is not tried again",
			check: func(s *stage) error {
				sc, err := s.play(modeltest.Say("first"), modeltest.Reply{}.Cut(), modeltest.Say("never"))
				if err != nil {
					return err
				}
				if _, err := sc.succeed(question("hi")); err != nil {
					return err
				}
				if _, err := sc.fail(question("hi"), model.Network, model.Cut); err != nil {
					return err
				}
				return sc.came(2)
			},
		},
		{
			name: "a clean end that comes too early",
			says: "an answer that ends in good order, but without message_stop, is a failure of kind Cut",
			wire: true,
			check: func(s *stage) error {
				return failEach(s, model.Cut,
					streamBody(startEvent+textEvents),
					streamBody(startEvent+textEvents+endEvent),
					streamBody(startEvent),
					streamBody(""))
			},
		},
		{
			name:  "stop reasons",
			says:  "Done carries the stop reason, and the explanation of a refusal",
			check: checkStops,
		},
		{
			name: "an unknown stop reason",
			says: "a stop reason that we do not know yet ends the reply and does not break it",
			wire: true,
			check: func(s *stage) error {
				sc, err := s.play(streamBody(startEvent + textEvents + event(`{"type":"message_delta","delta":{"stop_reason":"tired"},"usage":{"output_tokens":9}}`) + stopEvent))
				if err != nil {
					return err
				}
				o, err := sc.succeed(question("hi"))
				return errors.Join(err, o.is(message.Text{Text: "hello"}))
			},
		},
		{
			name: "the end is the end",
			says: "a reply is over at message_stop, even if the connection stays open",
			wire: true,
			check: func(s *stage) error {
				sc, err := s.play(modeltest.Reply{}.Start().Raw(textEvents + endEvent + stopEvent).Stall())
				if err != nil {
					return err
				}
				o, err := sc.succeed(question("hi"))
				return errors.Join(err, o.is(message.Text{Text: "hello"}))
			},
		},
		{
			name: "cut off at the output limit",
			says: "a reply that the output limit cut off ends well, with StopLength and what there is of its last part",
			check: func(s *stage) error {
				sc, err := s.play(modeltest.Say("Writing.").CutCall("t1", "write", `{"path":"f","content":"abc`))
				if err != nil {
					return err
				}
				o, err := sc.succeed(question("hi"))
				if err != nil {
					return err
				}
				if o.done.Stop != message.StopLength {
					return fmt.Errorf("the stop reason is %q", o.done.Stop)
				}
				return o.is(message.Text{Text: "Writing."},
					message.Call{ID: "t1", Name: "write", Input: []byte(`{"path":"f","content":"abc`)})
			},
		},
	}
}

// checkCuts cuts one reply after each of its events.
func checkCuts(s *stage) error {
	for n := range 200 {
		sc, err := s.play(whole().CutAfter(n))
		if err != nil {
			return err
		}
		o, err := sc.ask(question("hi"))
		if err != nil {
			return fmt.Errorf("cut after %d events: %w", n, err)
		}
		if o.done != nil { // n was the number of its events
			if n < 10 {
				return fmt.Errorf("cut after %d events: the reply ended well", n)
			}
			return o.is(wholeParts()...)
		}
		if err := o.failed(model.Cut); err != nil {
			return fmt.Errorf("cut after %d events: %w", n, err)
		}
		if err := o.is(wholeParts()[:len(o.parts)]...); err != nil {
			return fmt.Errorf("cut after %d events: %w", n, err)
		}
	}
	return errors.New("the reply never ended")
}

func checkStops(s *stage) error {
	for _, stop := range []message.StopReason{
		message.StopEnd, message.StopTool, message.StopLength, message.StopSequence, message.StopPause,
		message.StopRefusal, message.StopWindow, message.StopCompact,
	} {
		sc, err := s.play(modeltest.Say("ok").End(stop))
		if err != nil {
			return err
		}
		o, err := sc.succeed(question("hi"))
		if err != nil {
			return fmt.Errorf("stop reason %q: %w", stop, err)
		}
		if o.done.Stop != stop {
			return fmt.Errorf("the stop reason %q came as %q", stop, o.done.Stop)
		}
	}
	sc, err := s.play(modeltest.Reply{}.Refuse("I will not do that."))
	if err != nil {
		return err
	}
	o, err := sc.succeed(question("hi"))
	if err == nil && (o.done.Stop != message.StopRefusal || o.done.Detail != "I will not do that.") {
		err = fmt.Errorf("the refusal came as %+v", *o.done)
	}
	return err
}

// came says what is wrong unless just so many requests came.
func (sc *scene) came(n int) error {
	if got := sc.requests(); got >= 0 && got != n {
		return fmt.Errorf("%d requests came instead of %d", got, n)
	}
	return nil
}

// failEach plays each reply to a client of its own, which has to fail with the
// kind after one request.
func failEach(s *stage, kind model.Kind, replies ...modeltest.Reply) error {
	for _, r := range replies {
		sc, err := s.play(r)
		if err != nil {
			return err
		}
		if _, err := sc.fail(question("hi"), kind); err != nil {
			return fmt.Errorf("%s%w", r, err)
		}
		if err := sc.came(1); err != nil {
			return fmt.Errorf("%s%w", r, err)
		}
	}
	return nil
}
