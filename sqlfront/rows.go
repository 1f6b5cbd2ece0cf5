package sqlfront

import (
	"context"
	"io"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/exec"
	"github.com/hbasekv/hbasekv/sqlfront/metrics"
	"github.com/hbasekv/hbasekv/sqlfront/plan"
	"github.com/hbasekv/hbasekv/sqlfront/storeerr"
	"github.com/hbasekv/hbasekv/sqlfront/transaction"
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

// queryRows is the result of a SELECT with what is to be released behind it.
type queryRows struct {
	*exec.Rows
	columns []Column
	space   *workspace      // of Rows
	number  uint64          // of the running statement
	ctx     context.Context // the statement's, or one that ends sooner
	cancel  func()
	own     kv.Txn // that ends with the rows, or nil
	session *Session
	// statement is the one that gives the rows.
	statement *Statement
	tx        *transaction.Txn // the open one that it reads, or nil
	closed    bool
	err       error // that a step has failed with
	// started says that the first row has been asked for. At the first and behind the
	// last row the context is looked at: what comes late is an error.
	started bool
	// ahead, where it is not nil, are all rows: they have been read.
	ahead [][]value.Value
	// limit is how many more rows sql_select_limit lets out; negative is all.
	limit int64
}

// maxAhead and maxAheadBytes are how many rows readAhead keeps.
const (
	maxAhead      = 256
	maxAheadBytes = 1 << 20
)

// readAhead reads all rows, and keeps them in ahead unless they are too many.
func (r *queryRows) readAhead(whatever bool) error {
	kept, size := [][]value.Value{}, 0
	for {
		row, err := r.Rows.Next()
		if err == io.EOF {
			r.ahead = kept
			return nil
		}
		if err != nil {
			return err
		}
		if kept == nil {
			continue
		}
		clone := make([]value.Value, len(row))
		for i, v := range row {
			clone[i] = v.Clone()
			size += len(v.Raw())
		}
		if kept = append(kept, clone); !whatever && (len(kept) > maxAhead || size > maxAheadBytes) {
			kept = nil
		}
	}
}

// Columns are none once the rows are closed.
func (r *queryRows) Columns() []Column {
	if r.closed {
		return nil
	}
	return r.columns
}

func (r *queryRows) Next() ([]value.Value, error) {
	if r.limit == 0 || r.closed {
		return nil, io.EOF
	}
	row, err := r.next()
	if err == nil && r.limit > 0 {
		r.limit--
	}
	return row, err
}

func (r *queryRows) next() ([]value.Value, error) {
	if r.ahead != nil {
		return r.nextAhead()
	}
	row, err := r.Rows.Next()
	if err == io.EOF || !r.started {
		r.started = true
		if late := r.ctx.Err(); late != nil {
			err = late
		}
	}
	if err != nil {
		return nil, r.failed(err)
	}
	return row, nil
}

// failed is the error of a step as the caller is to see it, and as SHOW WARNINGS is to
// tell it, unless another statement reads the rows and keeps its own.
func (r *queryRows) failed(err error) error {
	if err == io.EOF {
		return err
	}
	r.tx.AbortIf(err)
	err = r.session.explained(r.ctx, r.statement, r.space.execution.env.Params, err)
	again := r.err != nil
	r.err = r.session.queryError(r.ctx, err)
	if r.number != 0 && !again {
		r.session.failed(r.err)
	}
	return r.err
}

// Block implements BlockRows.
func (r *queryRows) Block() (*Block, error) {
	if r.limit >= 0 || r.closed || r.ahead != nil {
		return nil, nil
	}
	b, err := r.Rows.Block()
	if err != nil {
		return nil, r.failed(err)
	}
	return b, nil
}

// NextBlock implements BlockRows.
func (r *queryRows) NextBlock() error {
	if r.closed {
		return io.EOF
	}
	err := r.Rows.NextBlock()
	if late := r.ctx.Err(); late != nil {
		err = late
	}
	if err != nil {
		return r.failed(err)
	}
	return nil
}

func (r *queryRows) nextAhead() ([]value.Value, error) {
	if err := r.ctx.Err(); err != nil {
		return nil, r.session.queryError(r.ctx, err)
	}
	if len(r.ahead) == 0 {
		return nil, io.EOF
	}
	row := r.ahead[0]
	r.ahead = r.ahead[1:]
	return row, nil
}

func (r *queryRows) Close() error {
	if r.closed {
		return nil
	}
	r.closed = true
	r.session.foundRows = r.FoundRows()
	err := r.closeRows()
	r.cancel()
	if r.space.claims.Bytes.Load() != 0 {
		r.space.claims.Release()
	}
	err = storeerr.Map(r.ctx, err)
	if r.number != 0 { // else another statement reads the rows, and ends itself
		r.session.ends(r.number, &metrics.Done{Err: r.err, Given: r.Given(), Work: &r.space.execution.work})
		r.space.clear()
		r.session.idle = r.space
		*r = queryRows{closed: true}
	}
	return err
}

// closeRows ends what gives the rows, and the transaction that they have of their own
// whatever becomes of that.
func (r *queryRows) closeRows() error {
	defer func() {
		if released, ok := r.own.(kv.Releaser); ok {
			_ = released.Release() // it holds no writes
			r.own = nil
		} else if r.own != nil {
			r.own.Rollback()
		}
	}()
	return r.Rows.Close()
}

// clear lets go of all that the last SELECT has left.
func (w *workspace) clear() {
	w.execution.clear()
	w.execution.work = exec.Work{}
	w.memory.Clear()
}
