// Package walk lists the files of a directory tree, in parallel, leaving out what
// git and ripgrep leave out: what a .gitignore, a .ignore or .git/info/exclude
// names, and the .git directories themselves. Hidden files are not left out.
//
// Rules are those of gitignore(5), read in each directory on the way from the
// top of the repository; a .ignore has the same form and goes before any
// .gitignore. The one thing that is git's own is its index: a file that is
// ignored is left out here even where git tracks it.
package walk
