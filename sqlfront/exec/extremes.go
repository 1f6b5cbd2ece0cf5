package exec

import (
	"github.com/hbasekv/hbasekv/sqlfront/explain"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
	"github.com/hbasekv/hbasekv/sqlfront/ordering"
)

// extremes answers MIN and MAX over all rows, where each is by the order of
// the store, with the first row from that end.
type extremes struct {
	groups
	ends []source
	done bool
}

// openExtremes is nil where the aggregation is no such one.
func (n *Aggregate) openExtremes(x *frame) (source, error) {
	if !n.Implicit || len(n.Captured) > 0 || len(n.Aggs) == 0 || len(n.Aggs) > 2 {
		return nil, nil
	}
	e := &extremes{}
	for _, a := range n.Aggs {
		order, ok := extremeOrder(a.Agg)
		if !ok {
			return nil, nil
		}
		child, g, err := n.Child.open(x, request{order: order, limit: 1})
		if err != nil || !g.ordered {
			return nil, err
		}
		e.ends = append(e.ends, child)
	}
	e.groups = n.newGroups(x, e.ends[0])
	return e, nil
}

// extremeOrder is the order in which the first row has the aggregate's result.
func extremeOrder(a *expr.Aggregate) ([]ordering.Key, bool) {
	if len(a.Args) != 1 || a.Args[0].Type().Nullable {
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

func (e *extremes) next(int) (*kernel.Batch, error) {
	if e.done {
		return nil, nil
	}
	e.done = true
	states := e.newStates()
	for i, s := range e.ends {
		end := input{source: s}
		ok, err := end.row(1)
		if ok && err == nil {
			err = states[i].Add(s.env())
		}
		if err != nil {
			return nil, err
		}
	}
	return single(true, e.emit(nil, nil, states))
}

func (e *extremes) close() error { return closeAll(e.ends) }

func (e *extremes) step() *explain.Step {
	var under []*explain.Step
	for _, s := range e.ends {
		under = append(under, s.step())
	}
	return e.describe("first row of each order", under...)
}
