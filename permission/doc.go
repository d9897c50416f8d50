// Package permission decides whether a call may run: by rules that the user
// gave, by the mode of the session, and by what the call would touch. It is
// pure: the same [Policy] and [Request] give the same [Verdict], and nothing
// is looked up on disk.
//
// The order is: a deny rule denies, in every mode; an ask rule asks; what would
// destroy the home directory or the workspace asks; then the mode and the allow
// rules decide, and reading inside the workspace needs neither. When something
// cannot be judged, it asks.
package permission
