package constrain

import (
	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// point is the constraint of the two commonest conditions, K = a and K = a AND
// Q = b, without scan ranges; nil is any other condition. It says what the scan ranges
// would say, in a tenth of their time.
func (m *Arena) point(where expr.Node, cols *Columns, env *expr.Env, view View) *Constraint {
	if cols.F >= 0 || view.Time.Bounded {
		return nil
	}
	var row, qualifier []byte
	switch n := where.(type) {
	case *expr.Compare:
		row = equals(n, cols.K, env)
	case *expr.And:
		if len(n.List) == 2 {
			row, qualifier = equals(n.List[0], cols.K, env), equals(n.List[1], cols.Q, env)
			if row == nil {
				row, qualifier = equals(n.List[1], cols.K, env), equals(n.List[0], cols.Q, env)
			}
			if qualifier == nil {
				return nil
			}
		}
	}
	if row == nil {
		return nil
	}
	return m.onePoint(row, qualifier)
}

// equals is the string that a condition says a binary column equals, nil where
// it says anything else.
func equals(n expr.Node, column int, env *expr.Env) []byte {
	c, ok := n.(*expr.Compare)
	if !ok || c.Op != expr.Eq {
		return nil
	}
	if l, ok := c.L.(*expr.Column); !ok || l.Index != column || l.T.Kind != value.Bytes {
		return nil
	}
	var v value.Value
	switch r := c.R.(type) {
	case *expr.Const:
		v = r.V
	case *expr.Param:
		if r.Index < len(env.Params) {
			v = env.Params[r.Index]
		}
	}
	if !v.IsString() || len(v.Raw()) > maxKey {
		return nil
	}
	return notNil(v.Raw())
}

// onePoint is a row, or one column of it where qualifier is not nil.
func (m *Arena) onePoint(row, qualifier []byte) *Constraint {
	if m == nil {
		m = &Arena{}
	}
	at := kv.Position{Row: row, Qualifier: qualifier, Depth: kv.DepthRow}
	if qualifier != nil {
		at.Depth = kv.DepthColumn
	}
	m.ranges[0].Start, m.ranges[0].End = at, at
	m.ranges[0].End.After = true
	m.constraint = Constraint{Ranges: m.ranges[:]}
	return &m.constraint
}

// Arena is memory for a Constraint of the commonest conditions, so that they
// need no allocation.
type Arena struct {
	constraint Constraint
	ranges     [1]kv.Range
}
