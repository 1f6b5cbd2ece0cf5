package pipeline

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// WhenGiven is an item of a result that is evaluated when its row is returned, in the order of the
// rows, and not for rows that LIMIT skips: one that may fail, or that numbers the rows by @n := @n
// + 1 (https://dev.mysql.com/doc/refman/5.7/en/user-variables.html). The columns that it reads are
// nodes of the projection, too.
type WhenGiven struct{ X expr.Node }

// Eval returns NULL instead of the later value.
func (w *WhenGiven) Eval(*expr.Env) (value.Value, error) { return value.Value{}, nil }

// Type returns the type of the later value.
func (w *WhenGiven) Type() value.Type { return w.X.Type() }

// AppendTo appends the expression.
func (w *WhenGiven) AppendTo(dst []byte) []byte { return w.X.AppendTo(dst) }

// Children returns the expression.
func (w *WhenGiven) Children() []expr.Node { return []expr.Node{w.X} }

// With returns the same for another expression.
func (w *WhenGiven) With(children []expr.Node) expr.Node { return &WhenGiven{children[0]} }

// lateItem is such an expression and its position in the row.
type lateItem struct {
	at int
	x  expr.Node
}

// withoutLate returns the nodes, with NULL for those that are evaluated when a row is returned, and
// these.
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

// giving evaluates the late items.
type giving struct {
	op.Input
	*Projection
	x *op.Frame
	// from and to limit the numbers of the rows that are returned.
	at, from, to int64
}

// WhenGiven returns r with the late items evaluated when a row is returned.
func (p *Projection) WhenGiven(x *op.Frame, r op.Operator, offset, count int64) op.Operator {
	g := &giving{Input: op.Input{Operator: r}, Projection: p, from: offset, to: offset + min(count, NoLimit-offset)}
	g.x = x.Stmt.NewFrame(len(x.Env.Row))
	copy(g.x.Env.Row, x.Env.Row)
	return g
}

// ReadFor does nothing: late items read other columns.
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

// give evaluates the late items of a row.
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

// FirstItem returns the first node, including late ones.
func (p *Projection) FirstItem() expr.Node {
	for _, item := range p.Late {
		if item.at == 0 {
			return item.x
		}
	}
	return p.Nodes[0]
}
