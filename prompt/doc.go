// Package prompt writes the system prompt and finds the instruction files that
// belong into it.
//
// [System] is pure: equal options give equal bytes. Its first block is the same
// in all sessions of one version, the second in all sessions of one project and
// day, and only the third belongs to one session; so a provider's prompt cache
// serves as much of it as it can. [Load] reads AGENTS.md, CLAUDE.md and their
// kin, [FindGit] the branch; neither starts a process.
//
// [Note] marks what daruma itself tells the model in the course of a
// conversation, so that the content of a file cannot pass for it.
package prompt
