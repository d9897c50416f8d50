package session

import (
	"errors"
	"os"
	"path/filepath"
)

// create makes the file of a new session. It stays empty until the first entry
// is written, together with the header.
func (j *Journal) create() error {
	if j.f != nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(j.path), 0o700); err != nil {
		return writeError(j.path, err)
	}
	f, err := os.OpenFile(j.path, os.O_CREATE|os.O_EXCL|os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		return writeError(j.path, err)
	}
	if err := lock(f, j.ID()); err != nil {
		return errors.Join(err, f.Close())
	}
	j.f = disk{f}
	return nil
}

// append writes one line with one write, and behind the header where nothing
// was written before. What a failed write has left is taken back now, or before
// the next one.
func (j *Journal) append(line []byte, sync bool) error {
	if j.dirty {
		if err := j.f.Truncate(j.size); err != nil {
			return writeError(j.path, err)
		}
		j.dirty = false
	}
	line, err := j.lead(line)
	if err != nil {
		return err
	}
	_, err = j.f.Write(line)
	if err == nil && sync {
		err = j.sync()
	}
	if err != nil {
		j.dirty = j.f.Truncate(j.size) != nil
		return writeError(j.path, err)
	}
	j.size += int64(len(line))
	j.noEnd = false
	return nil
}

// lead is a line with what must stand before it.
func (j *Journal) lead(line []byte) ([]byte, error) {
	switch {
	case j.size == 0:
		h, err := headerLine(j.header)
		return append(h, line...), err
	case j.noEnd:
		return append([]byte("\n"), line...), nil
	default:
		return line, nil
	}
}

// sync puts everything so far on the disk, and the first time the file's name
// too.
func (j *Journal) sync() error {
	if err := j.f.Sync(); err != nil {
		return err
	}
	if j.named {
		return nil
	}
	j.named = true
	return syncDir(filepath.Dir(j.path))
}
