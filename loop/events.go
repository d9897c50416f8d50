package loop

import (
	"context"
	"iter"
)

// Events is [Run] as a sequence to range over. Its last element is a [Finish],
// or a nil Event and the error of Run. The sequence is single use.
//
// The loop waits for the consumer: it does not run ahead of a range that is
// busy. Breaking out cancels the run, and the range statement ends only after
// every tool and goroutine of the run has; what the run then still had to say
// is dropped. then, when not nil, receives the state the run ended in, before
// the range ends.
func Events(ctx context.Context, d *Driver, s State, then func(State)) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		events, dropped := make(chan Event), make(chan struct{})
		var err error
		go func() {
			defer close(events)
			var end State
			end, _, err = Run(ctx, d, s, func(e Event) {
				select {
				case events <- e:
				case <-dropped:
				}
			})
			if then != nil {
				then(end)
			}
		}()
		for e := range events {
			if !yield(e, nil) {
				cancel()
				close(dropped)
				for range events { // until the run is gone
				}
				return
			}
		}
		if err != nil {
			yield(nil, err)
		}
	}
}
