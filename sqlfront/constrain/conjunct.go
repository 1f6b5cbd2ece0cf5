package constrain

import "github.com/hbasekv/hbasekv/sqlfront/expr"

// conjunct is one of the conditions that WHERE joins by AND.
type conjunct struct {
	node   expr.Node
	negate bool // the condition is that node is false
	// scanRange is exact where all rows of the scan ranges of all conjuncts together
	// satisfy this one.
	scanRange    scanRange
	alternatives []scanRange // of a disjunction
}
