// Package session keeps sessions on disk: one append-only journal each, and a
// folder for texts that are too large for the conversation. There is no
// database and nothing that several sessions share.
//
// # Where
//
//	STATE/sessions/PROJECT/ID.jsonl   the journal
//	STATE/sessions/PROJECT/ID/        paged-out texts
//
// STATE is $DARUMA_STATE_DIR, or $XDG_STATE_HOME/daruma, or
// ~/.local/state/daruma. PROJECT is the name of the working directory and a
// hash of its path. Files are readable by their owner alone.
//
// # The format
//
// A journal is a text file of lines. The first one is the header, each other
// one an entry:
//
//	{"c":"1f2e3d4c","h":{"daruma":"journal","version":1,"session":"01k…","dir":"/src/x",…}}
//	{"c":"9a8b7c6d","e":{"seq":1,"time":"…","kind":"received","result":{…}}}
//
// c is the CRC-32C of the bytes of the value that follows it, in hexadecimal.
// What an entry holds is said in package loop ([loop.Entry]). Lines are only
// ever appended, each with a single write. The file is made with the first
// entry, so a session in which nothing was said leaves nothing behind.
//
// # What can go wrong
//
// A process may die while it writes: the torn line at the end was never
// acknowledged, so it is cut off when the journal is opened next, and the user
// is told. A line in the middle that does not match its checksum costs that
// entry alone; it is counted, told and left where it is. A journal of a newer
// version is not opened.
//
// An entry is on its way to the disk when Record returns, so a killed process
// loses nothing. It is on the disk, safe from a power cut, when its Sync is
// set, and then so is everything before it.
package session
