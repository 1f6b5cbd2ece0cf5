package expr

import (
	"github.com/hbasekv/hbasekv/sqlfront/function"
)

// Ask is the answer for the value that n has in the plan; ok is false if that is unknown before the plan
// runs.
func Ask(n Node, q *function.Question) (answer int, ok bool) {
	if c, ok := n.(*Const); ok {
		return q.Of(c.V), true
	}
	if a := answersOf(n); a != nil {
		return a.Answer(n, q)
	}
	return 0, false
}

// answersOf are the Answers of the placeholders in an expression that reads nothing else, or nil.
func answersOf(n Node) (a Answers) {
	only := true
	Walk(n, func(n Node) bool {
		if p, ok := n.(*Param); ok {
			a = p.Of
		}
		only = only && constHere(n) && Foldable(n)
		return only
	})
	if !only {
		return nil
	}
	return a
}

// Foldable reports whether n itself, whatever its operands are, has one value in all sessions.
func Foldable(n Node) bool {
	c, ok := n.(*Call)
	return !ok || !c.fn.Volatile && !c.fn.Session
}
