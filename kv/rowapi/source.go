package rowapi

import (
	"bytes"
	"context"
	"slices"

	"github.com/hbasekv/hbasekv/kv"
)

// source returns cells in the order of HBase's results: rows ascend or descend, cells in a row ascend.
type source interface {
	// next steps to the next cell, which is valid until the next step.
	next() bool
	cell() (c *kv.Cell, value []byte, err error)
	err() error
	// skipTo skips rows before one if that is cheaper than reading them.
	skipTo(row []byte)
	close() error
}

// forward returns the cells of a cursor as they are.
type forward struct {
	cursor kv.Cursor
	values bool // values are asked for
}

func (f forward) next() bool { return f.cursor.Next() }

func (f forward) cell() (*kv.Cell, []byte, error) {
	if !f.values {
		return f.cursor.Cell(), nil, nil
	}
	value, err := f.cursor.Value()
	return f.cursor.Cell(), value, err
}

func (f forward) err() error   { return f.cursor.Err() }
func (f forward) close() error { return closeCursor(f.cursor) }

func (f forward) skipTo(row []byte) {
	if s, ok := f.cursor.(kv.Skipper); ok {
		s.SkipTo(row)
	}
}

// closeCursor closes a cursor, and recycles its memory.
func closeCursor(c kv.Cursor) error {
	if r, ok := c.(kv.Releaser); ok {
		return r.Release()
	}
	return c.Close()
}

// nothing has no cells.
type nothing struct{}

func (nothing) next() bool                      { return false }
func (nothing) cell() (*kv.Cell, []byte, error) { return nil, nil, nil }
func (nothing) err() error                      { return nil }
func (nothing) skipTo([]byte)                   {}
func (nothing) close() error                    { return nil }

// reversed reverses the cells of each row that a reverse cursor returns. It holds one row.
type reversed struct {
	forward
	cells []kv.Cell // what is left of the row, the next one last
	ahead bool      // the cursor is at the first cell of the next row
	fault error
}

func (r *reversed) next() bool {
	if n := len(r.cells); n > 1 {
		r.cells = r.cells[:n-1]
		return true
	}
	r.cells = nil
	if !r.ahead && !r.cursor.Next() {
		return false
	}
	for r.ahead = true; r.ahead; r.ahead = r.cursor.Next() {
		c, value, err := r.forward.cell()
		if err != nil {
			r.fault = err
			return false
		}
		if len(r.cells) > 0 && !bytes.Equal(c.Row, r.cells[0].Row) {
			return true
		}
		own := *c
		own.Row, own.Qualifier, own.Value = bytes.Clone(c.Row), bytes.Clone(c.Qualifier), slices.Clone(value)
		if len(r.cells) > 0 {
			own.Row = r.cells[0].Row
		}
		r.cells = append(r.cells, own)
	}
	return r.err() == nil
}

func (r *reversed) cell() (*kv.Cell, []byte, error) {
	c := &r.cells[len(r.cells)-1]
	return c, c.Value, nil
}

func (r *reversed) err() error {
	if r.fault != nil {
		return r.fault
	}
	return r.forward.err()
}

// open begins to read according to the plan.
func (p *plan) open(ctx context.Context, tx kv.Txn) (source, error) {
	if len(p.tables) == 0 || p.scan.Ranges != nil && len(p.scan.Ranges) == 0 {
		return nothing{}, nil
	}
	cursor, err := tx.Scan(ctx, p.tables, &p.scan)
	if err != nil {
		return nil, err
	}
	p.direct = forward{cursor, p.scan.NeedValue}
	if p.scan.Reverse {
		return &reversed{forward: p.direct}, nil
	}
	return &p.direct, nil
}
