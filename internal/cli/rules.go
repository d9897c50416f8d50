package cli

import "strings"

// ruleList is a flag whose value holds several permission rules.
type ruleList struct{ rules *[]string }

// Set adds the rules of one value.
func (l *ruleList) Set(s string) error {
	*l.rules = append(*l.rules, splitRules(s)...)
	return nil
}

func (l *ruleList) String() string { return "" }

// Type names the value in the help.
func (l *ruleList) Type() string { return "RULES" }

// splitRules parts a list of rules at commas and white space. What stands in
// parentheses belongs to its rule, whatever it is.
func splitRules(s string) []string {
	depth := 0
	return strings.FieldsFunc(s, func(r rune) bool {
		switch r {
		case '(':
			depth++
		case ')':
			depth = max(0, depth-1)
		case ',', ' ', '\t', '\n', '\r':
			return depth == 0
		}
		return false
	})
}
