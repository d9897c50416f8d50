// Package atomicfile replaces the content of a file so that a reader, or the
// world after a crash, finds the old content or the new one whole.
//
// The new content goes to a hidden file beside the old one, with the old one's
// mode bits, owner and extended attributes, is flushed to the disk, and takes
// the old one's name in one step. A symbolic link is followed: its target is
// replaced and the link stays.
//
// Some files cannot be replaced without harm: one with several hard links would
// be torn from its other names, one of another owner would change hands, a
// mounted one cannot be renamed over, and a directory that we may not write to
// takes no new file. These are written in place, which keeps the file but is
// not atomic; see [Write] for the order.
//
// A process that is killed in the middle may leave a file named
// ".daruma-*.tmp" behind. A mere failure leaves nothing.
package atomicfile
