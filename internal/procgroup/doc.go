// Package procgroup runs commands so that they can be ended whole: the command
// itself, its children, and those of them that went off on their own.
//
// # What holds where
//
// On every Unix a command runs in a session of its own: it has no controlling
// terminal, so it cannot ask there, and signals of the terminal do not reach
// it. [Group.Kill] ends its process group.
//
// On Linux, processes that changed their group or session are found as well:
// by descent, and by a mark in their environment that children inherit. Only
// one that also cleared its environment and outlived its parents escapes. (As a
// child subreaper, prctl(2), we would inherit that one too, but could not tell
// which command it was from, and would have to bury children that the rest of
// the program does not know.)
//
// When this process ends, in whatever way, SIGKILL included, a guard ends the
// commands it left: a small shell process that waits for the end of a pipe
// which only this process holds open. On Linux the guard goes by the mark, so
// that it finds background children too; elsewhere by the groups of the
// commands that were still running. Besides, on Linux the kernel kills the
// command itself when this process dies, which covers the moment before the
// guard knows of it.
//
// On Windows, and wherever else there are no process groups, only the command itself is killed.
package procgroup
