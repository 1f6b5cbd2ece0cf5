package exec

import (
	"github.com/hbasekv/hbasekv/sqlfront/spill"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// distinct lets each row through once, by its first columns: those behind
// them only serve the sort above.
type distinct struct {
	child   results
	x       *frame
	columns int
	key     []byte
	seen    *spill.Set // nil where equal rows come together
	last    []byte
	first   bool
	ended   bool
}

func newDistinct(x *frame, child results, columns int, together bool) *distinct {
	d := &distinct{child: child, x: x, columns: columns, first: true}
	if !together {
		d.seen = x.stmt.space.NewSet()
	}
	return d
}

func (d *distinct) next() ([]value.Value, error) {
	for !d.ended {
		row, err := d.child.next()
		if err != nil {
			return nil, err
		}
		if row == nil {
			d.ended = true
			break
		}
		d.key = appendKey(d.key[:0], row[:d.columns])
		if fresh, err := d.isNew(row); fresh || err != nil {
			return row, err
		}
		if err := d.x.tick(); err != nil {
			return nil, err
		}
	}
	if d.seen == nil {
		return nil, nil
	}
	return d.seen.Next()
}

// appendKey appends bytes that are equal for rows that DISTINCT holds for
// equal.
func appendKey(dst []byte, row []value.Value) []byte {
	for _, v := range row {
		dst = value.AppendKey(dst, v)
	}
	return dst
}

func (d *distinct) isNew(row []value.Value) (bool, error) {
	if d.seen != nil {
		return d.seen.Add(d.key, row)
	}
	fresh := d.first || string(d.last) != string(d.key)
	d.first = false
	d.key, d.last = d.last, d.key
	return fresh, nil
}

func (d *distinct) close() error {
	err := d.child.close()
	if d.seen == nil {
		return err
	}
	return firstError(err, d.seen.Close())
}
