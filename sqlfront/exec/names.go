package exec

import "github.com/hbasekv/hbasekv/sqlfront/exec/op"

// What a plan runs in is of package op, which its operators are made of. Who makes plans and opens
// them finds here what he needs of it.
type (
	Context  = op.Context
	Guard    = op.Guard
	Locking  = op.Locking
	Progress = op.Progress
	Work     = op.Work
	Node     = op.Node
	Dual     = op.Dual
)
