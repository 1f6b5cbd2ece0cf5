package sqlfront

import (
	"context"
	"io"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/plan"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Column is a column of a result.
type Column = plan.Column

// Rows is the result of a query. A statement without a result set has no
// columns.
type Rows interface {
	Columns() []Column
	// Next is the next row, io.EOF behind the last. The row and its bytes are
	// valid until the next call of Next or Close and must not be written.
	Next() ([]value.Value, error)
	// Close ends the query; it may be called again.
	Close() error
}

// Result is what a statement changed.
type Result struct {
	// LastInsertID is the first T that the server's clock chose, else 0.
	LastInsertID int64
	// RowsAffected counts as the session was asked to: changed or found rows.
	RowsAffected int64
}

// tableRows is a result that is in memory.
type tableRows struct {
	columns []Column
	rows    [][]value.Value
}

func (r *tableRows) Columns() []Column { return r.columns }
func (r *tableRows) Close() error      { r.rows = nil; return nil }

func (r *tableRows) Next() ([]value.Value, error) {
	if len(r.rows) == 0 {
		return nil, io.EOF
	}
	row := r.rows[0]
	r.rows = r.rows[1:]
	return row, nil
}

// queryRows is the result of a SELECT with what is to be released behind it.
type queryRows struct {
	*plan.Rows
	ctx     context.Context
	cancel  func()
	own     kv.Txn // that ends with the rows, or nil
	session *Session
	tx      *transaction // the open one that it reads, or nil
	closed  bool
	// first is the first row, or end what stood in its place, where ahead is
	// true because it has been read.
	first []value.Value
	end   error
	ahead bool
}

func (r *queryRows) Next() ([]value.Value, error) {
	if r.ahead {
		r.ahead = false
		return r.first, r.end
	}
	row, err := r.Rows.Next()
	if err == nil || err == io.EOF {
		return row, err
	}
	r.tx.abortIf(err)
	return nil, r.session.queryError(r.ctx, err)
}

func (r *queryRows) Close() error {
	if r.closed {
		return nil
	}
	r.closed = true
	r.session.foundRows = r.FoundRows()
	err := r.Rows.Close()
	if r.own != nil {
		r.own.Rollback()
	}
	r.cancel()
	r.session.ends()
	return mapError(r.ctx, err)
}
