package shell

import "bytes"

// redactor takes secrets out of a stream of bytes. Commands do not get them,
// but may come by them: from a file, or from the environment of a process that
// has them.
type redactor struct {
	secrets []string
	kept    []byte // the end of what came, which may be the beginning of a secret
}

// redacted stands for a secret.
const redacted = "[secret]"

// add is what may be passed on after b has come. The result is valid until the
// next call.
func (r *redactor) add(b []byte) []byte {
	if len(r.secrets) == 0 {
		return b
	}
	b = append(r.kept, b...)
	for _, s := range r.secrets {
		if bytes.Contains(b, []byte(s)) {
			b = bytes.ReplaceAll(b, []byte(s), []byte(redacted))
		}
	}
	n := r.begun(b)
	r.kept = bytes.Clone(b[len(b)-n:])
	return b[:len(b)-n]
}

// begun is how many bytes at the end of b may begin a secret.
func (r *redactor) begun(b []byte) int {
	longest := 0
	for _, s := range r.secrets {
		for n := min(len(s)-1, len(b)); n > longest; n-- {
			if bytes.HasSuffix(b, []byte(s[:n])) {
				longest = n
			}
		}
	}
	return longest
}

// end is what was held back.
func (r *redactor) end() []byte {
	b := r.kept
	r.kept = nil
	return b
}
