// Package model says what a language model is to the loop: a [Client] that
// streams one reply to one [Request], as [Event]s, and fails with a typed
// [Error]. Each wire protocol is a package below this one; package modeltest
// holds the suite that all of them pass, a scripted client and a strict
// scripted server.
package model
