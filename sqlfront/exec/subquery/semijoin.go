package subquery

import (
	"slices"

	"github.com/hbasekv/hbasekv/partition"
	"github.com/hbasekv/hbasekv/sqlfront/exec/agg"
	"github.com/hbasekv/hbasekv/sqlfront/exec/cost"
	"github.com/hbasekv/hbasekv/sqlfront/exec/join"
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/exec/pipeline"
	"github.com/hbasekv/hbasekv/sqlfront/exec/query"
	"github.com/hbasekv/hbasekv/sqlfront/exec/scan"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/mayfail"
)

// IN and EXISTS with many keys, in the order of the outer rows, need no set: both sides are merged
// as in a join, and each left row is returned once, however many partners it has.

// semiJoin is a condition that is true if some row of a query has the keys of the current row, or
// with NOT if none has.
type semiJoin struct {
	of    *Subquery
	query *query.Query
	keys  []expr.Node // of the current row
	gives join.Kind
	group *join.MatchGroup // for conditions besides equal keys
}

// semiJoinOf returns a condition as a semi join; ok is false for other conditions.
func semiJoinOf(n expr.Node) (m semiJoin, ok bool) {
	not, negated := n.(*expr.Not)
	if negated {
		n = not.X
	}
	if m.of, ok = n.(*Subquery); !ok {
		return m, false
	}
	switch s := m.of; {
	case s.Use.Kind == expr.SubqueryIn && s.Once():
		m.query, m.keys = s.Query, []expr.Node{s.Use.Left}
		if t, several := s.Use.Left.(*expr.Tuple); several {
			m.keys = t.Items
		}
	case s.Use.Kind == expr.SubqueryExists && s.Decorrelated != nil:
		m.query, m.keys = s.Decorrelated, s.ownKey()
	case s.Use.Kind == expr.SubqueryExists && s.Partnered != nil && s.Partnered.looksRowsUp():
		m.query, m.keys = s.Partnered.All, s.Outer
	default:
		return m, false
	}
	m.gives = join.Semi
	if negated != m.of.Use.Not {
		m.gives = join.Anti
	}
	return m, true
}

// manyKeys is the number of keys from which they are merged: fewer make a list or a small set.
func manyKeys(c *op.Context) int64 {
	if c.JoinRows > 0 {
		return int64(c.JoinRows)
	}
	return maxKnown
}

// partners opens the rows with which an access's rows are merged. It returns nil if they are few,
// or if the keys are not in the same order. within limits their K. The number of partners that are
// read has no visible effect: their conditions neither warn nor fail.
func (m *semiJoin) partners(
	x *op.Frame, a *scan.Access, within partition.RowRange,
) (right op.Operator, keys []join.EqualKey, err error) {
	body := m.body(x, a)
	if body == nil {
		return nil, nil, nil
	}
	want := op.Desired{OnePerRow: len(m.keys) == 1 && m.of.Partnered == nil, Within: within}
	right, _, err = body.Source.Open(x.Stmt.NewFrame(m.query.Width), want)
	if err != nil {
		return nil, nil, err
	}
	right = x.Timed(right)
	if comesLike(x, a, right) && scan.RowsAsking(right) >= manyKeys(x.Context) {
		if m.of.Partnered == nil {
			keys = m.inOrder(a, right, body.Projection.Nodes)
		}
		if keys == nil && m.of.Use.Kind == expr.SubqueryExists {
			keys = m.inGroups(a, right, body.Projection.Nodes)
		}
	}
	if keys == nil {
		return nil, nil, right.Close()
	}
	return right, keys, nil
}

// body returns the query if it may be merged with an access: it reads one table, or a pivot of one,
// by the K of the outer rows.
func (m *semiJoin) body(x *op.Frame, a *scan.Access) *query.Select {
	body, ok := m.query.Body.(*query.Select)
	asksK := slices.ContainsFunc(m.keys, func(n expr.Node) bool { return op.IsAt(n, a.Columns.K) })
	if !ok || !asksK || !x.Merges() || body.Limit.Present || x.Context.LockRows && body.Lock != nil ||
		len(m.query.Subqueries) > 0 || !ofOneTable(body) {
		return nil
	}
	return body
}

// comesLike reports whether a pipeline's rows can be read in the sequence of those of an access,
// and the number of them that are read has no visible effect.
func comesLike(x *op.Frame, a *scan.Access, right op.Operator) bool {
	r := scan.BaseOf(right)
	return r != nil && !pipeline.HasJoin(right) && scan.Quietly(right) && !r.LooksUp() && !r.Volatile() &&
		!r.StoreScan.Reverse && !r.StoreScan.Ordered && r.Access.Tables[0].Partitioning.Equal(a.Tables[0].Partitioning)
}

// ofOneTable reports whether the rows, or groups, are those of a table or of a pivot of one.
func ofOneTable(b *query.Select) bool {
	for n := b.Source; ; {
		switch of := n.(type) {
		case *scan.Access:
			return true
		case *agg.Aggregate:
			n = of.Child
		case *pipeline.Filter:
			n = of.Child
		case *query.Derived:
			b, ok := of.Query.Body.(*query.Select)
			if !ok || b.Limit.Present || b.Lock != nil || len(of.Query.Subqueries) > 0 {
				return false
			}
			n = b.Source
		default:
			return false
		}
	}
}

// inOrder returns the keys in the order of the rows: K, and if both sides are cells Q and T after
// it. It is nil if there are others.
func (m *semiJoin) inOrder(a *scan.Access, right op.Operator, gives []expr.Node) (out []join.EqualKey) {
	places := [][2]int{{a.Columns.K, scan.KeyColumn(right)}}
	if s, plain := scan.Of(right); plain && a.Columns.F < 0 && s.Access.Columns.F < 0 {
		places = append(places, [2]int{a.Columns.Q, s.Access.Columns.Q}, [2]int{a.Columns.T, s.Access.Columns.T})
	}
	if len(m.keys) > len(places) {
		return nil
	}
	for _, at := range places[:len(m.keys)] {
		i := slices.IndexFunc(m.keys, func(n expr.Node) bool { return op.IsAt(n, at[0]) })
		if i < 0 || !op.IsAt(gives[i], at[1]) {
			return nil
		}
		out = append(out, join.EqualKey{Own: m.keys[i], Of: gives[i]})
	}
	return out
}

// isLong reports whether IN compares an access's rows with so many keys that merging is better than
// a list.
func (s *Subquery) isLong(x *op.Frame, a *scan.Access) (bool, error) {
	m, ok := semiJoinOf(s)
	if !ok {
		return false, nil
	}
	right, _, err := m.partners(x, a, partition.RowRange{})
	if right == nil || err != nil {
		return false, err
	}
	return true, right.Close()
}

// mergeMembers merges the scan with the subqueries of its conditions, if it has many rows. From the
// first condition after these that may warn or fail, conditions are evaluated by filters above. It
// returns the scan if there is nothing to merge.
func mergeMembers(s *scan.Scan, want op.Desired) (out op.Operator, err error) {
	if want.Sequenced || s.Empty() || s.LooksUp() || s.StoreScan.Reverse || !s.X.Merges() || !asksMembers(s) ||
		scan.RowsAsking(s) < s.X.Context.ManyRows() {
		return s, nil
	}
	m := merging{scan: s, out: s}
	if s.Keys, err = m.take(s.Keys); err == nil {
		s.Values, err = m.take(s.Values)
	}
	if err != nil || m.out == op.Operator(s) {
		return s, err
	}
	return m.finish()
}

// merged is kept for a subquery's query whose rows are merged with the outer rows.
type merged struct{}

// merging is a scan that is merged with the subqueries of its conditions.
type merging struct {
	scan  *scan.Scan
	out   op.Operator
	above []expr.Node // conditions that are evaluated for the result
}

// take merges with the subqueries of some conditions, and returns the remaining conditions.
func (m *merging) take(conds []expr.Node) (own []expr.Node, err error) {
	for _, n := range conds {
		if len(m.above) > 0 {
			m.above = append(m.above, n)
			continue
		}
		j, err := mergeWith(m.scan, n, m.out)
		switch {
		case err != nil:
			return nil, err
		case j != nil:
			m.out = j
		case m.out != op.Operator(m.scan) && mayfail.Condition(n):
			m.above = append(m.above, n)
		default:
			own = append(own, n)
		}
	}
	return own, nil
}

// asksMembers reports whether a remaining condition is a semi join.
func asksMembers(s *scan.Scan) bool {
	asks := func(n expr.Node) bool { _, ok := semiJoinOf(n); return ok }
	return slices.ContainsFunc(s.Keys, asks) || slices.ContainsFunc(s.Values, asks)
}

// finish adds filters for the other conditions, one after the other: a NULL ends them, too.
func (m *merging) finish() (op.Operator, error) {
	s := m.scan
	con := *s.Con
	con.Remaining = expr.Conjoin(append(s.Keys[:len(s.Keys):len(s.Keys)], s.Values...))
	s.Con = &con
	for _, n := range m.above {
		cond, err := s.X.Answer(n, m.out)
		if err != nil {
			return nil, err
		}
		m.out = &pipeline.Filtered{Input: op.Input{Operator: s.X.Timed(m.out)}, Cond: cond, Title: "where"}
	}
	return m.out, nil
}

// mergeWith joins the scan's rows, as returned by left, with the subquery of a condition; it
// returns nil if that must be done in another way.
func mergeWith(s *scan.Scan, n expr.Node, left op.Operator) (op.Operator, error) {
	m, ok := semiJoinOf(n)
	if !ok {
		return nil, nil
	}
	right, keys, err := m.partners(s.X, s.Access, s.Hull())
	if right == nil || err != nil {
		return nil, err
	}
	r := scan.BaseOf(right)
	if m.of.Use.Kind == expr.SubqueryExists && s.X.Context.JoinRows == 0 && !readsInTime(r, scan.RowsAsking(s)) ||
		!join.AlignRows(s, r) {
		return nil, right.Close()
	}
	op.Keep[merged](s.X.Stmt, m.of.Query)
	var group *join.MatchGroup
	if m.group != nil {
		group = m.group.Start(s.X.Stmt.NewFrame(max(m.query.Width, m.of.Query.Width)))
	}
	return join.NewSemiJoin(s, left, right, keys, m.gives, group), nil
}

// readsInTime reports whether the right side can be read in the time of so many lookups.
func readsInTime(right *scan.Scan, lookups int64) bool {
	e, ok := right.Size(cost.LooksJoined)
	return ok && cost.Beat(e, lookups)
}

// looksRowsUp reports whether the subquery has one row for each of the partners.
func (p *Partnered) looksRowsUp() bool {
	b, ok := p.Query.Body.(*query.Select)
	if !ok || b.Limit.Present {
		return false
	}
	_, plain := b.Source.(*Partners)
	return plain
}

// inGroups returns K as the only key of rows in groups by K; it is nil if they are not, or if the
// condition on them may warn or fail.
func (m *semiJoin) inGroups(a *scan.Access, right op.Operator, gives []expr.Node) []join.EqualKey {
	k := scan.KeyColumn(right)
	own := func(n expr.Node) bool { return op.IsAt(n, a.Columns.K) }
	if p := m.of.Partnered; p != nil {
		if len(p.Own) > 1 {
			return nil // an index of all keys finds fewer rows
		}
		for i, n := range m.of.Outer {
			cond, ok := join.Without(p.Conditions, k, p.Slots[i])
			if own(n) && ok && cond != nil && !mayfail.Condition(cond) {
				m.group = join.GroupAsking(m.of.Outer, p.Slots, cond)
				return []join.EqualKey{{Own: n, Of: &expr.Column{Index: k, Name: n.(*expr.Column).Name, T: n.Type()}}}
			}
		}
		return nil
	}
	for i, n := range m.keys {
		if own(n) && op.IsAt(gives[i], k) {
			m.group = join.GroupOfKeys(others(m.keys, i), others(gives[:len(m.keys)], i))
			return []join.EqualKey{{Own: n, Of: gives[i]}}
		}
	}
	return nil
}

// others returns all nodes except one.
func others(nodes []expr.Node, but int) []expr.Node {
	return append(nodes[:but:but], nodes[but+1:]...)
}
