package filelock

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// Holder is the process that holds the lock of f; 0 when nobody does or the
// system does not tell. It is a hint for people: the holder may be gone by the
// time it is read.
func Holder(f *os.File) int {
	info, err := f.Stat()
	if err != nil {
		return 0
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0
	}
	locks, err := os.Open("/proc/locks")
	if err != nil {
		return 0
	}
	defer func() { _ = locks.Close() }()
	return holder(bufio.NewScanner(locks), st.Ino)
}

// holder finds an inode among lines such as
//
//	1: FLOCK  ADVISORY  WRITE 4711 fd:01:1835011 0 EOF
//
// (proc_locks(5)). The device is not compared: its number there is that of the
// file system, which on btrfs and overlays is not what stat says.
func holder(lines *bufio.Scanner, inode uint64) int {
	end := fmt.Sprintf(":%d", inode)
	for lines.Scan() {
		f := strings.Fields(lines.Text())
		if len(f) < 6 || f[1] != "FLOCK" || f[3] != "WRITE" || !strings.HasSuffix(f[5], end) {
			continue
		}
		if pid, err := strconv.Atoi(f[4]); err == nil && pid > 0 {
			return pid
		}
	}
	return 0
}
