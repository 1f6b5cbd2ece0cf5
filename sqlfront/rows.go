package sqlfront

import (
	"io"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/answers"
	"github.com/hbasekv/hbasekv/sqlfront/exec"
	"github.com/hbasekv/hbasekv/sqlfront/metrics"
	"github.com/hbasekv/hbasekv/sqlfront/storeerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// maxAhead and maxAheadBytes bound the rows that readAhead keeps.
const (
	maxAhead      = 256
	maxAheadBytes = 1 << 20
)

// readAhead reads all rows, and keeps them in ahead unless they are too many. With whatever, it always keeps
// them.
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

// Columns implements Rows: nil once the rows are closed.
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
	if err != nil && err != io.EOF {
		return nil, r.failed(err)
	}
	return row, err
}

// failed maps the error of a step for the caller, and keeps it for SHOW WARNINGS, unless the rows are read by
// another statement, which keeps its own.
func (r *queryRows) failed(err error) error {
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
func (r *queryRows) Block() (*answers.Block, error) {
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
	if err != nil && err != io.EOF {
		return r.failed(err)
	}
	return err
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
	if r.cancel != nil {
		r.cancel()
	}
	if r.space.claims.Bytes.Load() != 0 {
		r.space.claims.Release()
	}
	if err != nil {
		err = storeerr.Map(r.ctx, err)
	}
	if r.number != 0 { // otherwise the rows are part of another statement
		r.session.ends(r.number, &metrics.Done{Err: r.err, Given: r.Given(), Work: &r.space.execution.work})
		r.space.execution.clear()
		r.space.execution.work = exec.Work{}
		r.space.memory.Clear()
		r.session.idle = r.space
		*r = queryRows{closed: true}
	}
	return err
}

// closeRows closes the operators, and ends the SELECT's own transaction whether or not that fails.
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
