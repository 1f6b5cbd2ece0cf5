package answers

import (
	"io"

	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/exec"
	"github.com/hbasekv/hbasekv/sqlfront/exec/pipeline"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Column is a column of a result.
type Column = relation.Column

// Rows is the result of a query. A statement without a result set has no columns.
type Rows interface {
	Columns() []Column
	// Next is the next row, io.EOF after the last. The row and its bytes are valid until the next call of
	// Next or Close and must not be changed.
	Next() ([]value.Value, error)
	// Close ends the query. It may be called again, and so may the other methods, until the session runs its
	// next statement, which may reuse the same Rows.
	Close() error
}

// Block is a stretch of rows; see BlockRows.
type Block = exec.Block

// Cell is a row of a Block.
type Cell = kv.Cell

// LargeValue is the size from which on a value in a Block has its own memory.
const LargeValue = kv.LargeValue

// Place is where the cells of a Block have a column.
type Place = pipeline.Place

// The places.
const (
	InRow       = pipeline.InRow
	InQualifier = pipeline.InQualifier
	InTimestamp = pipeline.InTimestamp
	InValue     = pipeline.InValue
)

// BlockRows are Rows that may come many at a time.
type BlockRows interface {
	Rows
	// Block must be called before the first row. If the rows come in blocks, it is the one that NextBlock
	// fills, and Next must not be called; otherwise it is nil.
	Block() (*Block, error)
	// NextBlock fills the block, all of whose rows have been read, with the next ones; the error is io.EOF
	// after the last.
	NextBlock() error
}

// Result is what a statement changed.
type Result struct {
	// LastInsertID is the first T that the server's clock has given, else 0.
	LastInsertID int64
	// RowsAffected counts changed or found rows, as the session was set up.
	RowsAffected int64
}

// Table is a result in memory.
type Table struct {
	Head []Column
	Body [][]value.Value // the remaining rows
}

// Columns implements Rows.
func (r *Table) Columns() []Column { return r.Head }

// Close implements Rows.
func (r *Table) Close() error { r.Body = nil; return nil }

// Next implements Rows.
func (r *Table) Next() ([]value.Value, error) {
	if len(r.Body) == 0 {
		return nil, io.EOF
	}
	row := r.Body[0]
	r.Body = r.Body[1:]
	return row, nil
}

// InMemory are the rows of a result, nil if that is nil. Its error is err.
func InMemory(r *relation.Result, err error) (Rows, error) {
	if r == nil || err != nil {
		return nil, err
	}
	return &Table{Head: r.Columns, Body: r.Rows}, nil
}

// OnlyRow is a copy of the single row of a result with this number of columns, nil if there is none. The
// errors are 1222 for another number of columns, 1172 for several rows, and those of the rows.
func OnlyRow(rows Rows, columns int) ([]value.Value, error) {
	if len(rows.Columns()) != columns {
		return nil, mysqlerr.New(mysqlerr.WrongNumberOfColumns, "The used SELECT statements have a different number of "+
			"columns")
	}
	row, err := rows.Next()
	if err == io.EOF {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	values := make([]value.Value, len(row))
	for i, v := range row {
		values[i] = v.Clone()
	}
	switch _, err = rows.Next(); err {
	case io.EOF:
		return values, nil
	case nil:
		return nil, mysqlerr.New(mysqlerr.TooManyRows, "Result consisted of more than one row")
	}
	return nil, err
}
