package agg

import (
	"cmp"
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/exec/scan"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/mayfail"
)

// openRows opens the child, and returns the aggregate adapted to its rows.
func (n *Aggregate) openRows(x *op.Frame, want op.Desired) (*Aggregate, op.Operator, op.Provided, error) {
	want.OnePerRow, want.Counting = n.RowOnly, n.Counting
	child, g, err := n.Child.Open(x, want)
	if err != nil {
		return nil, nil, op.Provided{}, err
	}
	if g.OnePerRow {
		n = n.counting(n.countsRows)
	}
	if n.of().asks && scan.RowsAsking(child) >= x.Context.ManyRows() {
		if n, err = n.withSubqueries(x, child); err != nil {
			return nil, nil, op.Provided{}, cmp.Or(err, child.Close())
		}
	}
	if s, ok := child.(*scan.Scan); ok {
		if n.of().distinct {
			n = n.counting(s.TellsApart)
		}
		if t := n.runCountOf(s); t != nil {
			child = t
		}
	}
	return n, x.Timed(child), g, nil
}

// withSubqueries returns the aggregate with the answers for subqueries that are asked for many rows.
func (n *Aggregate) withSubqueries(x *op.Frame, child op.Operator) (_ *Aggregate, err error) {
	out := *n
	out.Settle()
	out.Aggs = slices.Clone(n.Aggs)
	for i, a := range n.Aggs {
		agg := *a.Agg
		if agg.Args, err = x.AnswerAll(agg.Args, child); err != nil {
			return nil, err
		}
		out.Aggs[i].Agg = &agg
	}
	return &out, nil
}

// runCountOf returns the run count of a scan that is only aggregated, or nil if more of its rows is read, or
// if they are changed before.
func (n *Aggregate) runCountOf(s *scan.Scan) *scan.RunCount {
	t := s.CountRuns()
	if t == nil {
		return nil
	}
	for _, k := range n.Keys {
		t.Need(k.Node)
	}
	for _, c := range n.Captured {
		t.Need(&expr.Column{Index: c})
	}
	if !t.Suffices() {
		return nil
	}
	for _, a := range n.Aggs {
		if !a.Agg.CountsTimes() || len(a.Agg.Order) > 0 {
			return nil
		}
		for _, arg := range a.Agg.Args {
			if !s.Counts(a.Agg, arg) {
				t.Need(arg)
			}
		}
	}
	if !t.Suffices() {
		return nil
	}
	return t
}

// counting returns the aggregate with COUNT instead of COUNT(DISTINCT) if tellApart says that the arguments
// are distinct in all rows and not NULL: then nothing needs to be remembered.
func (n *Aggregate) counting(tellApart func(args []expr.Node) bool) *Aggregate {
	out := n
	for i, a := range n.Aggs {
		if a.Agg.Name == "COUNT" && a.Agg.Distinct && tellApart(a.Agg.Args) {
			if out == n {
				changed := *n
				changed.Settle()
				changed.Aggs, out = slices.Clone(n.Aggs), &changed
			}
			plain := *a.Agg
			plain.Distinct, plain.Args = false, a.Agg.Args[:1]
			out.Aggs[i].Agg = &plain
		}
	}
	return out
}

// countsRows reports whether the argument is K, where each value occurs once.
func (n *Aggregate) countsRows(args []expr.Node) bool {
	if len(args) != 1 {
		return false
	}
	c, ok := args[0].(*expr.Column)
	return ok && c.Index == n.RowColumn
}

// warns reports whether an aggregate may warn.
func warns(a AggSlot) bool {
	switch a.Agg.Name {
	case "COUNT", "MIN", "MAX":
		return slices.ContainsFunc(a.Agg.Args, func(n expr.Node) bool { return mayfail.Computes(n) && !chooses(n) })
	}
	return true
}

// chooses reports whether an expression is a CASE that neither warns nor fails.
func chooses(n expr.Node) bool {
	c, ok := n.(*expr.Case)
	return ok && (c.Else == nil || !mayfail.Computes(c.Else)) && !slices.ContainsFunc(c.Whens, func(w expr.When) bool {
		return mayfail.Computes(w.Then) || c.X == nil && mayfail.Condition(w.Cond) ||
			c.X != nil && mayfail.Condition(&expr.Compare{Op: expr.Eq, L: c.X, R: w.Cond})
	})
}
