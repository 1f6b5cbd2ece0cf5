package exec

import "github.com/hbasekv/hbasekv/sqlfront/exec/op"

// What a statement runs in is of package op, which its operators are made of.
type (
	Context = op.Context
	Work    = op.Work
)
