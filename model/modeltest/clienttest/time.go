package clienttest

import (
	"context"
	"errors"
	"fmt"
	"testing/synctest"
	"time"

	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/model"
	"github.com/daruma-dev/daruma/model/modeltest"
)

// moment is the longest that anything may take that should happen at once.
const moment = 100 * time.Millisecond

// timeRules are about silence, and about leaving.
func timeRules() []rule {
	return []rule{
		{
			name: "silence",
			says: "a stream that is silent for longer than the idle timeout is a failure of kind Stalled, soon after",
			check: func(s *stage) error {
				for _, r := range []modeltest.Reply{
					modeltest.Reply{}.Start().Stall(), modeltest.Say("a").Stall(), modeltest.Say("a").Wait(time.Hour).Text("b"),
				} {
					if err := stalls(s, r); err != nil {
						return fmt.Errorf("%s%w", r, err)
					}
				}
				return nil
			},
		},
		{
			name: "signs of life",
			says: "the idle timeout counts silence, not the length of the reply, and pings break the silence",
			check: func(s *stage) error {
				pings, words := modeltest.Reply{}.Start(), modeltest.Reply{}.Start()
				for range 6 {
					pings = pings.Wait(time.Second).Ping()
					words = words.Wait(time.Second).Text("word")
				}
				return lives(s, pings.Text("done"), words)
			},
		},
		{
			name: "comments are signs of life",
			says: "any bytes of the stream break the silence, also a comment",
			wire: true,
			check: func(s *stage) error {
				r := modeltest.Reply{}.Start()
				for range 6 {
					r = r.Wait(time.Second).Raw(": keep-alive\n\n")
				}
				return lives(s, r.Text("done"))
			},
		},
		{
			name: "cancellation",
			says: "when the context ends, the sequence fails with Kind Canceled within moments and the connection is closed",
			check: func(s *stage) error {
				for _, r := range []modeltest.Reply{
					modeltest.Reply{}.Stall(), modeltest.Reply{}.Start().Stall(), modeltest.Say("a").Stall(),
					modeltest.Reply{}.Wait(time.Minute).Then(modeltest.HTTP(529)),
				} {
					if err := cancels(s, r); err != nil {
						return fmt.Errorf("%s%w", r, err)
					}
				}
				return nil
			},
		},
		{
			name: "a context that has ended",
			says: "with a context that has ended before, the sequence fails with Kind Canceled at once",
			check: func(s *stage) error {
				sc, err := s.play(modeltest.Say("never"))
				if err != nil {
					return err
				}
				ctx, cancel := context.WithCancel(context.Background())
				cancel()
				o, err := take(ctx, sc.client, question("hi"), nil)
				return errors.Join(err, o.failed(model.Canceled))
			},
		},
		{
			name: "cancellation between events",
			says: "when the consumer itself ends the context while it holds an event, the sequence fails with Kind Canceled",
			check: func(s *stage) error {
				sc, err := s.play(modeltest.Say("a").Text("b").Wait(time.Second).Text("c"))
				if err != nil {
					return err
				}
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				o, err := take(ctx, sc.client, question("hi"), func(e model.Event) bool {
					if _, ok := e.(model.PartDone); ok {
						cancel()
					}
					return false
				})
				return errors.Join(err, o.failed(model.Canceled))
			},
		},
		{
			name:  "breaking out",
			says:  "when the consumer breaks out, the connection is closed before the sequence returns",
			wire:  true,
			check: checkBreak,
		},
	}
}

const idle = 2 * time.Second

// stalls checks that a reply fails when it has been silent for long enough,
// and not much later.
func stalls(s *stage, r modeltest.Reply) error {
	sc, err := s.with(modeltest.Replies{r}, idle)
	if err != nil {
		return err
	}
	began := time.Now()
	if _, err := sc.fail(question("hi"), model.Stalled); err != nil {
		return err
	}
	if d := time.Since(began); d < idle || d > idle+idle/2 {
		return fmt.Errorf("it failed after %s, with an idle timeout of %s", d, idle)
	}
	return sc.left()
}

// lives checks that replies end well under a short idle timeout.
func lives(s *stage, replies ...modeltest.Reply) error {
	sc, err := s.with(modeltest.Replies(replies), idle)
	if err != nil {
		return err
	}
	for i := range replies {
		if _, err := sc.succeed(question("hi")); err != nil {
			return fmt.Errorf("reply %d: %w", i+1, err)
		}
	}
	return nil
}

func cancels(s *stage, r modeltest.Reply) error {
	sc, err := s.with(modeltest.Replies{r}, defaultIdle)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	began := time.Now()
	o, err := take(ctx, sc.client, question("hi"), nil)
	if err := errors.Join(err, o.failed(model.Canceled)); err != nil {
		return err
	}
	if d := time.Since(began); d > time.Second+moment {
		return fmt.Errorf("it failed %s after the context had ended", d-time.Second)
	}
	return sc.left()
}

func checkBreak(s *stage) error {
	sc, err := s.play(modeltest.Say("a").Stall())
	if err != nil {
		return err
	}
	o, err := take(context.Background(), sc.client, question("hi"), func(e model.Event) bool {
		_, ok := e.(model.PartDone)
		return ok
	})
	return errors.Join(err, o.is(message.Text{Text: "a"}), sc.left())
}

// left says what is wrong unless the server has seen the client leave.
func (sc *scene) left() error {
	if sc.server == nil {
		return nil
	}
	synctest.Wait()
	rs := sc.server.Requests()
	if len(rs) != 1 {
		return fmt.Errorf("%d requests came instead of 1", len(rs))
	}
	if !rs[0].Left {
		return errors.New("the connection is still open")
	}
	return nil
}
