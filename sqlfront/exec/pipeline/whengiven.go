package pipeline

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// WhenGiven is an item of a result that is evaluated when its row is given, in the order of
// the rows and for none that LIMIT leaves out: one that may fail, or that numbers them by
// @n := @n + 1 (https://dev.mysql.com/doc/refman/5.7/en/user-variables.html). The columns that
// it reads are nodes of the projection too.
type WhenGiven struct{ X expr.Node }

// Eval is NULL, in the place of the value to come.
func (w *WhenGiven) Eval(*expr.Env) (value.Value, error) { return value.Value{}, nil }

// Type is that of the value to come.
func (w *WhenGiven) Type() value.Type { return w.X.Type() }

// AppendTo appends the expression.
func (w *WhenGiven) AppendTo(dst []byte) []byte { return w.X.AppendTo(dst) }

// Children are the expression.
func (w *WhenGiven) Children() []expr.Node { return []expr.Node{w.X} }

// With is the same of another expression.
func (w *WhenGiven) With(children []expr.Node) expr.Node { return &WhenGiven{children[0]} }

// lateItem is such an expression and its place in the row.
type lateItem struct {
	at int
	x  expr.Node
}

// withoutLate is the nodes with NULL in the place of what is evaluated when a row is given, and
// that.
func withoutLate(nodes []expr.Node) ([]expr.Node, []lateItem) {
	var late []lateItem
	for i, n := range nodes {
		if w, ok := n.(*WhenGiven); ok {
			if late == nil {
				nodes = slices.Clone(nodes)
			}
			nodes[i] = &expr.Const{T: w.Type()}
			late = append(late, lateItem{i, w.X})
		}
	}
	return nodes, late
}

// giving evaluates what is evaluated when a row is given.
type giving struct {
	op.Input
	*Projection
	x *op.Frame
	// from and to bound the numbers of the rows that are given.
	at, from, to int64
}

// WhenGiven is r, with what of the projection is evaluated when a row is given.
func (p *Projection) WhenGiven(x *op.Frame, r op.Operator, offset, count int64) op.Operator {
	g := &giving{Input: op.Input{Operator: r}, Projection: p, from: offset, to: offset + min(count, NoLimit-offset)}
	g.x = x.Stmt.NewFrame(len(x.Env.Row))
	copy(g.x.Env.Row, x.Env.Row)
	return g
}

// ReadFor does nothing: what is evaluated late reads other columns.
func (g *giving) ReadFor(kernel.Reader) {}

func (g *giving) Next(want int) (*kernel.Batch, error) {
	row, err := g.Result(want)
	if row == nil || err != nil {
		return nil, err
	}
	if g.at++; g.at > g.from && g.at <= g.to {
		err = g.give(row)
	}
	return op.Single(true, err)
}

// give evaluates what is left of a row.
func (g *giving) give(row []value.Value) (err error) {
	env := &g.x.Env
	env.Held.NewRow()
	for i, column := range g.Columns {
		if column >= 0 {
			env.Row[column] = row[i]
		}
	}
	for _, item := range g.Late {
		if row[item.at], err = item.x.Eval(env); err != nil {
			return err
		}
	}
	return nil
}

// FirstItem is the first node, of a row that is given.
func (p *Projection) FirstItem() expr.Node {
	for _, item := range p.Late {
		if item.at == 0 {
			return item.x
		}
	}
	return p.Nodes[0]
}
