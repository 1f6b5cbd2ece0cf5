package exec

import (
	"cmp"

	"github.com/hbasekv/hbasekv/sqlfront/explain"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// lateralJoin joins with what reads the left row, such as a lateral derived table: it is opened
// for each left row, and has the values of that in its frame.
type lateralJoin struct{ eachRow }

func newLateralJoin(n *Join, x *frame, left source) *lateralJoin {
	open := func() (source, error) {
		s, _, err := n.Each.open(x, request{})
		return s, err
	}
	return &lateralJoin{eachRow{joining: newJoining(n, x, left), open: open}}
}

func (j *lateralJoin) step() *explain.Step {
	return j.stepOver("right side for each row", j.eachStep(j.Each))
}

// match puts the next right row that joins into the frame.
func (j *lateralJoin) match() (bool, error) { return j.matchAmong(j.eachRow.match, j.On) }

func (j *lateralJoin) next(int) (*kernel.Batch, error) { return single(j.nextOf(j)) }

// overRows are the rows of a lateral derived table for one row in front of it.
type overRows struct{ *listScan }

// openOver reads the rows over the partners of the row in front of the table, once these are kept.
func (n *Derived) openOver(x *frame) (source, grant, error) {
	rows := x.stmt.space.NewList()
	err := n.Over.read(&x.env, x.stmt, 0, func(row []value.Value) (bool, error) { return true, rows.Add(row) })
	if err = cmp.Or(err, rows.Rewind()); err != nil {
		return nil, grant{}, cmp.Or(err, rows.Close())
	}
	return overRows{&listScan{x: x, rows: rows, first: n.First, columns: len(n.Query.Types)}}, grant{}, nil
}

func (r overRows) close() error { return r.rows.Close() }
