// Package file has the tools that read, write and edit files.
//
// They share these rules. A path is resolved through its links first, and what
// is judged, opened and recorded is what it resolves to. Text is what the model
// sees: clean UTF-8 without byte-order mark and carriage returns, whatever the
// file's encoding and line ends are, and these are kept when the file is
// changed. A file is replaced in one step. What the model has not seen, or what
// changed since it has, is not overwritten.
package file
