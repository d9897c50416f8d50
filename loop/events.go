package loop

import (
	"context"
	"fmt"
	"iter"
	"runtime/debug"
)

// Events is [Run] as a sequence to range over. Its last element is a [Finish],
// or a nil Event and the error of Run. The sequence is single use.
//
// The loop waits while the body of the range is busy with an event. Breaking out
// of it, or panicking, cancels the run, and the range statement ends only after
// every tool and goroutine of the run has; what the run then still had to say is
// dropped. A panic of the run becomes a panic of the range. then, when not nil,
// receives the state the run ended in, before the range ends.
func Events(ctx context.Context, d *Driver, s State, then func(State)) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		events, seen, gone := make(chan Event), make(chan struct{}), make(chan struct{})
		var err error
		var crash *crash
		go func() {
			defer close(events)
			defer func() { crash = crashOf(recover()) }()
			var end State
			end, _, err = Run(ctx, d, s, func(e Event) { hand(e, events, seen, gone) })
			if then != nil {
				then(end)
			}
		}()
		defer func() {
			cancel()
			close(gone)
			for range events { // until the run has ended
			}
		}()
		for e := range events {
			if !yield(e, nil) {
				return
			}
			seen <- struct{}{}
		}
		if crash != nil {
			panic(crash) // where the caller can see to it
		}
		if err != nil {
			yield(nil, err)
		}
	}
}

// crash is a panic of the run, on its way to the consumer's goroutine.
type crash struct {
	value any
	stack []byte
}

func crashOf(value any) *crash {
	if value == nil {
		return nil
	}
	return &crash{value, debug.Stack()}
}

func (c *crash) Error() string {
	return fmt.Sprintf("loop: the run crashed: %v\n\n%s", c.value, c.stack)
}

// hand gives one event to the consumer and waits until it is done with it, or
// gone.
func hand(e Event, events chan<- Event, seen, gone <-chan struct{}) {
	select {
	case events <- e:
	case <-gone:
		return
	}
	select {
	case <-seen:
	case <-gone:
	}
}
