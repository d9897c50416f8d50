// Package filelock keeps two processes from writing the same file. The lock is
// advisory, belongs to the open file, and goes with the process that holds it,
// however that ends.
package filelock

import "errors"

// ErrHeld says that another process, or another open file of this one, holds
// the lock.
var ErrHeld = errors.New("filelock: held by another process")
