// Package archtest holds the architecture as a test: which package may import
// which, and why. A broken rule fails with its reason; a new package fails
// until it has a line in table.go.
//
// It reads the source of every file, whatever its build constraints, so that
// a rule holds on all systems wherever the test runs.
package archtest
