package window

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/aggregate"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/expr/setfunc"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Layout says which values are kept of each row: those of expressions, followed by the arguments of
// aggregates.
type Layout struct {
	nodes []expr.Node
	// columns are the indexes of nodes that are plain columns, and -1 for others.
	columns    []int
	aggregates []*setfunc.Aggregate
	args       int
}

// Place returns the position of an expression's value in a kept row, and adds the expression if it is
// new.
func (l *Layout) Place(n expr.Node) int {
	c, plain := n.(*expr.Column)
	for i, kept := range l.nodes {
		if kept == n || plain && l.columns[i] == c.Index {
			return i
		}
	}
	l.nodes = append(l.nodes, n)
	column := -1
	if plain {
		column = c.Index
	}
	l.columns = append(l.columns, column)
	return len(l.nodes) - 1
}

// add adds the arguments of an aggregate, and returns the number of the first.
func (l *Layout) add(a *setfunc.Aggregate) (at int) {
	at = l.args
	l.aggregates, l.args = append(l.aggregates, a), l.args+len(a.Args)
	return at
}

// argument returns the position of an argument in a kept row, once all calls have been added.
func (l *Layout) argument(number int) int { return len(l.nodes) + number }

// Nodes returns the expressions whose values are kept first.
func (l *Layout) Nodes() []expr.Node { return l.nodes }

// Aggregates returns those whose arguments are kept after the nodes, in that order.
func (l *Layout) Aggregates() []*setfunc.Aggregate { return l.aggregates }

// Evaluated returns all expressions that are evaluated for a row, in the order of their values.
func (l *Layout) Evaluated() []expr.Node {
	nodes := slices.Clip(l.nodes)
	for _, a := range l.aggregates {
		nodes = append(nodes, a.Args...)
	}
	return nodes
}

// Append appends the kept values of the row in env. The error is that of evaluating them.
func (l *Layout) Append(dst []value.Value, env *expr.Env) (_ []value.Value, err error) {
	env.Held.NewRow()
	for i, c := range l.columns {
		var v value.Value
		if c >= 0 {
			v = env.Row[c]
		} else if v, err = l.nodes[i].Eval(env); err != nil {
			return nil, err
		}
		dst = append(dst, v)
	}
	for _, a := range l.aggregates {
		if dst, err = aggregate.AppendFrameArgs(a, env, dst); err != nil {
			return nil, err
		}
	}
	return dst, nil
}

// Convert converts, in place, the values of Evaluated to the kept ones: the arguments of aggregates in
// the form that frames read. The error is that of a conversion (1292 in strict mode).
func (l *Layout) Convert(row []value.Value, env *expr.Env) (err error) {
	args := row[len(l.nodes):]
	for _, a := range l.aggregates {
		for i := range a.Args {
			if args[i], err = aggregate.FrameArg(a, env, args[i]); err != nil {
				return err
			}
		}
		args = args[len(a.Args):]
	}
	return nil
}
