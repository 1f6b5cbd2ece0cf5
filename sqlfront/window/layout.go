package window

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/aggregate"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/expr/setfunc"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Layout says what is kept of each row: values of expressions, and behind them what
// aggregates read.
type Layout struct {
	nodes []expr.Node
	// columns are those of the nodes that are plain columns, -1 for others.
	columns    []int
	aggregates []*setfunc.Aggregate
	args       int
}

// Place is where the value of an expression is kept.
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

// add has the arguments of an aggregate kept, and says the number of the first.
func (l *Layout) add(a *setfunc.Aggregate) (at int) {
	at = l.args
	l.aggregates, l.args = append(l.aggregates, a), l.args+len(a.Args)
	return at
}

// argument is the place of an argument, once all calls are there.
func (l *Layout) argument(number int) int { return len(l.nodes) + number }

// Nodes are the expressions whose values are kept first.
func (l *Layout) Nodes() []expr.Node { return l.nodes }

// Aggregates are those whose arguments are kept behind the nodes, one after the other.
func (l *Layout) Aggregates() []*setfunc.Aggregate { return l.aggregates }

// Evaluated are all expressions that are evaluated of a row, in their order.
func (l *Layout) Evaluated() []expr.Node {
	nodes := slices.Clip(l.nodes)
	for _, a := range l.aggregates {
		nodes = append(nodes, a.Args...)
	}
	return nodes
}

// Append appends what is kept of env's row. The error is that of evaluating what is kept.
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

// Convert makes what is kept of the values of Evaluated: arguments of aggregates as
// frames have them. The error is that of a conversion (1292 in strict mode).
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
