package parse

import "github.com/xwb1989/sqlparser"

// percentiles are window functions whose rows are ordered by an expression of their own: that of
// WITHIN GROUP (ORDER BY x), or the argument of MEDIAN. It is the order of their window, and their
// last argument.
var percentiles = nameSet("median percentile_cont percentile_disc")

// withinGroup reads WITHIN GROUP (ORDER BY x), and gives the order.
func (p *parser) withinGroup(f *sqlparser.FuncExpr, name string) sqlparser.OrderBy {
	if name == "median" {
		if len(f.Exprs) != 1 {
			p.failAt(p.cur().start, "MEDIAN of one argument")
		}
		x, ok := f.Exprs[0].(*sqlparser.AliasedExpr)
		if !ok {
			p.failAt(p.cur().start, "MEDIAN of an expression")
		}
		return sqlparser.OrderBy{&sqlparser.Order{Expr: x.Expr, Direction: sqlparser.AscScr}}
	}
	p.expect("WITHIN")
	p.expect("GROUP")
	p.expectOp("(")
	at := p.cur().start
	order := p.orderBy()
	if len(order) != 1 {
		p.failAt(at, "ORDER BY one expression")
	}
	p.expectOp(")")
	f.Exprs = append(f.Exprs, &sqlparser.AliasedExpr{Expr: order[0].Expr})
	return order
}

// orderedWindow is the window of a percentile: it has no order and no frame of its own.
func (p *parser) orderedWindow(w *Window, order sqlparser.OrderBy, at int) *Window {
	if order == nil {
		return w
	}
	if w.Order != nil || w.Frame != nil {
		p.failAt(at, "a window of PARTITION BY alone")
	}
	w.Order, w.Plain = order, false
	return w
}
