// Package message holds the values a conversation is made of: a [Message] by
// the user or the model, its [Part]s, and the [Usage] a reply cost.
//
// Messages are immutable once they are shared. Everything that "changes" one
// makes a new one, and pointers tell them apart: the same pointer is the same
// message with the same bytes on the wire. That is what lets a conversation of
// a thousand turns be sent without encoding any old message again (see
// [Message.Memo]).
//
// The JSON form of these values is the form kept in the session journal. It
// keeps what a provider sent to the byte: key order, number spelling and white
// space of a call's input survive a round trip.
package message
