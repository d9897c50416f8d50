//go:build !linux

package session

import "os"

// disk is a journal's file.
type disk struct{ *os.File }
