package exec

import (
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/exec/scan"
	"github.com/hbasekv/hbasekv/sqlfront/explain"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// readAhead is a source of which some rows may be read before they are asked
// for. The rows are the frame's columns from first to below end.
type readAhead struct {
	op.Input
	first, end int
	rows       [][]value.Value
	bytes      int // in the rows
	given      int // of rows
	all        bool
}

// maxAhead bounds the bytes of rows that are read ahead.
const maxAhead = 1 << 20

// read reads rows ahead, and reports whether there are no more than limit.
func (a *readAhead) read(limit int) (all bool, err error) {
	for len(a.rows) <= limit && a.bytes <= maxAhead {
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

// keep keeps the present row.
func (a *readAhead) keep() {
	row := cloneRow(a.Env().Row[a.first:a.end])
	for _, v := range row {
		if v.IsString() {
			a.bytes += len(v.Raw())
		}
	}
	a.rows = append(a.rows, row)
}

func (a *readAhead) Next(want int) (*kernel.Batch, error) {
	if a.given < len(a.rows) {
		copy(a.Env().Row[a.first:a.end], a.rows[a.given])
		a.given++
		return op.OneRow, nil
	}
	switch {
	case a.all:
		return nil, nil
	case a.Batch != nil:
		return op.Single(a.Row(want))
	}
	return a.Source.Next(want)
}

func (a *readAhead) Under() op.Source  { return a.Source }
func (a *readAhead) SameInParts() bool { return true }

func (a *readAhead) OfPart(r *scan.PartRun, x *op.Frame) (op.Source, *op.Frame) {
	return r.Chain(a.Source, x)
}

// AddWork adds nothing, as the joins do that read ahead.
func (a *readAhead) AddWork(*explain.Step) {}
