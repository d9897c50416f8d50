// Package loop is the heart of daruma: it samples a model, runs the tools the
// model asked for, feeds the results back, and repairs itself when something
// goes wrong on the way.
//
// # Reading it
//
// Two pure methods decide and one short loop touches the world:
//
//	func (m *Machine) Next(s State) Command          // what is owed now     (next.go)
//	func (m *Machine) Apply(s State, r Result) State // what came of it      (apply.go)
//	func Run(ctx, d, s, emit) (State, Terminal, error) //                    (run.go)
//
// [Machine.Next] turns a [State] into the next [Command]; the [Driver] performs
// it and gets a [Result]; [Machine.Apply] folds the Result into a new State.
// Before the new State counts, the Result is recorded, so a session can be
// loaded again by folding its results ([Fold]).
//
// # Vocabulary
//
//   - A message, its parts, a call and its result are those of package message.
//   - A turn is one reply of the model and the running of its calls.
//   - A run is everything between the user's prompt and a [Terminal].
//   - A [Transition] says why the loop went on, a [Terminal] why it ended. Both
//     are closed sets (reasons.go).
//   - A [Fault] is what went wrong with one request. A [Layer] is one cure: it
//     looks at State and Fault and answers with a [Plan], which is data.
//   - A [View] is what the model gets to see. Stages shape it; the record
//     (State.Messages) is only ever appended to.
//
// # The phases of a turn
//
//	Sample ─▶ Vet ─▶ Ask ─▶ Execute ─▶ Attach ─▶ Sample …
//	   │ no calls
//	   └────▶ Consult ─▶ Stop
//
// and, when a layer says so, Wait, Refresh or Compact before Sample again.
package loop
