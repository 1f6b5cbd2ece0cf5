package change

import (
	"github.com/hbasekv/hbasekv/sqlfront/exec"
	"github.com/hbasekv/hbasekv/sqlfront/plan"
)

// Statement is a planned statement.
type Statement interface {
	// Run changes the data through the context's transaction. After an error
	// part of the changes may stand in the transaction.
	Run(ctx *exec.Context) (Result, error)
	// Reads is the SELECT that finds or gives the rows, or nil; Target is what
	// the statement calls the table that it changes. EXPLAIN shows them.
	Reads() *plan.Select
	Target() string
	// Exprs are the expressions that give the values.
	Exprs() *plan.RowExprs
}

// Result is what a statement did.
type Result struct {
	// Matched is the rows that were found, or given to an INSERT.
	Matched int64
	// Changed is RowsAffected as MySQL reports it by default.
	Changed int64
	// Found is RowsAffected as MySQL reports it with CLIENT_FOUND_ROWS.
	Found int64
	// InsertID is the first T that the server's clock chose, or the first number that a column which
	// is AUTO_INCREMENT got of the table's counter; else 0.
	InsertID int64
	// GivenID is the last value that such a column was given by the statement itself. It is told in
	// the place of InsertID where that is 0, and LAST_INSERT_ID() does not know it, as in MySQL.
	GivenID int64
}
