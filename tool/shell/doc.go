// Package shell is the tool that runs commands.
//
// A command runs in a new shell each time; only the working directory carries
// over, by way of the workspace. It runs in a session of its own without a
// terminal and without input, with an environment in which nothing waits for a
// person and no secret of daruma is found. What it prints is kept within
// bounds however much it is, and it is ended whole, with all that it started,
// at its time limit or when the user interrupts; see package internal/procgroup
// for what holds on which system.
package shell
