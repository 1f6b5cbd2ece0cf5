package sqlfront

import (
	"io"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/exec"
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
	// Close ends the query. It may be called again, and the other methods too, until
	// the session runs its next statement, which may give out the same Rows.
	Close() error
}

// Block is a stretch of rows; see BlockRows.
type Block = exec.Block

// Cell is a row of a Block.
type Cell = kv.Cell

// LargeValue is the size from which on a value in a Block has memory of its own.
const LargeValue = kv.LargeValue

// Place is where a column of a Block is in its cell.
type Place = exec.Place

// The places.
const (
	InRow       = exec.InRow
	InQualifier = exec.InQualifier
	InTimestamp = exec.InTimestamp
	InValue     = exec.InValue
)

// BlockRows are Rows that may come many at a time.
type BlockRows interface {
	Rows
	// Block is asked for before the first row. Where the rows come in blocks, it
	// is the one that NextBlock fills, and Next is not called; else it is nil.
	Block() (*Block, error)
	// NextBlock fills the block, whose rows are all taken, with the next ones;
	// io.EOF behind the last.
	NextBlock() error
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

// inMemory are the rows of an answer, nil for none.
func inMemory(r *plan.Result, err error) (Rows, error) {
	if r == nil || err != nil {
		return nil, err
	}
	return &tableRows{columns: r.Columns, rows: r.Rows}, nil
}
