package join

import (
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/exec/scan"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
)

// Kind says which left rows a join returns, other than those of pairs.
type Kind uint8

const (
	inPairs Kind = iota // with each of its partners
	Semi                // once, for a semi join
	Anti                // for an anti join
)

// nextOwn returns the next left batch with only the rows that the join returns, or nil if the next row must
// be joined by itself.
func (j *uniqueMerge) nextOwn() (*kernel.Batch, error) {
	for {
		if ok, err := j.ready(); !ok || err != nil || j.l.single {
			return nil, err
		}
		b, before := j.l.batch, len(j.l.batch.Rows)-j.l.at
		rows, err := j.ownRows()
		if err == nil {
			err = j.x.Ticks(before)
		}
		if b.Rows = rows; len(rows) > 0 || err != nil {
			return b, err
		}
	}
}

// ownRows returns the rows of the left batch that the join returns. The batch is then used up.
func (j *uniqueMerge) ownRows() ([]int32, error) {
	l, r := j.l, j.r
	rows := l.batch.Rows[:0]
	for l.inBatch() {
		if _, err := j.readyRight(); err != nil {
			return nil, err
		}
		met, behind, err := j.meets()
		if err != nil {
			return nil, err
		}
		if behind {
			r.Step()
			continue
		}
		if met == (j.gives == Semi) {
			rows = append(rows, l.batch.Rows[l.at])
		}
		l.Step()
	}
	l.batch = nil
	return rows, nil
}

// NewSemiJoin joins the rows of a scan, as returned by left, with their partners. group, if not nil, has the
// condition besides the keys.
func NewSemiJoin(
	s *scan.Scan, left, right op.Operator, keys []EqualKey, gives Kind, group *MatchGroup,
) op.Operator {
	own := s.Access
	n := &Join{LeftFirst: own.First, LeftEnd: own.First + own.Width}
	n.RightFirst, n.RightEnd = scan.ColumnsOf(right)
	out := n.startRows(s.X, s.X.Timed(left), right, nil)
	out.gives, out.l.keys, out.r.keys = gives, nil, nil
	out.asksOf(group)
	var on []expr.Node
	for _, k := range keys {
		on = append(on, &expr.Compare{Op: expr.Eq, L: k.Own, R: k.Of})
		out.l.keys = append(out.l.keys, k.Own.(*expr.Column).Index)
		out.r.keys = append(out.r.keys, k.Of.(*expr.Column).Index)
	}
	n.On = expr.Conjoin(on)
	return out
}

// EqualKey is a column of the left rows, and the column of their partners that equals it.
type EqualKey struct{ Own, Of expr.Node }
