package constrain

import "github.com/hbasekv/hbasekv/sqlfront/expr"

// conjunct is one of the conditions that AND joins in WHERE.
type conjunct struct {
	node   expr.Node
	negate bool // the condition is that node is false
	// scanRange is exact if all rows in the intersection of all conjuncts' scan ranges satisfy this conjunct.
	scanRange    scanRange
	alternatives []scanRange // of a disjunction
}
