package agg

import (
	"cmp"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/hbasekv/hbasekv/sqlfront/aggregate"
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/exec/scan"
	"github.com/hbasekv/hbasekv/sqlfront/explain"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/expr/setfunc"
	"github.com/hbasekv/hbasekv/sqlfront/grouping"
	"github.com/hbasekv/hbasekv/sqlfront/ordering"
	"github.com/hbasekv/hbasekv/sqlfront/spill/rowmem"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Aggregate makes one row of each group of its child's rows. In that row, grouping expressions and
// aggregates have their own columns after those of the relations; of the relations' columns, the
// captured ones have the values of the group's first row.
type Aggregate struct {
	Child op.Node
	Keys  []GroupKey
	Aggs  []AggSlot
	// Captured are the frame's columns that the group's row keeps.
	Captured []int
	// RowOnly says that only what depends on K is read of the rows, and not their number.
	RowOnly bool
	// Counting, if not nil, is RowOnly for rows for which its condition is not true.
	Counting *op.Counting
	// RowColumn is the frame's column of K if there is one relation, otherwise -1.
	RowColumn int
	Width     int
	// Implicit is an aggregation without GROUP BY: one group, even of no rows.
	Implicit bool
	// AnyValue says that captured columns may differ within a group.
	AnyValue bool
	// Distinct says that the groups are the distinct rows of a SELECT.
	Distinct bool

	settled *atomic.Pointer[settled] // nil without Settle
}

// GroupKey is an expression of GROUP BY; Slot is the frame's column for its value, or -1 for a
// column of a relation, which is captured instead.
type GroupKey struct {
	Node expr.Node
	Slot int
}

// AggSlot is an aggregate and the frame's column for its result.
type AggSlot struct {
	Agg  *setfunc.Aggregate
	Slot int
}

func (n *Aggregate) Open(x *op.Frame, want op.Desired) (op.Operator, op.Provided, error) {
	if n.Implicit {
		if s, err := n.openMinMaxSeek(x); s != nil || err != nil {
			return s, op.Provided{Ordered: true}, err
		}
	}
	below := op.Desired{Together: n.of().keys, OneTogether: len(n.Aggs) == 0, Within: want.Within}
	orderable := false
	if len(want.Order) > 0 {
		below.Order, orderable = n.orderBelow(want.Order)
	}
	n, child, g, err := n.openRows(x, below)
	if err != nil {
		return nil, op.Provided{}, err
	}
	if n.Implicit || g.Together {
		ordered := n.Implicit || orderable && g.Ordered
		if n.Implicit || !ordered && len(want.Order) > 0 {
			want.Limit = 0 // there is one group, or all are sorted first
		}
		return n.Streamed(x, child, want), op.Provided{Ordered: ordered}, nil
	}
	return n.Hashed(x, child, want), op.Provided{}, nil
}

// Streamed makes groups of rows that arrive group by group.
func (n *Aggregate) Streamed(x *op.Frame, child op.Operator, want op.Desired) op.Operator {
	if shape := n.of().pivot; shape != nil {
		describe := func(under *explain.Step) *explain.Step { return n.describe("streaming", under) }
		if p := shape.Open(x, child, want, n.Width, describe); p != nil {
			return p
		}
	}
	s := n.Stream(x, child)
	if want.Limit > 0 && (want.Limit < op.BatchCells || !n.statesQuiet()) {
		s.wants = 1 // a few rows may be enough
	}
	return n.parallel(x, s, &s.groups, want)
}

// Hashed makes groups of rows in any order.
func (n *Aggregate) Hashed(x *op.Frame, child op.Operator, want op.Desired) op.Operator {
	return n.hash(x, child).share(want)
}

// orderBelow converts an order of groups to one of the rows that they are made of; it returns false
// if the rows lack an expression.
func (n *Aggregate) orderBelow(order []ordering.Key) ([]ordering.Key, bool) {
	out := make([]ordering.Key, len(order))
	for i, k := range order {
		below := n.below(k.Expr)
		if below == nil {
			return nil, false
		}
		out[i] = ordering.Key{Expr: below, Desc: k.Desc}
	}
	return out, true
}

// below converts an expression over groups to one over rows; it returns nil if there is an
// aggregate in it.
func (n *Aggregate) below(e expr.Node) expr.Node {
	aggregated := false
	out := expr.Rewrite(e, func(e expr.Node) expr.Node {
		c, ok := e.(*expr.Column)
		if !ok {
			return e
		}
		for _, k := range n.Keys {
			if k.Slot == c.Index {
				return k.Node
			}
		}
		for _, a := range n.Aggs {
			aggregated = aggregated || a.Slot == c.Index
		}
		return e
	})
	if aggregated {
		return nil
	}
	return out
}

// groups is shared by both ways of aggregation.
type groups struct {
	*Aggregate
	x     *op.Frame
	child op.Input
	out   expr.Env
	keys  []value.Value // of the current row
	ended bool
	// runCount, if not nil, says for how many cells the current row counts.
	runCount *scan.RunCount
	// memory is where the groups' states remember rows.
	memory aggregate.Memory
	lists  rowmem.Slab[*aggregate.State]
	// captured are the columns of the current row that its group keeps.
	captured []value.Value
	first    []value.Value // of the current group
}

func (n *Aggregate) newGroups(x *op.Frame, child op.Operator) groups {
	g := groups{Aggregate: n, x: x, child: op.Input{Operator: child}, out: *child.Env(),
		keys: make([]value.Value, len(n.Keys))}
	g.runCount, _ = op.Untimed(child).(*scan.RunCount)
	g.memory.Account = x.Stmt.Space.Account()
	g.out.Row = make([]value.Value, n.Width)
	copy(g.out.Row, child.Env().Row)
	return g
}

func (g *groups) Env() *expr.Env { return &g.out }

// Grouped returns the operator whose rows are grouped.
func (g *groups) Grouped() op.Operator { return g.child.Operator }

func (g *groups) Close() error {
	err := g.child.Close()
	g.memory.Release()
	return err
}

// readKeys evaluates the grouping expressions for the current row.
func (g *groups) readKeys() error {
	env := g.child.Env()
	for i, k := range g.Aggregate.Keys {
		v, err := k.Node.Eval(env)
		if err != nil {
			return err
		}
		g.keys[i] = v
	}
	return nil
}

// newStates returns the states of a new group.
func (g *groups) newStates() []*aggregate.State {
	out := g.lists.Cut(len(g.Aggs))
	for i, a := range g.Aggs {
		out[i] = aggregate.NewState(a.Agg, &g.memory)
	}
	return out
}

// add adds the current row to a group.
func (g *groups) add(states []*aggregate.State) error {
	env := g.child.Env()
	if g.runCount != nil {
		return g.addTimes(env, states)
	}
	for _, s := range states {
		if err := s.Add(env); err != nil {
			return err
		}
	}
	return nil
}

func (g *groups) addTimes(env *expr.Env, states []*aggregate.State) error {
	for _, s := range states {
		if err := s.AddTimes(env, g.runCount.Times); err != nil {
			return err
		}
	}
	return nil
}

// emit copies a group into the frame. Its states are used up.
func (g *groups) emit(keys, first []value.Value, states []*aggregate.State) error {
	g.place(keys, first)
	for i, a := range g.Aggs {
		v, err := states[i].Result()
		if err != nil {
			return err
		}
		g.out.Row[a.Slot] = v
	}
	return nil
}

// emitOf copies a group of a table into the frame. Its states are used up.
func (g *groups) emitOf(t *grouping.Table, group int32) error {
	g.first = t.First(g.first[:0], group)
	g.placeFirst(g.first)
	for i, a := range g.Aggs {
		v, err := t.States[i].Result(group)
		if err != nil {
			return err
		}
		g.out.Row[a.Slot] = v
	}
	return nil
}

// emitLate copies a group that had rows in files into the frame.
func (g *groups) emitLate(of grouping.LateGroup) {
	g.placeFirst(of.First)
	for i, a := range g.Aggs {
		g.out.Row[a.Slot] = of.Results[i]
	}
}

// placeFirst copies what a group keeps of its first row into the frame.
func (g *groups) placeFirst(first []value.Value) { g.place(first[len(g.Captured):], first) }

// place copies all of a group except its results into the frame.
func (g *groups) place(keys, first []value.Value) {
	row := g.out.Row
	for i, c := range g.Captured {
		row[c] = first[i]
	}
	for i, k := range g.Aggregate.Keys {
		if k.Slot >= 0 {
			row[k.Slot] = keys[i]
		}
	}
}

// closeStates closes the states of a group that is not emitted.
func closeStates(states []*aggregate.State) (first error) {
	for _, s := range states {
		first = cmp.Or(first, s.Close())
	}
	return first
}

// statesQuiet reports whether no state may warn or fail.
func (n *Aggregate) statesQuiet() bool {
	return !slices.ContainsFunc(n.Aggs, func(a AggSlot) bool { return !a.Agg.Quiet() })
}

// capturedNow returns the captured columns of the current row, valid until the next call.
func (g *groups) capturedNow() []value.Value {
	g.captured = g.capture(g.captured[:0])
	return g.captured
}

// capture appends the captured columns of the current row to dst.
func (g *groups) capture(dst []value.Value) []value.Value {
	row := g.child.Env().Row
	for _, c := range g.Captured {
		dst = append(dst, row[c])
	}
	return dst
}

func (n *Aggregate) describe(how string, under ...*explain.Step) *explain.Step {
	title := "Group"
	switch {
	case n.Distinct:
		return explain.NewStep("Distinct, "+how, under...)
	case n.Implicit:
		title = "Aggregate"
	}
	s := explain.NewStep(title+", "+how, under...)
	s.Add("by", op.PrintNodes(n.of().keys))
	var aggs []string
	for _, a := range n.Aggs {
		aggs = append(aggs, expr.Print(a.Agg))
	}
	s.Add("compute", strings.Join(aggs, ", "))
	return s
}
