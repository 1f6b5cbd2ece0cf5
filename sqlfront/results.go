package sqlfront

import "github.com/hbasekv/hbasekv/sqlfront/answers"

// Column is a column of a result, Rows are its rows, and Result is what a statement without a result set has
// changed.
type (
	Column = answers.Column
	Rows   = answers.Rows
	Result = answers.Result
)
