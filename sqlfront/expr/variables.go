package expr

import "github.com/hbasekv/hbasekv/sqlfront/function"

// SetsVariables reports whether an expression sets a user variable.
func SetsVariables(n Node) bool { return calls(n, function.SetUserVariable) }

// TouchesVariables reports whether an expression reads or sets a user variable.
func TouchesVariables(n Node) bool { return SetsVariables(n) || calls(n, function.UserVariable) }

func calls(n Node, name string) bool {
	found := false
	Walk(n, func(n Node) bool {
		c, ok := n.(*Call)
		found = found || ok && c.Name == name
		return !found
	})
	return found
}
