package pipeline

import (
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/exec/scan"
	"github.com/hbasekv/hbasekv/sqlfront/explain"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// ReadAhead is an operator of which some rows may be read before they are requested. The rows are
// the frame's columns from First to below End.
type ReadAhead struct {
	op.Input
	First, End int
	Rows       [][]value.Value
	bytes      int // of Rows
	given      int // number of Rows returned
	all        bool
}

// maxAhead limits the bytes of rows that are read ahead.
const maxAhead = 1 << 20

// Read reads rows ahead, and reports whether there are at most limit.
func (a *ReadAhead) Read(limit int) (all bool, err error) {
	for len(a.Rows) <= limit && a.bytes <= maxAhead {
		ok, err := a.Row(1)
		if err != nil {
			return false, err
		}
		if !ok {
			a.all = true
			return true, nil
		}
		a.keep()
	}
	return false, nil
}

// keep keeps the current row.
func (a *ReadAhead) keep() {
	row := op.CloneRow(a.Env().Row[a.First:a.End])
	for _, v := range row {
		if v.IsString() {
			a.bytes += len(v.Raw())
		}
	}
	a.Rows = append(a.Rows, row)
}

func (a *ReadAhead) Next(want int) (*kernel.Batch, error) {
	if a.given < len(a.Rows) {
		copy(a.Env().Row[a.First:a.End], a.Rows[a.given])
		a.given++
		return op.OneRow, nil
	}
	switch {
	case a.all:
		return nil, nil
	case a.Batch != nil:
		return op.Single(a.Row(want))
	}
	return a.Operator.Next(want)
}

func (a *ReadAhead) Under() op.Operator { return a.Operator }
func (a *ReadAhead) SameInParts() bool  { return true }

func (a *ReadAhead) OfPart(r *scan.PartRun, x *op.Frame) (op.Operator, *op.Frame) {
	return r.Pipeline(a.Operator, x)
}

// AddWork adds nothing: the joins that read ahead do.
func (a *ReadAhead) AddWork(*explain.Step) {}
