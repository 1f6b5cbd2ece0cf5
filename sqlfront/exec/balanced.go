package exec

import (
	"cmp"

	"github.com/hbasekv/hbasekv/sqlfront/clause"
	"github.com/hbasekv/hbasekv/sqlfront/explain"
	"github.com/hbasekv/hbasekv/sqlfront/spill"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// balanced is what INTERSECT and EXCEPT, and the other operations among them, leave of the
// rows of parts. All of these are read before the first is given.
type balanced struct {
	*unionRows
	left  *spill.Balance
	key   []byte
	ready bool
}

// balanced is what is left of the first parts.
func (u *Union) balanced(x *frame, parts int) *balanced {
	operations := make([]clause.SetOperation, parts)
	for i := range operations {
		operations[i] = u.Parts[i].Operation
	}
	return &balanced{unionRows: &unionRows{Union: u, x: x, end: parts, all: true}, left: x.stmt.space.NewBalance(operations)}
}

func (b *balanced) next() ([]value.Value, error) {
	if !b.ready {
		if err := spill.Each(b.unionRows.next, b.add); err != nil {
			return nil, err
		}
		b.ready = true
	}
	return b.left.Next()
}

// add counts a row of the present part.
func (b *balanced) add(row []value.Value) error {
	b.key = value.AppendKeys(b.key[:0], row)
	if err := b.left.Add(b.part, b.key, row); err != nil {
		return err
	}
	return b.x.tick()
}

func (b *balanced) close() error { return cmp.Or(b.unionRows.close(), b.left.Close()) }

func (b *balanced) step() *explain.Step {
	out := b.unionRows.step()
	out.Temporary, out.Memory = true, b.left.Peak()
	if b.left.Spilled() {
		out.AddSpilled()
	}
	return out
}
