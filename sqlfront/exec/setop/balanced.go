package setop

import (
	"cmp"

	"github.com/hbasekv/hbasekv/sqlfront/clause"
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/explain"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
	"github.com/hbasekv/hbasekv/sqlfront/spill"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// balanced is the result of INTERSECT and EXCEPT, possibly mixed with other operations, on the rows
// of parts. All parts are read before the first row is returned.
type balanced struct {
	*unionRows
	left  *spill.Balance
	out   expr.Env
	key   []byte
	ready bool
}

// balanced returns the result of the first parts.
func (u *Union) balanced(x *op.Frame, parts int) *balanced {
	operations := make([]clause.SetOperation, parts)
	for i := range operations {
		operations[i] = u.Parts[i].Operation
	}
	return &balanced{unionRows: u.rows(x, parts), left: x.Stmt.Space.NewBalance(operations)}
}

// ReadFor does nothing: rows are compared by all columns.
func (b *balanced) ReadFor(kernel.Reader) {}

// Branches returns none: not all rows of the parts are returned.
func (b *balanced) Branches() []op.Operator { return nil }

func (b *balanced) Env() *expr.Env { return &b.out }

func (b *balanced) Next(int) (_ *kernel.Batch, err error) {
	if !b.ready {
		rows := op.Input{Operator: b.unionRows}
		if err := spill.Each(rows.AllRows, b.add); err != nil {
			return nil, err
		}
		b.ready = true
	}
	if b.out.Row, err = b.left.Next(); b.out.Row == nil || err != nil {
		return nil, err
	}
	return op.OneRow, nil
}

// add counts a row of the current part.
func (b *balanced) add(row []value.Value) error {
	row = row[:len(b.Types)]
	b.key = value.AppendKeys(b.key[:0], row)
	if err := b.left.Add(b.part, b.key, row); err != nil {
		return err
	}
	return b.x.Tick()
}

func (b *balanced) Close() error { return cmp.Or(b.unionRows.Close(), b.left.Close()) }

func (b *balanced) Step() *explain.Step {
	out := b.unionRows.Step()
	out.Temporary, out.Memory = true, b.left.Peak()
	if b.left.Spilled() {
		out.AddSpilled()
	}
	return out
}
