//go:build !unix

package atomicfile

import (
	"io/fs"
	"os"
)

func writable(_ string, info fs.FileInfo) bool { return info.Mode().Perm()&0o222 != 0 }

func hardLinks(fs.FileInfo) uint64 { return 1 }

func chown(*os.File, fs.FileInfo) error { return nil }

func syncDir(string) {}
