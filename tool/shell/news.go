package shell

import "time"

const (
	// tellEvery is how often the user is shown what was printed meanwhile:
	// screens are slower than commands.
	tellEvery = 100 * time.Millisecond
	// maxNews is how many bytes are shown at a time. Of what comes faster than
	// that only the end is.
	maxNews = 4 << 10
)

// news is what was printed and has not been shown to the user.
type news struct {
	text []byte
	told time.Time // when something was shown last
}

func (n *news) add(b []byte) {
	n.text = append(n.text, b[max(0, len(b)-maxNews):]...)
	n.text = append(n.text[:0], n.text[max(0, len(n.text)-maxNews):]...)
}

// tell shows the news unless that was done a moment ago; must says to do it
// anyway. It may wait for whoever shows them. mu is held.
func (o *output) tell(now time.Time, must bool) {
	if n := &o.news; len(n.text) > 0 && (must || now.Sub(n.told) >= tellEvery) {
		o.call.Progress(readable(wholeEnd(wholeStart(n.text))))
		n.text, n.told = n.text[:0], now
	}
}

// late is tell for news that nothing came after. It is how long until there is
// something to tell, and 0 when there is nothing.
func (o *output) late(now time.Time) time.Duration {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.tell(now, false)
	if len(o.news.text) == 0 {
		return 0
	}
	return max(time.Millisecond, tellEvery-now.Sub(o.news.told))
}
