package clienttest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"

	"github.com/daruma-dev/daruma/message"
	"github.com/daruma-dev/daruma/model"
)

// outcome is a reply as it was received.
type outcome struct {
	started *model.Started
	parts   []message.Part
	done    *model.Done
	err     *model.Error
	alive   int // signs of life

	last  int // index of the newest part
	open  *model.PartStarted
	delta strings.Builder // of the open part
}

// take ranges over a stream and checks the order of its events. stop, if there
// is one, says after which event to break out.
func take(ctx context.Context, c model.Client, req *model.Request, stop func(model.Event) bool) (outcome, error) {
	o := outcome{last: -1}
	for e, err := range c.Stream(ctx, req) {
		if o.err != nil {
			return o, fmt.Errorf("after the failure %q came another event, %T, error %w", o.err.Error(), e, err)
		}
		if err != nil {
			if err := o.failure(e, err); err != nil {
				return o, err
			}
			continue
		}
		if err := o.add(e); err != nil {
			return o, err
		}
		if stop != nil && stop(e) {
			return o, nil
		}
	}
	if o.err == nil && o.done == nil {
		return o, errors.New("the sequence ended with neither Done nor a failure")
	}
	return o, nil
}

func (o *outcome) failure(e model.Event, err error) error {
	switch {
	case e != nil:
		return fmt.Errorf("the failure came with the event %T, which should be nil: %w", e, err)
	case o.done != nil:
		return fmt.Errorf("after Done came a failure: %w", err)
	}
	me, ok := err.(*model.Error) //nolint:errorlint // the contract says that it is one, not that it wraps one
	if !ok {
		return fmt.Errorf("the failure is a %T, not a *model.Error: %w", err, err)
	}
	if !slices.Contains(model.Kinds(), me.Kind) {
		return fmt.Errorf("the failure has the kind %q, which is none", me.Kind)
	}
	o.err = me
	return nil
}

// add takes in an event and checks that it may come now.
func (o *outcome) add(e model.Event) error {
	if _, ok := e.(model.Alive); ok && o.done == nil {
		o.alive++
		return nil
	}
	if o.done != nil {
		return fmt.Errorf("after Done came %T", e)
	}
	if s, ok := e.(model.Started); ok {
		if o.started != nil {
			return errors.New("started came twice")
		}
		o.started = &s
		return nil
	}
	if o.started == nil {
		return fmt.Errorf("before Started came %T", e)
	}
	switch e := e.(type) {
	case model.PartStarted:
		return o.partStarted(e)
	case model.Delta:
		return o.addDelta(e)
	case model.PartDone:
		return o.partDone(e)
	case model.Done:
		if o.open != nil {
			return fmt.Errorf("done came while part %d was open", o.open.Index)
		}
		o.done = &e
		return nil
	default:
		return fmt.Errorf("the event %T is not one of the contract", e)
	}
}

func (o *outcome) partStarted(e model.PartStarted) error {
	if o.open != nil {
		return fmt.Errorf("part %d started while part %d was open", e.Index, o.open.Index)
	}
	if e.Index <= o.last {
		return fmt.Errorf("part %d started after part %d", e.Index, o.last)
	}
	o.open, o.last = &e, e.Index
	o.delta.Reset()
	return nil
}

func (o *outcome) addDelta(e model.Delta) error {
	if o.open == nil || o.open.Index != e.Index || o.open.Kind != e.Kind {
		return fmt.Errorf("a delta of %s for part %d came while %+v was open", e.Kind, e.Index, o.open)
	}
	o.delta.WriteString(e.Text)
	return nil
}

// partDone closes a part, which has to be what its start and deltas promised.
func (o *outcome) partDone(e model.PartDone) error {
	if o.open == nil || o.open.Index != e.Index {
		return fmt.Errorf("part %d was done while %+v was open", e.Index, o.open)
	}
	want := model.PartStarted{Index: e.Index}
	text, got := "", o.delta.String()
	switch p := e.Part.(type) {
	case message.Text:
		want.Kind, text = model.DeltaText, p.Text
	case message.Thinking:
		want.Kind, text = model.DeltaThinking, p.Text
	case message.Call:
		want.Kind, want.CallID, want.Name, text = model.DeltaInput, p.ID, p.Name, string(p.Input)
	case message.Opaque:
		want.Kind, text, got = model.DeltaOpaque, "", ""
	default:
		return fmt.Errorf("part %d is a %T, which no model sends", e.Index, p)
	}
	if got != text && got != "" {
		return fmt.Errorf("the deltas of part %d join to %q, but the part is %q", e.Index, got, text)
	}
	if *o.open != want {
		return fmt.Errorf("part %d was announced as %+v, but is %+v", e.Index, *o.open, want)
	}
	o.open = nil
	o.parts = append(o.parts, e.Part)
	return nil
}

// failed says what is wrong unless the reply failed with one of the kinds.
func (o outcome) failed(kinds ...model.Kind) error {
	switch {
	case o.err == nil:
		return fmt.Errorf("the reply ended well, but should have failed with %v", kinds)
	case !slices.Contains(kinds, o.err.Kind):
		return fmt.Errorf("the failure is %q (%v), but should be %v", o.err.Kind, o.err.Error(), kinds)
	default:
		return nil
	}
}

// is says what is wrong unless the reply has just these parts. How a part was
// written by its provider does not matter.
func (o outcome) is(parts ...message.Part) error {
	got := make([]message.Part, len(o.parts))
	for i, p := range o.parts {
		got[i] = plain(p)
	}
	if diff := cmp.Diff(parts, got); diff != "" && len(parts)+len(got) > 0 {
		return fmt.Errorf("the parts differ (- should be, + are):\n%s", diff)
	}
	return nil
}

// plain is a part without its raw form.
func plain(p message.Part) message.Part {
	switch p := p.(type) {
	case message.Text:
		p.Raw = nil
		return p
	case message.Thinking:
		p.Raw = nil
		return p
	case message.Call:
		p.Raw = nil
		return p
	default:
		return p
	}
}
