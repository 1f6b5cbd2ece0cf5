package change

import (
	"github.com/hbasekv/hbasekv/sqlfront/exec"
	"github.com/hbasekv/hbasekv/sqlfront/plan"
)

// Statement is a planned statement.
type Statement interface {
	// Run changes the data through the context's transaction. It is not atomic: after an error, some
	// changes may remain in the transaction.
	Run(ctx *exec.Context) (Result, error)
	// Reads returns the SELECT that finds or gives the rows, or nil; Target returns the name or
	// alias of the table that is changed. EXPLAIN shows them.
	Reads() *plan.Select
	Target() string
	// Exprs returns the expressions for the values.
	Exprs() *plan.RowExprs
}

// Result is what a statement did.
type Result struct {
	// Matched is the number of rows found, or given to an INSERT.
	Matched int64
	// Changed is RowsAffected as MySQL reports it by default.
	Changed int64
	// Found is RowsAffected as MySQL reports it with CLIENT_FOUND_ROWS.
	Found int64
	// InsertID is the first T that the server's clock chose, or the first number from the table's
	// AUTO_INCREMENT counter; otherwise 0.
	InsertID int64
	// GivenID is the last value of the AUTO_INCREMENT column that the statement itself gave. It is
	// reported if InsertID is 0, but LAST_INSERT_ID() does not return it, as in MySQL.
	GivenID int64
}
