package constrain

import (
	"math"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/constrain/keyspans"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// point is the constraint of the most frequent conditions, without scan ranges: K = a, K = a AND Q = b, and,
// if all versions are shown, K = a AND Q = b AND T = c. It is nil for any other condition. The result is that
// of the scan ranges, in a tenth of their time.
func (m *Arena) point(where expr.Node, cols *Columns, env *expr.Env, view View) *Constraint {
	if cols.F >= 0 || view.Time.Bounded {
		return nil
	}
	one := [1]expr.Node{where}
	list := one[:]
	if and, ok := where.(*expr.And); ok {
		list = and.List
	}
	if cols.Typed {
		if c := m.typedPoint(list, env); c != nil {
			return c
		}
	}
	exact := view.AllVersions && !view.Opaque && !cols.Sliced && cols.G < 0
	if len(list) > 3 || len(list) == 3 && !exact {
		return nil
	}
	at := kv.Position{Depth: kv.DepthRow + kv.Depth(len(list)-1)}
	timed := false
	for _, n := range list {
		column, v, ok := equality(n, env)
		switch {
		case ok && column == cols.K && at.Row == nil && v.IsString():
			at.Row = v.Raw() // nil for some empty strings, which are left to scan ranges
		case ok && column == cols.Q && at.Qualifier == nil && v.IsString():
			at.Qualifier = v.Raw()
		case ok && column == cols.T && !timed && isVersion(v):
			at.Timestamp, timed = v.Int(), true
		default:
			return nil
		}
	}
	if at.Row == nil || at.Depth > kv.DepthRow && at.Qualifier == nil || timed != (at.Depth == kv.DepthCell) || max(len(at.Row), len(at.Qualifier)) > maxKey {
		return nil
	}
	return m.at(at)
}

// at is the constraint of all cells at a position.
func (m *Arena) at(p kv.Position) *Constraint {
	if m == nil {
		m = &Arena{}
	}
	m.ranges[0].Start, m.ranges[0].End = p, p
	m.ranges[0].End.After = true
	m.constraint = Constraint{Ranges: m.ranges[:]}
	return &m.constraint
}

// typedPoint is the constraint of conditions that set all columns of a typed table's key; nil for others.
func (m *Arena) typedPoint(list []expr.Node, env *expr.Env) *Constraint {
	if m == nil {
		m = &Arena{}
	}
	row, ok := keyspans.Row(m.row[:], list, env.Params, func() *function.Env {
		d := deriver{env: env}
		return &d.quietEnv().Env
	})
	if !ok || len(row) > maxKey {
		return nil
	}
	return m.at(kv.Position{Row: row, Depth: kv.DepthRow})
}

// isVersion reports whether there are timestamps on both sides of this one: the first and the last of a
// column are written as the column's ends.
func isVersion(v value.Value) bool {
	return v.Kind() == value.Int && v.Int() > math.MinInt64 && v.Int() < math.MaxInt64
}

// equality gives the column, of binary strings or integers, and the value of a condition `column =
// value`.
func equality(n expr.Node, env *expr.Env) (column int, v value.Value, ok bool) {
	c, ok := n.(*expr.Compare)
	if !ok || c.Op != expr.Eq {
		return 0, v, false
	}
	l, ok := c.L.(*expr.Column)
	if !ok || l.T.Kind != value.Bytes && l.T.Kind != value.Int {
		return 0, v, false
	}
	switch r := c.R.(type) {
	case *expr.Const:
		return l.Index, r.V, true
	case *expr.Param:
		if r.Index < len(env.Params) {
			return l.Index, env.Params[r.Index], true
		}
	}
	return 0, v, false
}

// Arena is memory for a Constraint of the most frequent conditions, which then need no allocation.
type Arena struct {
	constraint Constraint
	ranges     [1]kv.Range
	row        [64]byte // of ranges, if it is large enough
}
