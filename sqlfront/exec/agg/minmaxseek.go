package agg

import (
	"cmp"

	"github.com/hbasekv/hbasekv/sqlfront/aggregate"
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/explain"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/expr/setfunc"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
	"github.com/hbasekv/hbasekv/sqlfront/ordering"
)

// minMaxSeek answers MIN and MAX over all rows if the store or an index has them in that order: the
// first row from that end that is not NULL has the result.
type minMaxSeek struct {
	groups
	ends []op.Operator
	done bool
}

// openMinMaxSeek returns nil if the aggregation, which is without GROUP BY, is not of this kind.
func (n *Aggregate) openMinMaxSeek(x *op.Frame) (op.Operator, error) {
	if len(n.Captured) > 0 || len(n.Aggs) == 0 || len(n.Aggs) > 2 {
		return nil, nil
	}
	e := &minMaxSeek{}
	for _, a := range n.Aggs {
		order, ok := minMaxOrder(a.Agg)
		if !ok {
			return nil, op.CloseAll(e.ends)
		}
		child, g, err := n.Child.Open(x, op.Desired{Order: order, Limit: 1, NotNull: true})
		if err != nil {
			return nil, cmp.Or(err, op.CloseAll(e.ends))
		}
		if e.ends = append(e.ends, child); !g.Ordered {
			return nil, op.CloseAll(e.ends)
		}
	}
	e.groups = n.newGroups(x, e.ends[0])
	return e, nil
}

// minMaxOrder returns the order in which the first row has the aggregate's result.
func minMaxOrder(a *setfunc.Aggregate) ([]ordering.Key, bool) {
	if len(a.Args) != 1 {
		return nil, false
	}
	if _, column := a.Args[0].(*expr.Column); !column && a.Args[0].Type().Nullable {
		return nil, false
	}
	switch a.Name {
	case "MIN":
		return []ordering.Key{{Expr: a.Args[0]}}, true
	case "MAX":
		return []ordering.Key{{Expr: a.Args[0], Desc: true}}, true
	}
	return nil, false
}

func (e *minMaxSeek) Next(int) (*kernel.Batch, error) {
	if e.done {
		return nil, nil
	}
	e.done = true
	states := e.newStates()
	for i, s := range e.ends {
		if err := addFirst(states[i], s, e.Aggs[i].Agg.Args[0]); err != nil {
			return nil, err
		}
	}
	return op.Single(true, e.emit(nil, nil, states))
}

// addFirst adds the first row in which an expression is not NULL.
func addFirst(state *aggregate.State, rows op.Operator, x expr.Node) error {
	end := op.Input{Operator: rows}
	for {
		ok, err := end.Row(1)
		if !ok || err != nil {
			return err
		}
		v, err := x.Eval(rows.Env())
		if err != nil {
			return err
		}
		if !v.IsNull() {
			return state.Add(rows.Env())
		}
	}
}

func (e *minMaxSeek) Close() error { return op.CloseAll(e.ends) }

func (e *minMaxSeek) Step() *explain.Step {
	var under []*explain.Step
	for _, s := range e.ends {
		under = append(under, s.Step())
	}
	return e.describe("first row of each order", under...)
}
