package prompt

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// Nonce is the mark of a session's notes. It depends on the session's id alone,
// so a session that is resumed keeps its mark and with it the cached prompt.
// Ids hold 80 random bits: nothing that was written before the session knows
// the mark.
func Nonce(session string) string {
	sum := sha256.Sum256([]byte("daruma note " + session))
	return hex.EncodeToString(sum[:6])
}

func tag(nonce string) string { return "note-" + nonce }

// Note is text that daruma tells the model, in a tag only daruma can write.
// What the text quotes cannot close the tag or open another.
func Note(nonce, text string) string {
	t := tag(nonce)
	return "<" + t + ">\n" + strings.TrimSpace(Neutralise(nonce, text)) + "\n</" + t + ">"
}

// Neutralise is text from elsewhere, such as a tool's result, with the
// session's mark broken where it occurs: it does when a command prints the
// session's own journal. Any other text comes back as it is, to the byte, so
// that what the model reads in a file is what an edit must match. A forged tag
// needs no change: it lacks the mark.
func Neutralise(nonce, text string) string {
	if nonce == "" || !strings.Contains(text, nonce) {
		return text
	}
	return strings.ReplaceAll(text, nonce, nonce[:1]+"…")
}
