package physical

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/expr/setfunc"
	"github.com/hbasekv/hbasekv/sqlfront/plan/block"
	"github.com/hbasekv/hbasekv/sqlfront/plan/condition"
	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// leaf is both sides as one relation.
func (g *groupJoin) leaf() (*block.Leaf, error) {
	q, err := g.query()
	if err != nil {
		return nil, err
	}
	first, second := g.inOrder()
	r := &relation.Relation{Kind: relation.KindDerived, Alias: first.Relation.Alias + ", " + second.Relation.Alias}
	r.Name, r.Columns = r.Alias, slices.Concat(first.Relation.Columns, second.Relation.Columns)
	return &block.Leaf{Relation: r, First: first.First, Derived: q, Again: g.again, Joined: true}, nil
}

// inOrder are both sides in the order of their columns in the frame.
func (g *groupJoin) inOrder() (first, second *groupSide) {
	if g.right.First < g.left.First {
		return &g.right, &g.left
	}
	return &g.left, &g.right
}

// again plans the query once more; nil if that has been done too often.
func (g *groupJoin) again() (*block.Query, error) {
	l, r := *g.left.Leaf, *g.right.Leaf
	var err error
	if l.Derived, err = l.Again(); l.Derived == nil || err != nil {
		return nil, err
	}
	if r.Derived, err = r.Again(); r.Derived == nil || err != nil {
		return nil, err
	}
	out := *g
	out.left, out.right = newGroupSide(&l), newGroupSide(&r)
	out.divide()
	return out.query()
}

// query makes the left block compute both sides.
func (g *groupJoin) query() (*block.Query, error) {
	b, q := g.left.block, g.left.Derived
	b.Aggs, b.AggIndex = nil, nil
	if err := g.place(&g.left); err != nil {
		return nil, err
	}
	if err := g.place(&g.right); err != nil {
		return nil, err
	}
	g.right.has = append(g.right.has, g.left.notNull()...)
	b.Where = slices.Clone(g.left.keyConds)
	having := g.left.has
	if g.outer {
		g.right.has = append(g.right.has, g.right.keyConds...)
	} else {
		b.Where, having = condition.AddNew(b.Meter, b.Where, g.right.keyConds), append(having, g.right.has...)
	}
	b.Where = append(b.Where, g.cells()...)
	b.Having = expr.Conjoin(having)
	b.Items = g.items()
	b.Nodes, b.Out.Columns = nil, len(b.Items)
	for _, i := range b.Items {
		b.Nodes = append(b.Nodes, i.Node)
	}
	q.Columns = b.ResultColumns()
	q.Out.Types = block.NewQuery(q.Columns).Types
	return q, nil
}

// cells are the conditions on cells of both sides.
func (g *groupJoin) cells() []expr.Node {
	if g.sameCells {
		return g.left.cellConds
	}
	return []expr.Node{&expr.Or{List: []expr.Node{expr.Conjoin(g.left.cellConds), expr.Conjoin(g.right.cellConds)}}}
}

// items are the columns of both sides. In an outer join, a group that the right side lacks has NULL.
func (g *groupJoin) items() (out []block.Item) {
	first, second := g.inOrder()
	for _, s := range []*groupSide{first, second} {
		for _, i := range s.block.Items {
			i.Node = g.moved(s, i.Node)
			if g.outer && s == &g.right && len(s.has) > 0 {
				i.Node = condition.OnlyWhere(i.Node, s.has)
			}
			out = append(out, i)
		}
	}
	return out
}

// place assigns columns to a side's aggregates, and finds the conditions for it to have a group.
func (g *groupJoin) place(s *groupSide) error {
	b := g.left.block
	s.slots = map[int]*expr.Column{}
	for _, a := range s.aggs {
		c, err := b.AggregateColumn(g.aggregate(s, a.Agg))
		if err != nil {
			return err
		}
		s.slots[a.Slot] = c
	}
	if !g.sameCells {
		n, err := b.AggregateColumn(setfunc.CountWhere(expr.Conjoin(s.cellConds)))
		if err != nil {
			return err
		}
		none := &expr.Const{V: value.NewInt(0), T: value.Type{Kind: value.Int, Length: 1}}
		s.has = append(s.has, &expr.Compare{Op: expr.Gt, L: n, R: none})
	}
	for _, n := range expr.Conjuncts(s.block.Having) {
		s.has = append(s.has, g.moved(s, n))
	}
	return nil
}

// notNull are conditions that the keys equal themselves.
func (s *groupSide) notNull() (out []expr.Node) {
	for _, k := range s.block.Keys {
		if k.Node.Type().Nullable {
			out = append(out, &expr.IsNull{X: k.Node, Not: true})
		}
	}
	return out
}

// aggregate is an aggregate of a side over the rows of both.
func (g *groupJoin) aggregate(s *groupSide, a *setfunc.Aggregate) *setfunc.Aggregate {
	out := *a
	out.Args, out.Order = nil, slices.Clone(a.Order)
	for _, n := range a.Args {
		out.Args = append(out.Args, g.moved(s, n))
	}
	for i := range out.Order {
		out.Order[i].X = g.moved(s, out.Order[i].X)
	}
	switch {
	case g.sameCells:
	case len(out.Args) == 0:
		return setfunc.CountWhere(expr.Conjoin(s.cellConds))
	default:
		out.Args[0] = condition.OnlyWhere(out.Args[0], s.cellConds)
	}
	return &out
}

// moved rewrites an expression of a side over the left block.
func (g *groupJoin) moved(s *groupSide, n expr.Node) expr.Node {
	return expr.Rewrite(n, func(n expr.Node) expr.Node {
		c, ok := n.(*expr.Column)
		switch {
		case !ok:
			return n
		case s.slots[c.Index] != nil:
			return s.slots[c.Index]
		}
		return g.left.block.Scope.ColumnAt(c.Index - s.table.First + g.left.table.First)
	})
}
