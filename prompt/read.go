package prompt

import (
	"errors"
	"io"
	"os"
)

var errNotRegular = errors.New("not a regular file")

// readRegular reads at most limit bytes of a regular file and tells its whole
// size. Anything else, such as a named pipe, is refused before it is opened:
// opening could block for ever.
func readRegular(path string, limit int64) (text []byte, size int64, err error) {
	fi, err := os.Stat(path)
	if err != nil {
		return nil, 0, err
	}
	if !fi.Mode().IsRegular() {
		return nil, 0, &os.PathError{Op: "read", Path: path, Err: errNotRegular}
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	text, err = io.ReadAll(io.LimitReader(f, limit))
	return text, max(fi.Size(), int64(len(text))), err
}
