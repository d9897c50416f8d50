package permission

import "strings"

// Mode is how much a session may do without a question.
type Mode string

// The modes. The zero value means Default.
const (
	Default     Mode = "default"      // reads inside the workspace run, everything else asks
	AcceptEdits Mode = "accept-edits" // writing files inside the workspace runs too
	Plan        Mode = "plan"         // what does not only read is denied
	Bypass      Mode = "bypass"       // everything runs that no rule forbids and that is no evident disaster
)

var modes = map[string]Mode{
	"": Default, "default": Default, "manual": Default,
	"accept-edits": AcceptEdits, "acceptedits": AcceptEdits,
	"plan":   Plan,
	"bypass": Bypass, "bypasspermissions": Bypass, "bypass-permissions": Bypass,
}

// ParseMode finds a mode by its name, in our spelling or that of other agents:
// manual, acceptEdits, bypassPermissions. Upper and lower case are the same.
func ParseMode(name string) (Mode, error) {
	if m, ok := modes[strings.ToLower(strings.TrimSpace(name))]; ok {
		return m, nil
	}
	return "", &Error{
		Text: "there is no permission mode " + quote(name),
		hint: "use default, accept-edits, plan or bypass",
	}
}
