package expr

import (
	"math"

	"github.com/hbasekv/hbasekv/sqlfront/function"
)

// Walk calls f on n and, if f returns true, on its operands.
func Walk(n Node, f func(Node) bool) {
	if n == nil || !f(n) {
		return
	}
	if p, ok := n.(Parent); ok {
		for _, child := range p.Children() {
			Walk(child, f)
		}
	}
}

// An expression that is pushed below a derived table has the table's expressions instead of its columns.
// Through nested tables these can double at each level: it may become this large, or grow a little.
const (
	maxSubstituted = 1 << 14 // nodes
	littleGrown    = 64
)

// GrowsLittle reports whether an expression did not grow too much by substitution.
func GrowsLittle(from, to Node) bool {
	limit := max(maxSubstituted, size(from, math.MaxInt-1-littleGrown)+littleGrown)
	return size(to, limit) <= limit
}

// size is the number of nodes of n, or limit+1 if there are more. A node counts as often as it occurs in n.
func size(n Node, limit int) int {
	nodes := 0
	Walk(n, func(Node) bool {
		nodes++
		return nodes <= limit
	})
	return min(nodes, limit+1)
}

// Rewrite replaces nodes from the leaves up: f gets each node with its operands already replaced and returns
// its replacement. Unchanged parts are shared with n.
func Rewrite(n Node, f func(Node) Node) Node {
	return f(RewriteOperands(n, func(operand Node) Node { return Rewrite(operand, f) }))
}

// RewriteOperands replaces the operands of n by the results of f. If they do not change, it returns n.
func RewriteOperands(n Node, f func(Node) Node) Node {
	p, ok := n.(Parent)
	if !ok {
		return n
	}
	before := p.Children()
	after := make([]Node, len(before))
	changed := false
	for i, child := range before {
		after[i] = f(child)
		changed = changed || after[i] != child
	}
	if changed {
		n = p.With(after)
	}
	return n
}

// Volatile is implemented by nodes whose value can differ between two evaluations over the same row and
// placeholders, or that change the session.
type Volatile interface{ Volatile() bool }

// IsConst reports whether n has the same value for every row of a statement: it does not read columns, and is
// neither RAND() nor a subquery. It may read placeholders and the session.
func IsConst(n Node) bool {
	constant := true
	Walk(n, func(n Node) bool {
		constant = constant && constHere(n)
		return constant
	})
	return constant
}

func constHere(n Node) bool {
	switch n := n.(type) {
	case *Const, *Param:
		return true
	case Volatile:
		return !n.Volatile()
	case Parent:
		return true
	}
	return false
}

// Columns calls f with each column that n reads.
func Columns(n Node, f func(*Column)) {
	Walk(n, func(n Node) bool {
		if c, ok := n.(*Column); ok {
			f(c)
		}
		return true
	})
}

// Fold replaces parts that are constant under env's placeholders and session by their values. A part that
// fails or warns stays as it is, to do so when it is evaluated.
func Fold(n Node, env *Env) Node {
	return Rewrite(n, func(n Node) Node { return foldNode(n, env) })
}

func foldNode(n Node, env *Env) Node {
	switch n.(type) {
	case *Const, *Tuple:
		return n
	}
	if !IsConst(n) {
		return n
	}
	quiet := Env{Params: env.Params, Env: function.Env{Ctx: env.Ctx, Strict: true}}
	if env.Session != nil {
		session := *env.Session
		session.AddWarning = nil
		quiet.Session = &session
	}
	v, err := n.Eval(&quiet)
	if err != nil {
		return n
	}
	return &Const{V: v.Clone()}
}
