// Package shellsyntax reads a shell command the way bash would and says what it
// runs, without running it: [Parse] lists the simple commands anywhere in it,
// [Script.Changes] and [ReadOnly] say whether it only reads.
//
// It is used to decide what may run without a question, so whatever it cannot
// be sure of counts as unknown. It knows nothing of the machine: no function,
// alias, file or variable, but for those the command itself sets.
package shellsyntax
