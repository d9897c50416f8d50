// Package tool says what a tool is to the loop, and how several of them run at
// once.
//
// A [Tool] describes itself to the model and runs one call. [New] makes one
// from a typed Go function; its schema is derived from the input struct. A
// tool may also say of a given input whether it only reads ([ReadOnly]), which
// decides what may run beside it, and what it touches ([Accessor]), which
// decides whether it may run at all.
//
// An [Executor] runs the calls of one reply: concurrency-safe ones together,
// every other one alone, results in the order of the calls, exactly one result
// for each, whatever happens.
package tool
