package exec

import "github.com/hbasekv/hbasekv/sqlfront/exec/op"

// Names of package op for callers that run statements.
type (
	Context = op.Context
	Work    = op.Work
)
