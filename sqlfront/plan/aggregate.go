package plan

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// aggregateNode makes one row of each group of its child's rows. In the row,
// a grouping expression and an aggregate have columns of their own behind
// those of the relations; of the relations' columns those in captured hold
// the values of the group's first row.
type aggregateNode struct {
	child node
	keys  []groupKey
	aggs  []aggSlot
	// captured are the frame's columns that the group's row keeps.
	captured []int
	// rowOnly says that nothing is asked of the rows but what depends on K
	// alone, and nothing how many they are.
	rowOnly bool
	// rowColumn is the frame's column of K of the only relation, or -1.
	rowColumn int
	width     int
	// implicit is an aggregation without GROUP BY: one group, if empty.
	implicit bool
	// anyValue says that captured columns may differ within a group.
	anyValue bool
}

// groupKey is an expression of GROUP BY; slot is the frame's column that
// holds its value, -1 for a column of a relation, which is captured instead.
type groupKey struct {
	node expr.Node
	slot int
}

// aggSlot is an aggregate and the frame's column of its result.
type aggSlot struct {
	agg  *expr.Aggregate
	slot int
}

func (n *aggregateNode) keyNodes() []expr.Node {
	out := make([]expr.Node, len(n.keys))
	for i, k := range n.keys {
		out[i] = k.node
	}
	return out
}

func (n *aggregateNode) open(x *exec, want request) (source, grant, error) {
	if s, err := n.openExtremes(x); s != nil || err != nil {
		return s, grant{ordered: true}, err
	}
	below := request{together: n.keyNodes(), onePerRow: n.rowOnly}
	order, orderable := n.orderBelow(want.order)
	if orderable {
		below.order = order
	}
	child, g, err := n.child.open(x, below)
	if err != nil {
		return nil, grant{}, err
	}
	if g.onePerRow {
		n = n.onePerRow()
	}
	if s, ok := child.(*scan); ok {
		s.tally = n.tallyOf(s)
	}
	if n.implicit || g.together {
		s := n.stream(x, child)
		return n.parallel(x, s, &s.groups, want), grant{ordered: n.implicit || orderable && g.ordered}, nil
	}
	h := n.hash(x, child)
	return n.parallel(x, h, &h.groups, want), grant{}, nil
}

// orderBelow is an order of groups as one of the rows that they are made of;
// false where it is by something that the rows do not have.
func (n *aggregateNode) orderBelow(order []OrderKey) ([]OrderKey, bool) {
	if len(order) == 0 {
		return nil, false
	}
	out := make([]OrderKey, len(order))
	for i, k := range order {
		below := n.below(k.Expr)
		if below == nil {
			return nil, false
		}
		out[i] = OrderKey{below, k.Desc}
	}
	return out, true
}

// below is an expression over groups as one over rows, nil where an aggregate
// is in it.
func (n *aggregateNode) below(e expr.Node) expr.Node {
	aggregated := false
	out := expr.Rewrite(e, func(e expr.Node) expr.Node {
		c, ok := e.(*expr.Column)
		if !ok {
			return e
		}
		for _, k := range n.keys {
			if k.slot == c.Index {
				return k.node
			}
		}
		for _, a := range n.aggs {
			aggregated = aggregated || a.slot == c.Index
		}
		return e
	})
	if aggregated {
		return nil
	}
	return out
}

// groups is what both ways of aggregation share.
type groups struct {
	*aggregateNode
	x     *exec
	child source
	out   expr.Env
	keys  []value.Value // of the present row
	ended bool
	// tally, where it is not nil, says how many rows the present one stands for.
	tally *tally
	// memory is where the groups' states remember rows.
	memory expr.Memory
}

func (n *aggregateNode) newGroups(x *exec, child source) groups {
	g := groups{aggregateNode: n, x: x, child: child, out: *child.env(), keys: make([]value.Value, len(n.keys))}
	if s, ok := child.(*scan); ok {
		g.tally = s.tally
	}
	g.memory.Account = x.run.space.Account()
	g.out.Row = make([]value.Value, n.width)
	copy(g.out.Row, child.env().Row)
	return g
}

func (g *groups) env() *expr.Env { return &g.out }

func (g *groups) close() error {
	err := g.child.close()
	g.memory.Release()
	return err
}

// readKeys evaluates the grouping expressions over the present row.
func (g *groups) readKeys() error {
	env := g.child.env()
	for i, k := range g.aggregateNode.keys {
		v, err := k.node.Eval(env)
		if err != nil {
			return err
		}
		g.keys[i] = v
	}
	return nil
}

// states are those of a new group.
func (g *groups) newStates() []expr.AggState {
	out := make([]expr.AggState, len(g.aggs))
	for i, a := range g.aggs {
		out[i] = a.agg.NewState(&g.memory)
	}
	return out
}

// add adds the present row to a group.
func (g *groups) add(states []expr.AggState) error {
	env := g.child.env()
	if g.tally != nil {
		return g.addTimes(env, states)
	}
	for _, s := range states {
		if err := s.Add(env); err != nil {
			return err
		}
	}
	return nil
}

func (g *groups) addTimes(env *expr.Env, states []expr.AggState) error {
	for _, s := range states {
		if err := s.AddTimes(env, g.tally.times); err != nil {
			return err
		}
	}
	return nil
}

// emit puts a group into the frame. Its states are over then.
func (g *groups) emit(keys, first []value.Value, states []expr.AggState) error {
	g.place(keys, first)
	for i, a := range g.aggs {
		v, err := states[i].Result()
		if err != nil {
			return err
		}
		g.out.Row[a.slot] = v
	}
	return nil
}

// place puts all of a group but its results into the frame.
func (g *groups) place(keys, first []value.Value) {
	row := g.out.Row
	for i, c := range g.captured {
		row[c] = first[i]
	}
	for i, k := range g.aggregateNode.keys {
		if k.slot >= 0 {
			row[k.slot] = keys[i]
		}
	}
}

// closeStates gives up the states of a group that is not emitted.
func closeStates(states []expr.AggState) error {
	var first error
	for _, s := range states {
		if err := s.Close(); first == nil {
			first = err
		}
	}
	return first
}

// grows reports whether the memory of a group grows with its rows.
func (n *aggregateNode) grows() bool {
	return slices.ContainsFunc(n.aggs, func(a aggSlot) bool { return a.agg.Grows() })
}

// capture appends the captured columns of the present row to dst.
func (g *groups) capture(dst []value.Value) []value.Value {
	row := g.child.env().Row
	for _, c := range g.captured {
		dst = append(dst, row[c])
	}
	return dst
}

// onePerRow is the aggregate over rows of which each K comes once: then
// nothing needs to be remembered to count different ones.
func (n *aggregateNode) onePerRow() *aggregateNode {
	out := *n
	out.aggs = make([]aggSlot, len(n.aggs))
	for i, a := range n.aggs {
		out.aggs[i] = a
		if plain, ok := n.countsRows(a.agg); ok {
			out.aggs[i].agg = plain
		}
	}
	return &out
}

// countsRows is COUNT(K) for COUNT(DISTINCT K).
func (n *aggregateNode) countsRows(a *expr.Aggregate) (*expr.Aggregate, bool) {
	if a.Name != "COUNT" || len(a.Args) != 1 {
		return nil, false
	}
	c, ok := a.Args[0].(*expr.Column)
	if !ok || c.Index != n.rowColumn {
		return nil, false
	}
	plain := *a
	plain.Distinct = false
	return &plain, true
}
