// Package search has the tools that find text in files and files by name.
//
// Both leave out what git ignores unless told otherwise, follow no links out of
// the place they search, put what was changed last first, and say so when they
// show less than they found. To find nothing is a success.
package search
