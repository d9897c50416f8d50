// Package sse reads server-sent events as the WHATWG HTML standard defines
// them (§9.2.6), event by event, from bytes that may arrive in any pieces.
//
// It departs from the standard in one point, because servers do: an event that
// the end of the stream cuts off before its blank line is still reported,
// marked as [Event.Last].
package sse
