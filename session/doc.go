// Package session keeps sessions on disk: one append-only journal each, and a
// folder for texts that are too large for the conversation. There is no
// database and nothing that several sessions share.
//
// # Where
//
//	STATE/sessions/PROJECT/ID.jsonl   the journal
//	STATE/sessions/PROJECT/ID/        paged-out texts
//
// STATE is what [StateDir] says. PROJECT is the name of the working directory
// and a hash of its path. ID is a ULID in lower case, so names sort by age.
// Files have the mode 0600 and folders 0700: they hold what the user and the
// model said, and what the tools read.
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
// What an entry holds is said in package loop ([loop.Entry]). So
//
//	jq -r '.e | select(.kind == "ended") | .result.terminal.reason' ID.jsonl
//
// works, as does grep. Lines are only ever appended, each with a single write
// and none twice, so a journal grows by what is said and no more. The file is
// made with the first entry: a session in which nothing was said leaves nothing
// behind.
//
// # What can go wrong
//
// A process may die while it writes. The torn line at the end was never
// acknowledged: it is left out, the user is told, and it is cut off before the
// next entry is written. That, and taking back a write that failed, are the only
// times at which a journal becomes shorter; whole lines are never touched.
//
// A line in the middle that does not match its checksum costs that entry alone.
// It is counted, told and left where it is. Entries are numbered, so one that is
// missing altogether shows too. Loading leads the fold over such gaps (see
// [Journal.Load]), and package loop pairs calls and results before it sends
// them. A journal of a newer version, or one with a whole line that this
// version does not understand, is not opened.
//
// An entry is on its way to the disk when Record returns, so a killed process
// loses nothing. It is on the disk, safe from a power cut, when its Sync is
// set, and then so is everything before it.
//
// One process at a time may write a journal. The lock goes with the process;
// any number may read, list and fork it meanwhile.
package session
