package order

import (
	"cmp"

	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/explain"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
	"github.com/hbasekv/hbasekv/sqlfront/spill"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Distinct returns each distinct row once, in order of arrival, by its first columns: the others
// are only for the sort above.
type Distinct struct {
	child   op.Input
	out     expr.Env
	x       *op.Frame
	columns int
	key     []byte
	seen    *spill.Set // nil if equal rows are consecutive
	last    []byte
	first   bool
	ended   bool
	// All says that all rows are read, so that batches of them pay off.
	All bool
}

func NewDistinct(x *op.Frame, child op.Operator, columns int, together bool) *Distinct {
	d := &Distinct{child: op.Input{Operator: child}, x: x, columns: columns, first: true}
	if !together {
		d.seen = x.Stmt.Space.NewSet()
	}
	return d
}

func (d *Distinct) Env() *expr.Env { return &d.out }

func (d *Distinct) Next(want int) (_ *kernel.Batch, err error) {
	if d.out.Row, err = d.nextRow(want); d.out.Row == nil || err != nil {
		return nil, err
	}
	return op.OneRow, nil
}

func (d *Distinct) nextRow(want int) ([]value.Value, error) {
	if d.All {
		want = op.AllRows
	}
	for !d.ended {
		row, err := d.child.Result(want)
		if err != nil {
			return nil, err
		}
		if row == nil {
			d.ended = true
			break
		}
		d.key = value.AppendKeys(d.key[:0], row[:d.columns])
		if fresh, err := d.isNew(row); fresh || err != nil {
			return row, err
		}
		if err := d.x.Tick(); err != nil {
			return nil, err
		}
	}
	if d.seen == nil {
		return nil, nil
	}
	return d.seen.Next()
}

func (d *Distinct) isNew(row []value.Value) (bool, error) {
	if d.seen != nil {
		return d.seen.Add(d.key, row)
	}
	fresh := d.first || string(d.last) != string(d.key)
	d.first = false
	d.key, d.last = d.last, d.key
	return fresh, nil
}

func (d *Distinct) Close() error {
	err := d.child.Close()
	if d.seen == nil {
		return err
	}
	return cmp.Or(err, d.seen.Close())
}

func (d *Distinct) Step() *explain.Step {
	title := "Distinct, in memory"
	if d.seen == nil {
		title = "Distinct, streaming"
	}
	out := explain.NewStep(title, d.child.Step())
	d.describe(out)
	return out
}

// describe adds the memory of the rows.
func (d *Distinct) describe(out *explain.Step) {
	if out.Temporary = d.seen != nil; d.seen == nil {
		return
	}
	out.Memory = d.seen.Peak()
	if d.seen.Spilled() {
		out.AddSpilled()
	}
}
