package loop

import (
	"context"
	"iter"
)

// Events is [Run] as a sequence to range over. Its last element is a [Finish],
// or a nil Event and the error of Run. The sequence is single use.
//
// The loop waits while the body of the range is busy with an event. Breaking out
// of it, or panicking, cancels the run, and the range statement ends only after
// every tool and goroutine of the run has; what the run then still had to say is
// dropped. then, when not nil, receives the state the run ended in, before the
// range ends.
func Events(ctx context.Context, d *Driver, s State, then func(State)) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		events, seen, gone := make(chan Event), make(chan struct{}), make(chan struct{})
		var err error
		go func() {
			defer close(events)
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
		if err != nil {
			yield(nil, err)
		}
	}
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
