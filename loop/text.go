package loop

import "github.com/daruma-dev/daruma/message"

// FinalText is the text of the newest reply. Where it was cut off at the output
// limit and continued, its pieces are one text.
func FinalText(s State) string {
	text := ""
	for i := len(s.Messages) - 1; i >= 0; i-- {
		m := s.Messages[i]
		switch {
		case m.Origin == message.FromResume: // what precedes it belongs to the same answer
		case m.Role == message.Assistant:
			text = m.Text() + text
			if i == 0 || s.Messages[i-1].Origin != message.FromResume {
				return text
			}
		case text == "" && m.Origin == message.FromTools: // a run that ended among its tools
		default:
			return text
		}
	}
	return text
}
