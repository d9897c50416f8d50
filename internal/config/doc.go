// Package config reads settings: JSON with comments and trailing commas, from
// the user's file and from the one that --settings names. What the command line
// says is laid over them by the caller.
//
// A project's own .daruma/settings.json is not read. A repository that was only
// just cloned could use it to allow itself every command or to send the
// conversation somewhere else, before anyone agreed to trust it (B111). Until
// daruma can ask for that trust, settings come from the user alone.
package config
